//! Expressions.

use strand_ir::{Expr, ExprKind, FPart, Function, Host, PyExpr, Rearrange, Size, Type};
use strand_ops::DType;

use crate::names::BodyNames;
use crate::ops::printed;
use crate::py::{Arg, Item, Py};
use crate::rows::{escaped, fewer_escapes, text_literal};
use crate::writer::{Mode, Writer};

impl<'a> Writer<'_, 'a> {
    /// An expression as Python.
    pub(crate) fn expr(&mut self, e: &'a Expr) -> Py {
        self.kind(e).tagged(e.span)
    }

    pub(crate) fn exprs(&mut self, all: &'a [Expr]) -> Vec<Py> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn kind(&mut self, e: &'a Expr) -> Py {
        let span = Some(e.span);
        match &e.kind {
            ExprKind::Int(value) => self.int(*value, e),
            ExprKind::Float(value) => self.float(*value, e),
            ExprKind::Bool(true) => Py::name("True").at(span),
            ExprKind::Bool(false) => Py::name("False").at(span),
            ExprKind::Str(text) => Py::text(text_literal(text)).at(span),
            ExprKind::FString(parts) => self.f_string(parts).at(span),
            ExprKind::Literal { elements, shape } => self.literal(e, elements, shape),
            ExprKind::Local(local) => match self.slots.get_mut(local) {
                Some(slot) => slot.take().at(span),
                None => {
                    self.has_type(*local, &e.ty);
                    Py::name(self.names.local(*local)).at(span)
                }
            },
            ExprKind::Size(size) => self.size(size).at(span),
            ExprKind::Lift(value) => self.lift(value, &e.ty),
            ExprKind::Op {
                op,
                args,
                over,
                params,
            } => self.op(e, *op, args, over, params),
            ExprKind::Call { function, args, .. } => {
                let pys = self.exprs(args);
                let pys = self.named_arguments(e, *function, args, pys);
                let call = self.call(e, *function, pys);
                self.changing_call(e, *function, args, call)
            }
            ExprKind::Extern { function, args, .. } => {
                let args = self.exprs(args);
                self.external(e, *function, args)
            }
            ExprKind::Py(py) => self.python(e, py),
            ExprKind::Convert {
                value,
                dtype,
                check,
            } => {
                let py = match dtype {
                    None => self.named_within(e, value),
                    Some(_) => self.expr(value),
                };
                self.convert(e, py, &value.ty, *dtype, check.as_ref(), false)
            }
            ExprKind::Rearrange { value, how } => {
                let py = self.expr(value);
                self.rearrange(py, value, &e.ty, how)
            }
            ExprKind::As {
                value,
                checks,
                check,
            } => {
                let py = self.named_within(e, value);
                self.stated(e, py, value, checks, check.as_ref())
            }
            ExprKind::Index { base, items } => self.indexed(base, items),
            ExprKind::Map {
                iter,
                lambda,
                lowering,
            } => self.map(e, iter, lambda, lowering),
            ExprKind::Filter { iter } => self.filter(iter),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition_py = self.expr(condition);
                let (then, otherwise) = self.confine(|w| (w.expr(then), w.expr(otherwise)));
                let spans = [self.own(e, &["if"]), self.own(e, &["else"])];
                Py::ternary(then, condition_py, otherwise, spans)
            }
            ExprKind::Tuple(parts) => Py::bare_tuple(self.exprs(parts)),
            ExprKind::Field { base, field } => {
                if self.is_sequence(base) {
                    let index = Py::int(*field as i64);
                    return self.expr(base).index(vec![Item::Value(index)]);
                }
                let name = self.field_name(base, *field);
                let at = self.own(e, &[&name]);
                let name = crate::models::attribute(&name, false);
                self.expr(base).attr(&name, at)
            }
            ExprKind::Element { base, index } => {
                let index = self.expr(index);
                self.expr(base).index(vec![Item::Value(index)])
            }
            ExprKind::New { model, seed } => self.new_model(e, *model, seed),
            ExprKind::Error => Py::name("None"),
        }
    }

    /// The place of one of an expression's own tokens.
    pub(crate) fn own(&self, e: &Expr, spellings: &[&str]) -> Option<strand_source::Span> {
        self.cx.source.own_token(e, spellings)
    }

    fn int(&mut self, value: i64, e: &Expr) -> Py {
        match self.cx.source.number(e.span) {
            Some(text) if text == "0" || !text.starts_with('0') => Py::number(&text),
            _ => Py::int(value),
        }
        .at(Some(e.span))
    }

    fn float(&mut self, value: f64, e: &Expr) -> Py {
        let py = match self.cx.source.number(e.span) {
            Some(text) if text.contains(['.', 'e']) => Py::number(&text),
            _ => float_literal(value),
        };
        py.at(Some(e.span))
    }

    fn f_string(&mut self, parts: &'a [FPart]) -> Py {
        if !parts.iter().any(|part| matches!(part, FPart::Expr(_))) {
            let text: String = parts
                .iter()
                .map(|part| match part {
                    FPart::Text(text) => text.as_str(),
                    FPart::Expr(_) => "",
                })
                .collect();
            return Py::text(text_literal(&text));
        }
        let quote = fewer_escapes(parts.iter().filter_map(|part| match part {
            FPart::Text(text) => Some(text.as_str()),
            FPart::Expr(_) => None,
        }));
        let mut out = format!("f{quote}");
        for part in parts {
            match part {
                FPart::Text(text) => {
                    out.push_str(&escaped(text, quote).replace('{', "{{").replace('}', "}}"));
                }
                FPart::Expr(e) => {
                    let py = printed(e, self.expr(e));
                    out.push_str(&format!("{{{}}}", self.f_value(py, quote)));
                }
            }
        }
        out.push(quote);
        Py::text(out)
    }

    /// A value as it stands in an f-string, which may hold no quote of its own and no backslash.
    fn f_value(&mut self, py: Py, quote: char) -> String {
        let text = flat(&py);
        if text.contains(['"', quote, '\\', '{', '}']) || text.contains(":=") {
            if self.can_bind() {
                let name = self.fresh("text");
                self.code(crate::rows::Code::assign(Py::name(name.clone()), py));
                return name;
            }
            let other = if quote == '"' { "'" } else { "\"" };
            return text.replace(quote, other);
        }
        text
    }

    fn literal(&mut self, e: &'a Expr, elements: &'a [Expr], shape: &[usize]) -> Py {
        let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
        let is_host = |e: &Expr| matches!(e.ty, Type::Host(_));
        if !elements.iter().all(is_host) {
            return self.stacked(elements, shape, dtype);
        }
        let natural = natural_dtype_of(elements);
        let items = self.exprs(elements);
        let list = nested(&mut items.into_iter(), shape);
        tensor_of(list, natural == Some(dtype), dtype)
    }

    /// A literal that holds tensors.
    fn stacked(&mut self, elements: &'a [Expr], shape: &[usize], dtype: DType) -> Py {
        let mut items = Vec::new();
        for element in elements {
            let py = self.expr(element);
            items.push(match element.ty {
                Type::Host(host) => scalar_tensor(py, host, dtype),
                _ => py,
            });
        }
        let list = Py::list(items);
        let stacked = Py::call_path("torch.stack", None, vec![list]);
        if shape.len() == 1 {
            return stacked;
        }
        let sizes = shape.iter().map(|size| Py::int(*size as i64)).collect();
        stacked.method("reshape", None, sizes)
    }

    /// A host value where a `[]` tensor is wanted.
    pub(crate) fn lift(&mut self, value: &'a Expr, ty: &Type) -> Py {
        let py = self.expr(value);
        let dtype = ty.tensor().map_or(DType::F32, |ty| ty.dtype);
        self.lifted(py, &value.ty, dtype)
    }

    /// A host number as a tensor; a tensor stays.
    pub(crate) fn lifted(&mut self, py: Py, ty: &Type, dtype: DType) -> Py {
        match ty {
            Type::Host(host) => scalar_tensor(py, *host, dtype),
            _ => py,
        }
    }

    pub(crate) fn call(&mut self, e: &'a Expr, id: strand_ir::FnId, pys: Vec<Py>) -> Py {
        let ExprKind::Call { args, .. } = &e.kind else {
            return Py::name("None");
        };
        let function = self.cx.program.function(id);
        let mut given: Vec<Arg> = Vec::new();
        let mut left_out = false;
        for (at, (py, arg)) in pys.into_iter().zip(args).enumerate() {
            let is_filled_in = function.params.get(at).is_some_and(|p| p.default.is_some())
                && !e.span.contains(arg.span);
            if is_filled_in {
                left_out = true;
                continue;
            }
            let py = if function.wants_tensor(at) {
                let dtype = self.dtype_beside(args);
                self.lifted(py, &arg.ty, dtype)
            } else {
                py
            };
            given.push(if left_out {
                Arg::keyword(&self.param_name(function, at), py)
            } else {
                Arg::from(py)
            });
        }
        if self.cx.takes_mode(id) {
            given.push(self.training());
        }
        let at = self.own(e, &[&function.name]);
        let call = if function.is_method() && !given.is_empty() {
            let base = given.remove(0).value;
            self.method_callee(base, function, at).call(given)
        } else {
            let name = self.cx.names.functions[id.0 as usize].clone();
            Py::name(name).at(at).call(given)
        };
        let from_tensor =
            matches!(e.ty, Type::Host(_)) && (0..args.len()).any(|at| function.wants_tensor(at));
        if from_tensor {
            call.method("item", None, Vec::new())
        } else {
            call
        }
    }

    /// The name that a function's parameter has in the text.
    pub(crate) fn param_name(&self, function: &Function, at: usize) -> String {
        let body = function.written_body();
        let named = body.and_then(|body| {
            let names = BodyNames::new(body, &self.cx.names);
            body.params.get(at).map(|id| names.local(*id).to_owned())
        });
        named.unwrap_or_else(|| function.params[at].name.to_string())
    }

    /// The dtype of the tensors among some arguments.
    fn dtype_beside(&self, args: &[Expr]) -> DType {
        let tensor = args.iter().find_map(|arg| arg.ty.tensor());
        tensor.map_or_else(
            || {
                let all_int = args
                    .iter()
                    .all(|arg| matches!(arg.ty, Type::Host(Host::Int | Host::Bool)));
                if all_int { DType::I64 } else { DType::F64 }
            },
            |ty| ty.dtype,
        )
    }

    /// `training=…` for a function that uses dropout.
    pub(crate) fn training(&mut self) -> Arg {
        let value = match self.mode {
            Mode::Given => "training",
            Mode::Training => "True",
            Mode::Eval => "False",
        };
        Arg::keyword("training", Py::name(value))
    }

    pub(crate) fn external(&mut self, e: &'a Expr, id: strand_ir::ExternId, pys: Vec<Py>) -> Py {
        let ExprKind::Extern { args, .. } = &e.kind else {
            return Py::name("None");
        };
        let external = self.cx.program.external(id);
        self.cx.needs.externs.insert(id.0);
        let is_torch = external.module == "torch" || external.module.starts_with("torch.");
        let mut given = Vec::new();
        let tensor = args.iter().find_map(|arg| arg.ty.tensor());
        // Of numbers alone its result is a `[]` of f32, and so are they.
        let dtype = tensor.map_or(DType::F32, |ty| ty.dtype);
        for (at, (py, arg)) in pys.into_iter().zip(args).enumerate() {
            let untyped = external
                .params
                .get(at)
                .is_none_or(|param| param.ty.is_none());
            given.push(if is_torch && untyped {
                self.lifted(py, &arg.ty, dtype)
            } else {
                py
            });
        }
        let at = self.own(e, &[&external.name]);
        let name = self.cx.names.externs[id.0 as usize].clone();
        let call = Py::call_path(&name, at, given);
        if is_torch && matches!(e.ty, Type::Host(_)) {
            return call.method("item", None, Vec::new());
        }
        call
    }

    fn python(&mut self, e: &'a Expr, py: &'a PyExpr) -> Py {
        match py {
            PyExpr::Module(id) => {
                self.cx.needs.imports.insert(id.0);
                Py::name(self.cx.names.imports[id.0 as usize].clone()).at(Some(e.span))
            }
            PyExpr::Attribute(base, name) => {
                let at = self.own(e, &[name]);
                self.expr(base).attr(name, at)
            }
            PyExpr::Call(callee, args) => {
                let callee = self.expr(callee);
                let mut given = Vec::new();
                for (name, value) in args {
                    let py = self.expr(value);
                    given.push(match name {
                        Some(name) => Arg::keyword(name, py).at(self.own(e, &[name])),
                        None => Arg::from(py),
                    });
                }
                callee.call(given)
            }
            PyExpr::Index(base, items) => {
                let base = self.expr(base);
                let items = self.exprs(items);
                base.index(items.into_iter().map(Item::Value).collect())
            }
        }
    }

    /// `x to [D n]`: a permutation, then a reshape, as far as needed.
    fn rearrange(&mut self, py: Py, value: &'a Expr, ty: &Type, how: &Rearrange) -> Py {
        let symbols = self.cx.symbols();
        let sizes = |ty: &Type| -> Vec<Size> {
            let axes = ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
            axes.iter().map(|axis| axis.size.clone()).collect()
        };
        let is_one = |size: &Size| size.as_constant() == Some(1);
        let same = |left: &[Size], right: &[Size]| {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| a.same(b, symbols))
        };
        let (from, to) = (sizes(&value.ty), sizes(ty));
        let mut py = py;
        let mut current = from.clone();
        let identity = how.permutation.iter().enumerate().all(|(a, b)| a == *b);
        if !identity {
            if !same(&from, &how.split) {
                py = self.reshaped(py, &how.split);
            }
            py = permuted(py, &how.permutation);
            current = how
                .permutation
                .iter()
                .filter_map(|at| how.split.get(*at).cloned())
                .collect();
        }
        if same(&current, &to) {
            return py;
        }
        let without_ones: Vec<Size> = to.iter().filter(|size| !is_one(size)).cloned().collect();
        if same(&current, &without_ones) {
            let last = to.iter().rposition(is_one).unwrap_or(0);
            // Axes after the last that is added need no mention.
            let items = to[..=last].iter().map(|size| {
                if is_one(size) {
                    Item::new_axis()
                } else {
                    Item::whole()
                }
            });
            return py.index(items.collect());
        }
        if to.len() == 1 && current.len() > 1 {
            return py.method("flatten", None, Vec::new());
        }
        self.reshaped(py, &to)
    }

    fn reshaped(&mut self, py: Py, sizes: &[Size]) -> Py {
        let sizes: Vec<Py> = sizes.iter().map(|size| self.size(size)).collect();
        if sizes.is_empty() {
            return py.method("reshape", None, vec![Py::tuple(Vec::new())]);
        }
        py.method("reshape", None, sizes)
    }

    pub(crate) fn field_name(&self, base: &Expr, field: usize) -> String {
        match base.ty {
            Type::Model(id) => {
                let fields = &self.cx.program.model(id).fields;
                fields
                    .get(field)
                    .map_or_else(String::new, |f| f.name.to_string())
            }
            _ => String::new(),
        }
    }
}

/// A permutation of axes: of two, `.T`.
pub(crate) fn permuted(py: Py, permutation: &[usize]) -> Py {
    if permutation == [1, 0] {
        return py.attr("T", None);
    }
    let rank = permutation.len();
    let swapped = |at: usize| match rank - at {
        1 => at - 1,
        2 => at + 1,
        _ => at,
    };
    if rank > 1
        && permutation
            .iter()
            .enumerate()
            .all(|(at, from)| *from == swapped(at))
    {
        return py.attr("mT", None);
    }
    let order = permutation.iter().map(|at| Py::int(*at as i64)).collect();
    py.method("permute", None, order)
}

/// A float as Python reads it.
pub(crate) fn float_literal(value: f64) -> Py {
    if value.is_nan() {
        return Py::call_path("float", None, vec![Py::text("\"nan\"".to_owned())]);
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "-inf" } else { "inf" };
        return Py::call_path("float", None, vec![Py::text(format!("\"{sign}\""))]);
    }
    Py::number(&strand_source::float_literal(value))
}

/// The dtype that PyTorch gives a host value.
pub(crate) fn natural_dtype(host: Host) -> Option<DType> {
    match host {
        Host::Int => Some(DType::I64),
        Host::Float => Some(DType::F32),
        Host::Bool => Some(DType::Bool),
        Host::Str => None,
    }
}

fn natural_dtype_of(elements: &[Expr]) -> Option<DType> {
    let mut hosts = elements.iter().map(|element| match element.ty {
        Type::Host(host) => natural_dtype(host),
        _ => None,
    });
    let first = hosts.next()??;
    hosts.try_fold(first, |most, next| Some(most.max(next?)))
}

/// `torch.tensor(value)`, with a dtype where PyTorch would choose another.
fn tensor_of(value: Py, is_natural: bool, dtype: DType) -> Py {
    let mut args = vec![Arg::from(value)];
    if !is_natural {
        args.push(Arg::keyword("dtype", Py::path(dtype.torch(), None)));
    }
    Py::path("torch.tensor", None).call(args)
}

/// A host number as a `[]` tensor.
pub(crate) fn scalar_tensor(py: Py, host: Host, dtype: DType) -> Py {
    let is_int = py.leaves.len() == 1 && py.leaves[0].text.bytes().all(|b| b.is_ascii_digit());
    if dtype == DType::F32 && host == Host::Int && is_int {
        let span = py.leaves[0].span;
        let float = Py::number(&format!("{}.0", py.leaves[0].text)).at(span);
        return tensor_of(float, true, dtype);
    }
    tensor_of(py, natural_dtype(host) == Some(dtype), dtype)
}

fn nested(items: &mut impl Iterator<Item = Py>, shape: &[usize]) -> Py {
    match shape {
        [] => items.next().unwrap_or_else(|| Py::int(0)),
        [count, inner @ ..] => {
            let rows = (0..*count).map(|_| nested(items, inner)).collect();
            Py::list(rows)
        }
    }
}

/// The expression on one line.
pub(crate) fn flat(py: &Py) -> String {
    let mut out = String::new();
    for (at, leaf) in py.leaves.iter().enumerate() {
        if at > 0 && leaf.space {
            out.push(' ');
        }
        if !leaf.hidden {
            out.push_str(&leaf.text);
        }
    }
    out
}
