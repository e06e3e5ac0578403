//! Writing one body: its variables, the sizes it uses, the rows it has so far.

use strand_ir::{
    Body, Comment, Expr, LocalId, LocalKind, Size, Stmt, StmtKind, SymbolId, SymbolKind, Type,
};
use strand_source::{Map, Set, Span};

use crate::arguments::Around;
use crate::context::Context;
use crate::linear::Counted;
use crate::names::{BodyNames, is_identifier};
use crate::py::{Prec, Py};
use crate::rows::{Code, Remark, Row, remark_text};

/// What a lambda's parameter is while its body is computed on whole tensors.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) py: Py,
    /// The iterated axis's position.
    pub(crate) axis: usize,
    /// The rank of an element.
    pub(crate) rank: usize,
    /// The name that its first use gives it, where no statement can.
    pub(crate) walrus: Option<String>,
}

impl Slot {
    pub(crate) fn take(&mut self) -> Py {
        match self.walrus.take() {
            Some(name) => {
                let value = std::mem::replace(&mut self.py, Py::name(name.clone()));
                Py::walrus(&name, value)
            }
            None => self.py.clone(),
        }
    }
}

/// What a mode is where the body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The function's own argument `training`.
    Given,
    Training,
    Eval,
}

pub(crate) struct Writer<'c, 'a> {
    pub(crate) cx: &'c mut Context<'a>,
    pub(crate) body: &'a Body,
    /// Whether a stage's function can reach it, so that torch.vmap may run it.
    pub(crate) in_chain: bool,
    pub(crate) is_script: bool,
    /// The function whose body it is.
    pub(crate) function: Option<strand_ir::FnId>,
    pub(crate) names: BodyNames,
    /// Axis names whose sizes the text uses, with how often.
    pub(crate) used_sizes: Map<SymbolId, usize>,
    /// Those of an earlier pass over the same body, so that only they are bound.
    pub(crate) known_sizes: Set<SymbolId>,
    /// Those of them that the earlier pass used at most twice.
    pub(crate) seldom_sizes: Set<SymbolId>,
    /// Sizes that stand where they are used, as `x.shape[0]`.
    pub(crate) inline_sizes: Map<SymbolId, Py>,
    pub(crate) rows: Vec<Row>,
    pub(crate) depth: usize,
    /// How many loops enclose the statement.
    pub(crate) loops: usize,
    /// How many places enclose the expression in which nothing can be bound before it.
    pub(crate) confined: usize,
    /// How many lambdas of torch.vmap enclose the expression.
    pub(crate) lambdas: usize,
    pub(crate) slots: Map<LocalId, Slot>,
    /// Parameters that are all indices of an axis, so that x[i] is x.
    pub(crate) whole: Set<LocalId>,
    /// The types of the variables that are bound where the text is now: sizes that only running
    /// tells are read from their shapes.
    pub(crate) bound: Map<LocalId, &'a Type>,
    /// Sizes that only running tells, as the shapes of values named in the expression have them.
    pub(crate) shapes: Vec<(Size, Py)>,
    /// Names given to values of the statement being written.
    pub(crate) given: Set<String>,
    /// Checks that the statement being written has made.
    pub(crate) checked: Set<String>,
    /// What the loops around count.
    pub(crate) counted: Vec<Counted>,
    /// Parameters of the lambdas around.
    pub(crate) lambda_names: Vec<String>,
    /// The name that the statement binds, to be used for a value that is checked.
    pub(crate) target: Option<(Span, String)>,
    /// What stands around the value of the script's statement being written, with its place.
    pub(crate) around: Option<(Span, Around)>,
    pub(crate) mode: Mode,
    /// Variables that an index assignment changes.
    pub(crate) changed: Set<LocalId>,
    /// Variables whose elements a caller changes later in place.
    pub(crate) lent: Set<LocalId>,
    /// Changed variables that share their elements with nothing else.
    pub(crate) owned: Set<LocalId>,
    pub(crate) comments: Vec<&'a Comment>,
    pub(crate) next_comment: usize,
    /// The last line of the source whose text was written.
    pub(crate) last_line: Option<u32>,
}

impl<'c, 'a> Writer<'c, 'a> {
    pub(crate) fn new(cx: &'c mut Context<'a>, body: &'a Body) -> Self {
        let names = BodyNames::new(body, &cx.names);
        Self {
            cx,
            body,
            in_chain: false,
            is_script: false,
            function: None,
            names,
            used_sizes: Map::new(),
            known_sizes: Set::new(),
            seldom_sizes: Set::new(),
            inline_sizes: Map::new(),
            rows: Vec::new(),
            depth: 1,
            loops: 0,
            confined: 0,
            lambdas: 0,
            slots: Map::new(),
            whole: Set::new(),
            bound: Map::new(),
            shapes: Vec::new(),
            given: Set::new(),
            checked: Set::new(),
            counted: Vec::new(),
            lambda_names: Vec::new(),
            target: None,
            around: None,
            mode: Mode::Given,
            changed: Set::new(),
            lent: Set::new(),
            owned: Set::new(),
            comments: Vec::new(),
            next_comment: 0,
            last_line: None,
        }
    }

    pub(crate) fn code(&mut self, code: Code) {
        self.rows.push(Row::Code {
            depth: self.depth,
            code,
            remark: None,
        });
    }

    /// Whether a statement may be put before the one being written.
    pub(crate) fn can_bind(&self) -> bool {
        self.confined == 0
    }

    /// Runs `f` where nothing can be bound before the expression.
    pub(crate) fn confine<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.confined += 1;
        let result = f(self);
        self.confined -= 1;
        result
    }

    /// Whether nothing has a name yet where the text is now.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        !self.cx.names.taken.contains(name)
            && !self.names.fixed.contains(name)
            && !self.given.contains(name)
            && !self.lambda_names.iter().any(|other| other == name)
    }

    /// A name for a value, as close to `wanted` as is free.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let base = if is_identifier(wanted) {
            wanted
        } else {
            "value"
        };
        let mut name = base.to_owned();
        let mut count = 1;
        while !self.is_free(&name) {
            count += 1;
            name = format!("{base}{count}");
        }
        self.given.insert(name.clone());
        name
    }

    /// The value under a name, given to it by a statement before this one or by its first use.
    pub(crate) fn shared(&mut self, mut slot: Slot, uses: usize, wanted: &str) -> Slot {
        if uses < 2 || is_cheap(&slot.py) || slot.walrus.is_some() {
            return slot;
        }
        let name = self.fresh(wanted);
        if self.can_bind() {
            self.code(Code::assign(Py::name(name.clone()), slot.py));
            slot.py = Py::name(name);
        } else {
            slot.walrus = Some(name);
        }
        slot
    }

    /// A value that is used more than once: its first use and a later one.
    pub(crate) fn twice(&mut self, py: Py, wanted: &str) -> (Py, Py) {
        let slot = Slot {
            py,
            axis: 0,
            rank: 0,
            walrus: None,
        };
        let mut slot = self.shared(slot, 2, wanted);
        (slot.take(), slot.take())
    }

    /// A size as a number of Python, where its names are known here.
    pub(crate) fn try_size(&mut self, size: &Size) -> Option<Py> {
        let is_known = |symbol: &SymbolId| {
            let kind = self.cx.symbols().get(*symbol).kind;
            kind != SymbolKind::Birth || self.measured(*symbol).is_some()
        };
        if !size.symbols().iter().all(is_known) {
            let named = self.shapes.iter().find(|(other, _)| other == size);
            return named.map(|(_, py)| py.clone());
        }
        let mut terms: Vec<_> = size.terms().collect();
        strand_source::sort_by_key(&mut terms, |(product, _)| std::cmp::Reverse(product.len()));
        if let Some(at) = terms.iter().position(|(_, factor)| *factor > 0) {
            let lead = terms.remove(at);
            terms.insert(0, lead);
        }
        let mut sum: Option<Py> = None;
        for (product, factor) in terms {
            let term = self.term(product, factor.unsigned_abs());
            sum = Some(match sum {
                None if factor < 0 => Py::unary("-", term, None),
                None => term,
                Some(sum) => Py::binary(if factor < 0 { "-" } else { "+" }, sum, term, None),
            });
        }
        Some(sum.unwrap_or_else(|| Py::int(0)))
    }

    /// A size as a number of Python.
    pub(crate) fn size(&mut self, size: &Size) -> Py {
        match self.try_size(size) {
            Some(py) => py,
            None => Py::name(size.display(self.cx.symbols())),
        }
    }

    fn term(&mut self, product: &[SymbolId], factor: u64) -> Py {
        let mut parts = Vec::new();
        if factor != 1 || product.is_empty() {
            parts.push(Py::number(&factor.to_string()));
        }
        for symbol in product {
            parts.push(self.symbol(*symbol));
        }
        let multiply = |left, right| Py::binary("*", left, right, None);
        parts
            .into_iter()
            .reduce(multiply)
            .unwrap_or_else(|| Py::int(1))
    }

    fn symbol(&mut self, symbol: SymbolId) -> Py {
        if let Some(name) = self.cx.names.dims.get(&symbol) {
            return Py::name(name.clone());
        }
        if let Some(name) = self.cx.names.model_sizes.get(&symbol) {
            if self.function.is_none() {
                return Py::name(name.clone());
            }
            self.cx.needs.model_sizes.insert(symbol);
            return Py::name("self").attr(&crate::models::attribute(name, false), None);
        }
        if self.cx.symbols().get(symbol).kind == SymbolKind::Birth
            && let Some((local, axis)) = self.measured(symbol)
        {
            let tensor = Py::name(self.names.local(local));
            return shape_of(tensor, axis);
        }
        if let Some(py) = self.inline_sizes.get(&symbol) {
            return py.clone();
        }
        // In a lambda it is as good as used for every element.
        let more = if self.lambdas > 0 { 3 } else { 1 };
        let uses = self.used_sizes.get(&symbol).map_or(0, |uses| *uses) + more;
        self.used_sizes.insert(symbol, uses);
        Py::name(self.size_name(symbol))
    }

    /// The name of an axis name's size.
    pub(crate) fn size_name(&mut self, symbol: SymbolId) -> String {
        let name = self.cx.program.symbols.name(symbol);
        self.names.size(symbol, name, &self.cx.names)
    }

    /// A variable that has an axis of just this size here, with the axis's position.
    pub(crate) fn measured(&self, symbol: SymbolId) -> Option<(LocalId, usize)> {
        self.bound.iter().find_map(|(local, ty)| {
            let axes = &ty.tensor()?.axes;
            let axis = axes
                .iter()
                .position(|axis| axis.size.as_symbol() == Some(symbol))?;
            Some((*local, axis))
        })
    }

    /// A variable has a value of this type from here on.
    pub(crate) fn has_type(&mut self, local: LocalId, ty: &'a Type) {
        if ty.tensor().is_some() && self.body.local(local).kind != LocalKind::Lambda {
            self.bound.insert(local, ty);
        }
    }

    /// Whether the variables that statements bind are bound, and to what, isn't known from here on.
    pub(crate) fn forget_bound(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            stmt.each(&mut |inner| match &inner.kind {
                StmtKind::Bind { local, .. } => {
                    local.and_then(|local| self.bound.remove(&local));
                }
                StmtKind::Unpack { locals, .. } => {
                    for local in locals.iter().flatten() {
                        self.bound.remove(local);
                    }
                }
                StmtKind::ForRange { local, .. }
                | StmtKind::ForSlices { local, .. }
                | StmtKind::ForModels { local, .. }
                | StmtKind::ForPy { local, .. } => {
                    local.and_then(|local| self.bound.remove(&local));
                }
                _ => {}
            });
        }
    }

    /// The value; under a name if a size of its axes from a position on can't be written without.
    pub(crate) fn with_sizes(&mut self, py: Py, ty: &Type, from: usize, wanted: &str) -> Py {
        let axes = ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
        let mut sizes = axes.iter().skip(from).map(|axis| &axis.size);
        if sizes.all(|size| self.try_size(size).is_some()) {
            return py;
        }
        let (first, later) = self.twice(py, wanted);
        for (at, axis) in axes.iter().enumerate().skip(from) {
            if self.try_size(&axis.size).is_none() {
                let shape = shape_of(later.clone(), at);
                self.shapes.push((axis.size.clone(), shape));
            }
        }
        first
    }

    /// `(n, D)` for a shape.
    pub(crate) fn shape(&mut self, ty: &Type) -> Vec<Py> {
        let axes = ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
        axes.iter().map(|axis| self.size(&axis.size)).collect()
    }

    /// Comments that start before `end`, on lines of their own.
    pub(crate) fn comments_before(&mut self, end: u32) {
        while let Some(comment) = self.comments.get(self.next_comment).copied() {
            if comment.span.start >= end {
                return;
            }
            self.next_comment += 1;
            self.gap(self.cx.source.line(comment.span));
            self.rows.push(Row::Remark {
                depth: self.depth,
                remark: remark(comment),
            });
            self.last_line = Some(self.cx.source.line(comment.span));
        }
    }

    /// A comment that follows on the line just written.
    pub(crate) fn trailing_comment(&mut self, line: u32, end: u32) {
        let Some(comment) = self.comments.get(self.next_comment).copied() else {
            return;
        };
        let fits = !comment.own_line
            && self.cx.source.line(comment.span) == line
            && comment.span.start < end;
        if !fits {
            return;
        }
        if let Some(Row::Code { remark: slot, .. }) = self.rows.last_mut() {
            *slot = Some(remark(comment));
            self.next_comment += 1;
        }
    }

    /// An empty line where the source has one or more.
    pub(crate) fn gap(&mut self, line: u32) {
        if self.last_line.is_some_and(|last| line > last + 1)
            && !matches!(self.rows.last(), None | Some(Row::Blank))
        {
            self.rows.push(Row::Blank);
        }
    }

    /// Where an expression uses a variable: how often.
    pub(crate) fn count_uses(expr: &Expr, local: LocalId) -> usize {
        let mut uses = 0;
        expr.each(&mut |piece| {
            uses +=
                usize::from(matches!(piece.kind, strand_ir::ExprKind::Local(id) if id == local));
        });
        uses
    }
}

pub(crate) fn remark(comment: &Comment) -> Remark {
    Remark {
        text: remark_text(&comment.text),
        span: Some(comment.span),
    }
}

/// `x.shape[0]`
pub(crate) fn shape_of(tensor: Py, axis: usize) -> Py {
    let item = crate::py::Item::Value(Py::int(axis as i64));
    tensor.attr("shape", None).index(vec![item])
}

/// Whether a value may be written twice rather than named: a name, or its transpose.
pub(crate) fn is_cheap(py: &Py) -> bool {
    py.prec == Prec::Postfix && py.is_simple()
}
