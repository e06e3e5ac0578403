//! Indexing: what each item takes, and the shape of what the items pick, as NumPy has it.

use strand_ir::{
    Axis, Domain, Expr, ExprKind, Host, How, IndexItem, LocalKind, PyExpr, Size, TensorType, Type,
};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, BinaryOp};

use crate::context::Checker;
use crate::heads::without_parens;
use crate::operators::{edit, short};

/// How many axes of a tensor are labelled at most.
const MOST_AXES: usize = 4;

/// A tensor that is indexed, for the sentences about its axes.
pub(crate) struct Base<'b> {
    /// Its type.
    pub(crate) ty: &'b TensorType,
    /// Where it stands.
    pub(crate) span: Span,
}

/// An item whose values are typed, before it is known which axes it takes.
enum Item<'t> {
    Int(Expr, &'t ast::Expr),
    Tensor(Expr, i64, &'t ast::Expr),
    Mask(Expr, TensorType, &'t ast::Expr),
    Slice(&'t ast::Range),
    Ellipsis(Span),
    NewAxis(Span),
    Wrong(Span),
}

impl Item<'_> {
    /// How many axes of the tensor it takes.
    fn takes(&self) -> usize {
        match self {
            Self::Mask(_, mask, _) => mask.rank(),
            Self::Ellipsis(_) | Self::NewAxis(_) => 0,
            _ => 1,
        }
    }

    fn span(&self) -> Span {
        match self {
            Self::Int(_, written) | Self::Tensor(_, _, written) | Self::Mask(_, _, written) => {
                written.span
            }
            Self::Slice(range) => range.span,
            Self::Ellipsis(span) | Self::NewAxis(span) | Self::Wrong(span) => *span,
        }
    }
}

impl Checker<'_> {
    /// `base[items]`
    pub(crate) fn index(&mut self, span: Span, base: &ast::Expr, items: &[ast::IndexItem]) -> Expr {
        let value = self.expr(base, None);
        match self.submodels(&value.ty) {
            Some(found) => self.element(value, found, items, span),
            None => self.index_value_of(span, base, value, items),
        }
    }

    /// `base[items]` of a base that is typed already.
    pub(crate) fn index_value_of(
        &mut self,
        span: Span,
        base: &ast::Expr,
        value: Expr,
        items: &[ast::IndexItem],
    ) -> Expr {
        let picked = match &value.ty {
            Type::Tensor(ty) => self.index_items(&ty.clone(), base.span, items),
            Type::Py => return self.index_python(span, value, items),
            other => {
                if !other.is_error() {
                    let what = self.kind_of(other);
                    let message = format!(
                        "{} is {what}: only tensors are indexed",
                        self.quote(base.span)
                    );
                    self.error(Code::E0704, base.span, message);
                }
                self.look_at_items(items);
                None
            }
        };
        let Some((items, ty)) = picked else {
            return self.wrong(span);
        };
        Expr {
            kind: ExprKind::Index {
                base: Box::new(value),
                items,
            },
            ty: Type::Tensor(ty),
            span,
        }
    }

    /// Types what stands in an index of something wrong, only for its own mistakes.
    fn look_at_items(&mut self, items: &[ast::IndexItem]) {
        for item in items {
            match item {
                ast::IndexItem::Expr(expr) => {
                    self.expr(expr, None);
                }
                ast::IndexItem::Slice(range) => {
                    for bound in [&range.start, &range.end, &range.step]
                        .into_iter()
                        .flatten()
                    {
                        self.expr(bound, None);
                    }
                }
                ast::IndexItem::Ellipsis(_) | ast::IndexItem::NewAxis(_) => {}
            }
        }
    }

    fn index_python(&mut self, span: Span, base: Expr, items: &[ast::IndexItem]) -> Expr {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match item {
                ast::IndexItem::Expr(expr) => values.push(self.expr(expr, None)),
                other => {
                    let message = "a slice of a Python value needs its shape: use `as` first";
                    self.error(Code::E3101, other.span(), message);
                    return self.wrong(span);
                }
            }
        }
        if values.iter().any(|value| value.ty.is_error()) {
            return self.wrong(span);
        }
        Expr {
            kind: ExprKind::Py(PyExpr::Index(Box::new(base), values)),
            ty: Type::Py,
            span,
        }
    }

    /// The items of an index of a tensor, with the type of what they pick.
    pub(crate) fn index_items(
        &mut self,
        base: &TensorType,
        base_span: Span,
        items: &[ast::IndexItem],
    ) -> Option<(Vec<IndexItem>, TensorType)> {
        let base = Base {
            ty: base,
            span: base_span,
        };
        let items: Vec<Item<'_>> = items.iter().map(|item| self.item(item)).collect();
        let taken = self.count_axes(&base, &items)?;
        if self.changed_over(&base, &items) {
            return None;
        }
        let hidden = base.ty.rank() - taken;
        let mut shape = PickedShape::default();
        let mut typed = Vec::with_capacity(items.len());
        let mut at = 0;
        let mut wrong = false;
        let alone = items.len() == 1;
        for item in items {
            let takes = item.takes();
            let spread = if matches!(item, Item::Ellipsis(_)) {
                hidden
            } else {
                0
            };
            match self.place_item(item, &base, at, spread, alone, &mut shape) {
                Some(item) => typed.push(item),
                None => wrong = true,
            }
            at += takes + spread;
        }
        shape
            .axes
            .extend(base.ty.axes[at.min(base.ty.rank())..].iter().cloned());
        let axes = shape.finish(self).filter(|_| !wrong)?;
        let ty = TensorType {
            axes,
            dtype: base.ty.dtype,
            domain: base.ty.domain.clone(),
        };
        Some((typed, ty))
    }

    /// E0507, said once, of indices that stand in each other's place; says whether they do.
    fn changed_over(&mut self, base: &Base<'_>, items: &[Item<'_>]) -> bool {
        let mut indices: Vec<(Option<Axis>, &ast::Expr)> = Vec::with_capacity(items.len());
        for item in items {
            let Item::Tensor(index, 0, written) = item else {
                return false;
            };
            let Some(ty) = index.ty.tensor() else {
                return false;
            };
            let of = match &ty.domain {
                Domain::Index(of) => Some(of.clone()),
                _ if ty.dtype == DType::I64 => None,
                _ => return false,
            };
            indices.push((of, written));
        }
        let symbols = &self.program.symbols;
        let fits = |index: usize, at: usize| {
            let of = indices[index].0.as_ref();
            of.is_some_and(|of| of.agrees(&base.ty.axes[at], symbols))
        };
        let wrong: Vec<usize> = (0..indices.len()).filter(|at| !fits(*at, *at)).collect();
        let [a, b] = wrong[..] else { return false };
        // Whole numbers may be of any axis: the other index tells.
        let may_be = |index: usize, at: usize| indices[index].0.is_none() || fits(index, at);
        if !may_be(a, b) || !may_be(b, a) || !(fits(a, b) || fits(b, a)) {
            return false;
        }
        let (told, at) = if indices[a].0.is_some() {
            (a, a)
        } else {
            (b, b)
        };
        let Some(of) = indices[told].0.clone() else {
            return false;
        };
        let (first, second) = (indices[a].1.span, indices[b].1.span);
        let moved = |index: usize, to: usize| {
            let written = indices[index].1;
            let axis = &base.ty.axes[to];
            match indices[index].0 {
                Some(_) => Some(written.span.text(self.text).to_owned()),
                None => Some(self.converted(written, &self.writable(axis)?)),
            }
        };
        let (to_first, to_second) = (moved(b, a), moved(a, b));
        let whole = indices[a].0.is_none() || indices[b].0.is_none();
        let (x, y) = (self.quote(first), self.quote(second));
        let shape = base.ty.display_shape(symbols);
        let text = self.quote(base.span);
        let message = short(
            format!("{x} and {y} stand in each other's place: {text} is {shape}"),
            format!("two indices stand in each other's place in {shape}"),
        );
        let wanted = &base.ty.axes[at];
        let own = indices[told].1.span;
        let mut finding = Diagnostic::new(Code::E0507, first, message);
        let place = crate::broadcast::place(at, base.ty.rank());
        let role = format!("{place} of {text}");
        finding = self.trace(finding, wanted, &role, base.span);
        let role = format!("what {} is an index of", self.quote(own));
        finding = self.trace(finding, &of, &role, own);
        finding = finding.note(self.torch_picks(&of, wanted));
        if let (Some(to_first), Some(to_second)) = (to_first, to_second) {
            let edits = vec![edit(first, to_first), edit(second, to_second)];
            finding = finding.fix_edits(format!("change {x} and {y} over"), edits);
            if whole {
                finding = finding.meaning("checks its values when it runs");
            }
        }
        self.report(finding);
        true
    }

    /// How many axes the items take; E0505 and E0510 where they are too many.
    fn count_axes(&mut self, base: &Base<'_>, items: &[Item<'_>]) -> Option<usize> {
        let rank = base.ty.rank();
        let mut taken = 0;
        let mut ellipsis = false;
        for item in items {
            if let Item::Ellipsis(span) = item {
                if ellipsis {
                    let message = "an index has at most one `...`";
                    self.error(Code::E0505, *span, message);
                    return None;
                }
                ellipsis = true;
            }
            let left = rank - taken;
            taken += item.takes();
            if taken <= rank {
                continue;
            }
            let shape = base.ty.display_shape(&self.program.symbols);
            let text = self.quote(base.span);
            if let Item::Mask(_, mask, written) = item
                && left > 0
            {
                let mask = mask.display_shape(&self.program.symbols);
                let message = short(
                    format!("the mask is {mask}, but only {left} axes of {shape} are left"),
                    format!("the mask has more axes than are left: {left}"),
                );
                self.error(Code::E0510, written.span, message);
                return None;
            }
            let message = match rank {
                0 => format!("{text} is one number: it has no axis to index"),
                1 => short(
                    format!("{text} has one axis, {shape}: this index is one too many"),
                    format!("{text} has one axis: this index is one too many"),
                ),
                _ => short(
                    format!("{text} has {rank} axes, {shape}: this index is one too many"),
                    format!("{text} has {rank} axes: this index is one too many"),
                ),
            };
            let mut finding = Diagnostic::new(Code::E0505, item.span(), message);
            for (at, axis) in base.ty.axes.iter().enumerate().take(MOST_AXES) {
                let role = format!("{} of {text}", crate::broadcast::place(at, rank));
                finding = self.trace(finding, axis, &role, base.span);
            }
            self.report(finding);
            return None;
        }
        Some(taken)
    }

    /// Types an item.
    fn item<'t>(&mut self, item: &'t ast::IndexItem) -> Item<'t> {
        let written = match item {
            ast::IndexItem::Expr(written) if self.is_none(written) => {
                let message = "Strand writes a new axis of size 1 as `newaxis`";
                let finding = Diagnostic::new(Code::E0301, written.span, message);
                self.report(finding.write(written.span, "newaxis"));
                return Item::NewAxis(written.span);
            }
            ast::IndexItem::Expr(written) => written,
            ast::IndexItem::Slice(range) => return Item::Slice(range),
            ast::IndexItem::Ellipsis(span) => return Item::Ellipsis(*span),
            ast::IndexItem::NewAxis(span) => return Item::NewAxis(*span),
        };
        let (value, offset) = self.index_value(written);
        match &value.ty {
            Type::Host(Host::Int) => Item::Int(value, written),
            Type::Tensor(ty) if ty.dtype == DType::Bool => {
                let ty = ty.clone();
                if ty.rank() == 0 {
                    let message = "a mask has the axes that it masks; this is one bool";
                    self.error(Code::E0510, written.span, message);
                    return Item::Wrong(written.span);
                }
                Item::Mask(value, ty, written)
            }
            Type::Tensor(_) => Item::Tensor(value, offset, written),
            _ => {
                self.refuse_index(&value.ty, written);
                Item::Wrong(written.span)
            }
        }
    }

    /// Python's `None`.
    fn is_none(&self, written: &ast::Expr) -> bool {
        matches!(&written.kind, ast::ExprKind::Name(name)
            if &**name == "None" && self.variable(name).is_none())
    }

    /// The value of an index, and what is added to it: `i + k` and `i - k` of an index that is a
    /// parameter stay indices of its axis (decision 30).
    fn index_value(&mut self, written: &ast::Expr) -> (Expr, i64) {
        if let ast::ExprKind::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            left,
            right,
            ..
        } = &without_parens(written).kind
            && let ast::ExprKind::Int(k) = right.kind
            && self.is_index_parameter(left)
        {
            let offset = if *op == BinaryOp::Add { k } else { -k };
            // What goes wrong while running is the sum's.
            let index = Expr {
                span: written.span,
                ..self.expr(left, None)
            };
            return (index, offset);
        }
        (self.expr(written, None), 0)
    }

    fn is_index_parameter(&self, expr: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &without_parens(expr).kind else {
            return false;
        };
        self.variable(name).is_some_and(|variable| {
            let kind = self
                .body
                .locals
                .get(variable.local.0 as usize)
                .map(|local| local.kind);
            let is_index = variable
                .ty
                .tensor()
                .is_some_and(|ty| matches!(ty.domain, Domain::Index(_)));
            is_index && matches!(kind, Some(LocalKind::Param | LocalKind::Lambda))
        })
    }

    /// What can't be an index at all.
    fn refuse_index(&mut self, ty: &Type, written: &ast::Expr) {
        let what = self.kind_of(ty);
        let text = self.quote(written.span);
        let message = format!("{text} is {what}, which is no index");
        let code = match ty {
            Type::Error => return,
            Type::Host(Host::Float) => Code::E0506,
            Type::Host(Host::Bool) => Code::E0510,
            Type::Py => Code::E3101,
            _ => Code::E0704,
        };
        let mut finding = Diagnostic::new(code, written.span, message);
        if let (Type::Tuple(_), Some(inner)) = (ty, inside_brackets(written.span, self.text)) {
            finding = finding.write(written.span, inner);
        }
        if matches!(ty, Type::Py) {
            finding = finding.note("Give it a shape with `as` first.");
        }
        self.report(finding);
    }

    /// E2403 for a mask that picks another number for each element of a stage.
    fn refuse_element_mask(&mut self, written: &ast::Expr) {
        let message = "how many elements this mask picks depends on the stage's element";
        let finding = Diagnostic::new(Code::E2403, written.span, message)
            .note("Every element of a stage's result has the same shape.")
            .note("`where` keeps the shape; a filter that is reduced at once is possible too.");
        self.report(finding);
    }

    /// Checks an item against the axes it takes, from `at` on, and notes what it leaves of them.
    fn place_item(
        &mut self,
        item: Item<'_>,
        base: &Base<'_>,
        at: usize,
        spread: usize,
        alone: bool,
        shape: &mut PickedShape,
    ) -> Option<IndexItem> {
        match item {
            Item::Wrong(_) => {
                shape.advanced(Vec::new(), Span::default());
                None
            }
            Item::Int(value, written) => {
                shape.advanced(Vec::new(), written.span);
                self.check_int(&value, base, at)?;
                Some(IndexItem::Int(value))
            }
            Item::Tensor(index, offset, written) => {
                let axes = index
                    .ty
                    .tensor()
                    .map(|ty| ty.axes.clone())
                    .unwrap_or_default();
                shape.advanced(axes, written.span);
                let checked = self.check_tensor(&index, offset, written, base, at, alone)?;
                Some(IndexItem::Tensor {
                    index,
                    offset,
                    checked,
                })
            }
            Item::Mask(mask, ty, written) => {
                if self.body.lambdas > 0 && self.uses_element(&mask) {
                    self.refuse_element_mask(written);
                    shape.advanced(Vec::new(), written.span);
                    return None;
                }
                let size = self.mask_size(written);
                let how = How::Words("picked by the mask");
                let axis =
                    Axis::unnamed(size).made_from(&base.ty.axes[at].origin, how, written.span);
                shape.advanced(vec![axis], written.span);
                self.check_mask(&ty, written, base, at)?;
                Some(IndexItem::Mask(mask))
            }
            Item::Slice(range) => {
                let (item, axis) = self.slice(range, base, at)?;
                shape.plain(vec![axis]);
                Some(item)
            }
            Item::Ellipsis(_) => {
                shape.plain(base.ty.axes[at..at + spread].to_vec());
                Some(IndexItem::Ellipsis)
            }
            Item::NewAxis(span) => {
                let one = Axis::unnamed(Size::constant(1));
                shape.plain(vec![one.made(How::Words("the newaxis"), span)]);
                Some(IndexItem::NewAxis)
            }
        }
    }
}

/// The shape of what an index picks, while its items are read.
///
/// Integers, index tensors and masks are advanced: their shapes broadcast to one, which stands
/// where the first of them stood if nothing parts them, and first otherwise (NumPy's rule).
#[derive(Default)]
struct PickedShape {
    axes: Vec<Axis>,
    picked: Vec<(Vec<Axis>, Span)>,
    place: usize,
    parted: bool,
    after: bool,
}

impl PickedShape {
    /// Axes that a slice, an ellipsis or a new axis leaves.
    fn plain(&mut self, axes: Vec<Axis>) {
        self.axes.extend(axes);
        self.after |= !self.picked.is_empty();
    }

    /// An integer, an index tensor's shape, or a mask's one axis.
    fn advanced(&mut self, axes: Vec<Axis>, span: Span) {
        if self.picked.is_empty() {
            self.place = self.axes.len();
        } else {
            self.parted |= self.after;
        }
        self.picked.push((axes, span));
    }

    /// The axes of the whole; `None` where index tensors don't broadcast (E0503).
    fn finish(self, checker: &mut Checker<'_>) -> Option<Vec<Axis>> {
        let mut joined: Vec<Axis> = Vec::new();
        for (axes, span) in &self.picked {
            joined = checker.joined_indices(&joined, axes, *span)?;
        }
        let place = if self.parted { 0 } else { self.place };
        let mut whole = self.axes;
        whole.splice(place..place, joined);
        Some(whole)
    }
}

impl Checker<'_> {
    /// The shape of two index tensors together, aligned from the right.
    fn joined_indices(&mut self, left: &[Axis], right: &[Axis], span: Span) -> Option<Vec<Axis>> {
        match self.line_up(left, right) {
            Ok(axes) => Some(axes),
            Err(clash) => {
                self.refuse_indices(&clash.left, &clash.right, span);
                None
            }
        }
    }

    fn refuse_indices(&mut self, left: &Axis, right: &Axis, span: Span) {
        let message = format!(
            "the indices don't line up: {} before, {} here",
            self.show_axis(left),
            self.show_axis(right)
        );
        let mut finding = Diagnostic::new(Code::E0503, span, message);
        finding = self.trace(finding, left, "an axis of an index before", span);
        finding = self.trace(finding, right, "an axis of this index", span);
        let (first, second) = (std::slice::from_ref(left), std::slice::from_ref(right));
        finding
            .notes
            .extend(self.torch_broadcasts("and", (first, "one"), (second, "the other")));
        self.report(finding);
    }
}

/// The text between the brackets that a piece of the text starts and ends with.
fn inside_brackets(span: Span, text: &str) -> Option<String> {
    let inner = span.text(text).strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.trim().to_owned())
}
