//! Conversions, stated shapes, and what is checked while the program runs.

use strand_ir::{AsCheck, Domain, Expr, ExprKind, FunctionKind, Type};
use strand_ops::DType;
use strand_source::Span;

use crate::py::{Item, Py};
use crate::rows::{Code, text_literal};
use crate::writer::{Writer, shape_of};

impl<'a> Writer<'_, 'a> {
    /// `x to f32`, `x to Prob`. `whole` says that the text is of all elements of a chain at once,
    /// where the expression is of one.
    pub(crate) fn convert(
        &mut self,
        e: &'a Expr,
        py: Py,
        from: &Type,
        dtype: Option<DType>,
        check: Option<&'a Domain>,
        whole: bool,
    ) -> Py {
        let mut py = py;
        let to = self.own(e, &["to"]);
        let (others, other_check) = self.elsewhere(e, dtype, check);
        let (dtype, check) = (dtype.or(others), check.or(other_check));
        match (from, dtype) {
            (Type::Host(_), _) => {
                let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
                py = self.lifted(py, from, dtype);
            }
            (_, Some(dtype)) => {
                let at = self.own(e, &[dtype.as_str()]);
                py = py.converted(dtype, to, at);
            }
            _ => {}
        }
        match check {
            Some(domain) => self.domain_checked(e, py, domain, whole),
            None => py,
        }
    }

    /// What a conversion does in another body of an untyped function, whose one text is for all.
    fn elsewhere(
        &self,
        e: &Expr,
        dtype: Option<DType>,
        check: Option<&Domain>,
    ) -> (Option<DType>, Option<&'a Domain>) {
        let mut found = (None, None);
        let Some(id) = self.function else {
            return found;
        };
        let function = self.cx.program.function(id);
        if function.instances.len() < 2 || (dtype.is_some() && check.is_some()) {
            return found;
        }
        for body in &function.instances {
            for stmt in &body.stmts {
                stmt.each_expr(&mut |other| {
                    if let ExprKind::Convert { dtype, check, .. } = &other.kind
                        && other.span == e.span
                    {
                        found.0 = found.0.or(*dtype);
                        found.1 = found.1.or(check.as_ref());
                    }
                });
            }
        }
        found
    }

    fn domain_checked(&mut self, e: &'a Expr, py: Py, domain: &'a Domain, whole: bool) -> Py {
        if let ExprKind::Convert { value, .. } | ExprKind::As { value, .. } = &e.kind
            && self.is_certain(value, domain)
        {
            return py;
        }
        let line = self.cx.source.line(e.span);
        let wanted = domain.display(self.cx.symbols());
        let message = format!("line {line}: a value isn't {wanted}");
        let bound = match domain {
            Domain::Index(axis) => Some(self.size(&axis.size)),
            _ => None,
        };
        let function = self.function.map(|id| self.cx.program.function(id));
        let any_rank = function.is_some_and(|f| f.kind == FunctionKind::Elementwise);
        let is_scalar = !whole && !any_rank && e.ty.tensor().is_some_and(|ty| ty.rank() == 0);
        let target = self.take_target(e);
        let hint = if matches!(domain, Domain::Index(_)) {
            "index"
        } else {
            "value"
        };
        if self.must_pass_on() {
            let (first, later) = self.twice(py, hint);
            self.target = target;
            return self.passed_on(first, domain_holds(domain, later, bound), &message);
        }
        let py = self.named(py, hint);
        let fails = domain_fails(domain, py.clone(), bound);
        let fails = if is_scalar {
            fails.of_one()
        } else {
            fails.of_any()
        };
        self.raise_if(fails, "ValueError", Py::text(text_literal(&message)));
        self.target = target;
        py
    }

    /// The value of a check: where the check is the whole value of a statement, so is it.
    pub(crate) fn named_within(&mut self, e: &'a Expr, value: &'a Expr) -> Py {
        let is_whole = |target: &&mut (Span, String)| target.0 == e.span;
        let Some(target) = self.target.as_mut().filter(is_whole) else {
            return self.expr(value);
        };
        target.0 = value.span;
        let py = self.expr(value);
        if let Some(target) = &mut self.target {
            target.0 = e.span;
        }
        py
    }

    /// Takes the statement's own name away where the checked value isn't the whole value, to be put
    /// back once that is written.
    fn take_target(&mut self, e: &Expr) -> Option<(Span, String)> {
        self.target.take_if(|(span, _)| *span != e.span)
    }

    /// Whether a check must be part of the expression: where no statement can stand, and where
    /// torch.vmap may run it.
    pub(crate) fn must_pass_on(&self) -> bool {
        self.in_chain || !self.can_bind()
    }

    /// `_check(x, ok, message)`
    pub(crate) fn passed_on(&mut self, py: Py, holds: Py, message: &str) -> Py {
        self.cx.needs.check = true;
        let message = Py::text(text_literal(message));
        Py::call_path("_check", None, vec![py, holds, message])
    }

    /// The value, where `holds`, which it doesn't depend on, does.
    pub(crate) fn required(&mut self, py: Py, holds: Py, message: &str) -> Py {
        if self.must_pass_on() {
            return self.passed_on(py, holds, message);
        }
        self.raise_unless(holds, "ValueError", Py::text(text_literal(message)));
        py
    }

    /// The value under a name: its own, that of the statement's target, or a new one.
    fn named(&mut self, py: Py, hint: &str) -> Py {
        if py.as_name().is_some() {
            self.target = None;
            return py;
        }
        let name = match self.target.take() {
            Some((_, name)) => name,
            None => self.fresh(hint),
        };
        self.code(Code::assign(Py::name(name.clone()), py));
        Py::name(name)
    }

    /// `if not …:` and `raise …` on the next line.
    pub(crate) fn raise_unless(&mut self, holds: Py, error: &str, message: Py) {
        self.raise_if(Py::negated(holds, None), error, message);
    }

    pub(crate) fn raise_if(&mut self, fails: Py, error: &str, message: Py) {
        self.code(Code::keyword("if", None, fails).colon());
        self.depth += 1;
        let raise = Py::call_path(error, None, vec![message]);
        self.code(Code::default().word("raise", None).add(raise));
        self.depth -= 1;
    }

    /// `x as [n D]`
    pub(crate) fn stated(
        &mut self,
        e: &'a Expr,
        py: Py,
        value: &'a Expr,
        checks: &'a [AsCheck],
        check: Option<&'a Domain>,
    ) -> Py {
        let target = self.take_target(e);
        let is_py = matches!(value.ty, Type::Py);
        let mut py = py;
        if is_py {
            let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
            let keyword = crate::py::Arg::keyword("dtype", Py::path(dtype.torch(), None));
            py = Py::path("torch.as_tensor", None).call(vec![py.into(), keyword]);
        }
        let wants_size = |check: &AsCheck| match check {
            AsCheck::Proven => false,
            AsCheck::Equals(_) => true,
            AsCheck::Binds(symbol) => self.known_sizes.contains(symbol),
        };
        if is_py || checks.iter().any(wants_size) {
            py = if self.can_bind() {
                self.shape_stated(e, py, checks, is_py)
            } else {
                self.shape_in_expression(e, py, checks)
            };
        }
        let py = match check {
            Some(domain) => self.domain_checked(e, py, domain, false),
            None => py,
        };
        self.target = target.or(self.target.take());
        py
    }

    fn shape_stated(&mut self, e: &'a Expr, py: Py, checks: &'a [AsCheck], is_py: bool) -> Py {
        let line = self.cx.source.line(e.span);
        let target = self.target.clone();
        let py = self.named(py, "value");
        self.target = target;
        let shape =
            e.ty.tensor()
                .map_or_else(String::new, |ty| ty.display_shape(self.cx.symbols()));
        let message = Py::text(text_literal(&format!(
            "line {line}: the shape isn't {shape}"
        )));
        // What one axis binds others may be compared with: `[n n]`.
        let binds = |symbol| checks.contains(&AsCheck::Binds(symbol));
        let bound_first = checks.iter().any(|check| match check {
            AsCheck::Equals(size) => size.symbols().into_iter().any(binds),
            _ => false,
        });
        let mut ranked = is_py;
        if bound_first {
            if is_py {
                let rank = Py::int(checks.len() as i64);
                let differs = Py::binary("!=", py.clone().attr("ndim", None), rank, None);
                self.raise_if(differs, "ValueError", message.clone());
                ranked = false;
            }
            self.sizes_bound(&py, checks);
        }
        let fails = self.shape_fails(&py, checks, ranked);
        if let Some(fails) = fails {
            self.raise_if(fails, "ValueError", message);
        }
        if !bound_first {
            self.sizes_bound(&py, checks);
        }
        py
    }

    /// The sizes that a stated shape names.
    fn sizes_bound(&mut self, py: &Py, checks: &'a [AsCheck]) {
        for (axis, check) in checks.iter().enumerate() {
            if let AsCheck::Binds(symbol) = check
                && self.known_sizes.contains(symbol)
            {
                let name = Py::name(self.size_name(*symbol));
                self.code(Code::assign(name, shape_of(py.clone(), axis)));
            }
        }
    }

    /// When a shape isn't the one that is stated; `None` if nothing is to be compared.
    fn shape_fails(&mut self, py: &Py, checks: &'a [AsCheck], is_py: bool) -> Option<Py> {
        let equal = |check: &&'a AsCheck| matches!(check, AsCheck::Equals(_));
        let count = checks.iter().filter(equal).count();
        if count == checks.len() && (count > 1 || is_py) {
            let sizes = checks.iter().filter_map(|check| match check {
                AsCheck::Equals(size) => Some(size),
                _ => None,
            });
            let sizes: Vec<_> = sizes.collect();
            let sizes = sizes.into_iter().map(|size| self.size(size)).collect();
            let shape = py.clone().attr("shape", None);
            return Some(Py::binary("!=", shape, Py::tuple(sizes), None));
        }
        let mut fails: Option<Py> = is_py.then(|| {
            let rank = Py::int(checks.len() as i64);
            Py::binary("!=", py.clone().attr("ndim", None), rank, None)
        });
        for (axis, check) in checks.iter().enumerate() {
            if let AsCheck::Equals(size) = check {
                let size = self.size(size);
                let differs = Py::binary("!=", shape_of(py.clone(), axis), size, None);
                fails = Some(match fails {
                    Some(fails) => Py::binary("or", fails, differs, None),
                    None => differs,
                });
            }
        }
        fails
    }

    /// A stated shape where no statement can stand: `x if … else _fail(…)`.
    fn shape_in_expression(&mut self, e: &'a Expr, py: Py, checks: &'a [AsCheck]) -> Py {
        let line = self.cx.source.line(e.span);
        let shape =
            e.ty.tensor()
                .map_or_else(String::new, |ty| ty.display_shape(self.cx.symbols()));
        let name = match py.as_name() {
            Some(name) => name.to_owned(),
            None => self.fresh("value"),
        };
        let later = Py::name(name.clone());
        let mut holds: Option<Py> = None;
        let mut value = Some(py).filter(|py| py.as_name().is_none());
        for (axis, check) in checks.iter().enumerate() {
            let AsCheck::Equals(size) = check else {
                continue;
            };
            let size = self.size(size);
            let tensor = match value.take() {
                Some(py) => Py::walrus(&name, py),
                None => later.clone(),
            };
            let same = Py::binary("==", shape_of(tensor, axis), size, None);
            holds = Some(match holds {
                Some(holds) => Py::binary("and", holds, same, None),
                None => same,
            });
        }
        let Some(holds) = holds else {
            return value.unwrap_or(later);
        };
        self.fails_unless(
            later,
            holds,
            &format!("line {line}: the shape isn't {shape}"),
        )
    }

    /// `x if … else _fail(…)`
    pub(crate) fn fails_unless(&mut self, py: Py, holds: Py, message: &str) -> Py {
        self.cx.needs.fail = true;
        let message = Py::text(text_literal(message));
        let fail = Py::call_path("_fail", None, vec![message]);
        Py::ternary(py, holds, fail, [None, None])
    }
}

/// For each element whether it belongs to a domain. NaN counts as inside all but `Finite`.
fn domain_holds(domain: &Domain, x: Py, bound: Option<Py>) -> Py {
    match domain {
        Domain::Plain => Py::name("True"),
        Domain::Index(_) => {
            let above = Py::binary(">=", x.clone(), Py::int(0), None);
            let below = Py::binary("<", x, bound.unwrap_or_else(|| Py::int(0)), None);
            Py::binary("&", above, below, None)
        }
        Domain::Finite => Py::call_path("torch.isfinite", None, vec![x]),
        _ => Py::unary("~", domain_fails(domain, x, bound).py, None),
    }
}

/// When elements don't belong to a domain.
struct Fails {
    py: Py,
    /// Whether `py` says that they do.
    negated: bool,
}

impl Fails {
    /// Whether one of the elements doesn't belong.
    fn of_any(self) -> Py {
        match self.negated {
            true => Py::negated(self.py.method("all", None, Vec::new()), None),
            false => self.py.method("any", None, Vec::new()),
        }
    }

    /// The same of a `[]` tensor.
    fn of_one(self) -> Py {
        match self.negated {
            true => Py::negated(self.py, None),
            false => self.py,
        }
    }
}

fn domain_fails(domain: &Domain, x: Py, bound: Option<Py>) -> Fails {
    let compare = |operator: &str, bound: Py| Py::binary(operator, x.clone(), bound, None);
    let py = match domain {
        Domain::Plain => Py::name("False"),
        Domain::Index(_) => {
            let above = compare(">=", bound.unwrap_or_else(|| Py::int(0)));
            Py::binary("|", compare("<", Py::int(0)), above, None)
        }
        Domain::Prob => {
            let above = compare(">", Py::int(1));
            Py::binary("|", compare("<", Py::int(0)), above, None)
        }
        Domain::Positive => compare("<=", Py::int(0)),
        Domain::NonNegative => compare("<", Py::int(0)),
        Domain::Finite => Py::call_path("torch.isfinite", None, vec![x.clone()]),
    };
    Fails {
        py,
        negated: matches!(domain, Domain::Finite),
    }
}

/// An item of a whole axis.
pub(crate) fn whole_axes(count: usize) -> Vec<Item> {
    (0..count).map(|_| Item::whole()).collect()
}
