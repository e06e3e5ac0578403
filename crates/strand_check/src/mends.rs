//! Edits that may mend a value of another shape: the same operation over other axes, along another
//! axis, the other way round. Which of them do is proven afterwards.

use strand_ir::{Axis, Expr, ExprKind, IndexItem, Over, TensorType};
use strand_ops::{Class, OpId};
use strand_source::Span;

use crate::broadcast::Clash;
use crate::context::Checker;
use crate::operators::BinarySite;
use crate::suggest::grouped;

/// How deep parts of a value are looked at.
const DEEPEST: usize = 6;

/// An edit: what is written where.
pub(crate) struct Mend {
    pub(crate) title: String,
    pub(crate) span: Span,
    pub(crate) text: String,
}

impl Mend {
    pub(crate) fn write(span: Span, text: String) -> Self {
        let title = text.clone();
        Self { title, span, text }
    }
}

impl Checker<'_> {
    /// What may give `value` the shape `wanted`, likeliest first.
    pub(crate) fn mends(&self, value: &Expr, wanted: &TensorType) -> Vec<Mend> {
        let mut found = Vec::new();
        self.look_for_mends(value, wanted, 0, &mut found);
        found
    }

    fn look_for_mends(
        &self,
        value: &Expr,
        wanted: &TensorType,
        deep: usize,
        found: &mut Vec<Mend>,
    ) {
        let Some(given) = value.ty.tensor() else {
            return;
        };
        match &value.kind {
            ExprKind::Op { op, args, over, .. } => match op.op().class {
                Class::Reduce { .. } | Class::ArgReduce => {
                    self.over_others(value, *op, args, over, wanted, found);
                }
                Class::Join => self.joined_otherwise(value, args, wanted, found),
                Class::MatMul => self.turned_product(value, args, wanted, found),
                Class::Elementwise { .. } if deep < DEEPEST => {
                    let mut shaped = args.iter().filter(|arg| {
                        let ty = arg.ty.tensor();
                        ty.is_some_and(|ty| ty.rank() > 0)
                    });
                    if let (Some(only), None) = (shaped.next(), shaped.next()) {
                        self.look_for_mends(only, wanted, deep + 1, found);
                    }
                }
                _ => {}
            },
            ExprKind::Index { base, items } => {
                self.indexed_otherwise(value, base, items, wanted, found)
            }
            _ => {}
        }
        if deep > 0 {
            return;
        }
        if let Some(shape) = self.same_axes(given, wanted) {
            let source = match &value.kind {
                ExprKind::Rearrange { value: inner, .. } if self.is_conversion(value, inner) => {
                    inner
                }
                _ => value,
            };
            let text = format!("{} to {shape}", grouped(source.span.text(self.text)));
            found.push(Mend::write(value.span, text));
        } else if let ExprKind::Rearrange { value: inner, .. } = &value.kind
            && self.is_conversion(value, inner)
        {
            let shape = wanted.display_shape(&self.program.symbols);
            let text = format!("{} to {shape}", grouped(inner.span.text(self.text)));
            found.push(Mend::write(value.span, text));
        }
        let is_total = matches!(&value.kind, ExprKind::Op { op, .. } if matches!(op.op().class, Class::Reduce { .. } | Class::ArgReduce));
        if given.rank() == 1 && wanted.rank() == 0 && given.dtype == wanted.dtype && !is_total {
            let text = value.span.text(self.text);
            if given.dtype.is_float() {
                found.push(Mend::write(value.span, format!("mean({text})")));
            }
            found.push(Mend::write(value.span, format!("sum({text})")));
        }
    }

    /// What two operands that don't line up may have been meant for: one of them turned, a product,
    /// every pair. The titles are what they mean.
    pub(crate) fn other_pairings(
        &self,
        site: BinarySite,
        (left, x): (&TensorType, Span),
        (right, w): (&TensorType, Span),
        clash: &Clash,
    ) -> Vec<Mend> {
        let mut found = Vec::new();
        let symbols = &self.program.symbols;
        let (x, w) = (x.text(self.text), w.text(self.text));
        let op = site.op.as_str();
        let mut offer = |title: String, text: String| {
            let span = site.span;
            found.push(Mend { title, span, text });
        };
        if let Some(shape) = self.same_axes(right, left) {
            let text = format!("{x} {op} ({} to {shape})", grouped(w));
            offer("with its axes in that order".to_owned(), text);
        }
        if let ("*", Some(last), [met, _]) = (op, left.axes.last(), right.axes.as_slice())
            && last.agrees(met, symbols)
        {
            let text = format!("{} @ {}", grouped(x), grouped(w));
            offer("the matrix product".to_owned(), text);
        }
        // Rows of the one with rows of the other, whatever follows in them: where the result has
        // both. A mean over every pair is the very mistake.
        let result = self.body.result.as_ref().and_then(|ty| ty.tensor());
        let wanted = |axis: &Axis| {
            let mut axes = result.map_or(&[][..], |ty| &ty.axes).iter();
            axes.any(|own| own.name.is_some() && own.name == axis.name)
        };
        let rank = left.rank();
        let at = rank.checked_sub(clash.from_right + 1);
        if let Some(at) = at.filter(|_| rank == right.rank()) {
            let agree =
                |(from, (a, b)): (usize, (&Axis, &Axis))| from == at || a.agrees(b, symbols);
            let mut pairs = left.axes.iter().zip(&right.axes).enumerate();
            let (a, b) = (&left.axes[at], &right.axes[at]);
            if wanted(a) && wanted(b) && pairs.all(agree) {
                let mut parts: Vec<String> =
                    left.axes.iter().map(|axis| self.show_axis(axis)).collect();
                parts.insert(at + 1, "1".to_owned());
                let text = format!("({} to [{}]) {op} {w}", grouped(x), parts.join(" "));
                let (a, b) = (self.show_axis(a), self.show_axis(b));
                offer(format!("each {a} with each {b}"), text);
            }
        }
        found
    }

    /// Whether a rearrangement is written `inner to [...]`.
    fn is_conversion(&self, value: &Expr, inner: &Expr) -> bool {
        let whole = value.span.text(self.text);
        let text = inner.span.text(self.text);
        !text.is_empty()
            && whole
                .strip_prefix(text)
                .is_some_and(|rest| rest.trim_start().starts_with("to "))
    }

    /// The shape `wanted` where it has just the axes of `given` in another order.
    fn same_axes(&self, given: &TensorType, wanted: &TensorType) -> Option<String> {
        let symbols = &self.program.symbols;
        let mut left: Vec<&Axis> = given.axes.iter().collect();
        for axis in &wanted.axes {
            let at = left
                .iter()
                .position(|own| own.agrees(axis, symbols) && own.size == axis.size)?;
            left.remove(at);
        }
        (left.is_empty() && given.rank() > 1).then(|| wanted.display_shape(symbols))
    }

    /// A reduction over just the axes that `wanted` lacks.
    fn over_others(
        &self,
        value: &Expr,
        op: OpId,
        args: &[Expr],
        over: &Over,
        wanted: &TensorType,
        found: &mut Vec<Mend>,
    ) {
        let [arg] = args else { return };
        let Some(ty) = arg.ty.tensor() else { return };
        let symbols = &self.program.symbols;
        let mut kept = wanted.axes.iter().peekable();
        let mut gone = Vec::new();
        for (at, axis) in ty.axes.iter().enumerate() {
            if kept
                .next_if(|wanted| axis.agrees(wanted, symbols))
                .is_none()
            {
                gone.push(at);
            }
        }
        let same = matches!(over, Over::Axes(axes) if *axes == gone);
        let is_call = value.span.text(self.text).starts_with(op.name());
        let one = op.op().class != (Class::Reduce { several: true });
        if kept.next().is_some() || gone.is_empty() || same || !is_call || (one && gone.len() > 1) {
            return;
        }
        let names: Vec<String> = gone.iter().map(|at| self.over_text(ty, *at)).collect();
        let over = match names.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let text = format!("{}({}, over={over})", op.name(), arg.span.text(self.text));
        found.push(Mend::write(value.span, text));
    }

    /// The tensors of a concat stacked, those of a stack joined along an axis.
    fn joined_otherwise(
        &self,
        value: &Expr,
        args: &[Expr],
        wanted: &TensorType,
        found: &mut Vec<Mend>,
    ) {
        let Some(head) = args.first().and_then(|arg| arg.ty.tensor()) else {
            return;
        };
        let parts: Vec<&str> = args.iter().map(|arg| arg.span.text(self.text)).collect();
        let parts = parts.join(", ");
        let written = value.span.text(self.text);
        if !written.starts_with("concat") && !written.starts_with("stack") {
            return;
        }
        if wanted.rank() == head.rank() + 1 && written.starts_with("concat") {
            found.push(Mend::write(value.span, format!("stack({parts})")));
        }
        if wanted.rank() == head.rank() {
            for at in (0..head.rank()).rev() {
                let over = self.over_text(head, at);
                let text = format!("concat({parts}, over={over})");
                if text != written {
                    found.push(Mend::write(value.span, text));
                }
            }
        }
    }

    /// `transpose(x) @ x` for `x @ transpose(x)`.
    fn turned_product(
        &self,
        value: &Expr,
        args: &[Expr],
        wanted: &TensorType,
        found: &mut Vec<Mend>,
    ) {
        let [left, right] = args else { return };
        let (Some(a), Some(b)) = (left.ty.tensor(), right.ty.tensor()) else {
            return;
        };
        if wanted.rank() == 0 {
            // Two vectors made a column and a row.
            let vector = |side: &'_ Expr| match &side.kind {
                ExprKind::Rearrange { value, .. }
                    if value.ty.tensor().is_some_and(|ty| ty.rank() == 1) =>
                {
                    Some(value.span.text(self.text).to_owned())
                }
                _ => None,
            };
            if let (Some(a), Some(b)) = (vector(left), vector(right)) {
                found.push(Mend::write(value.span, format!("{a} @ {b}")));
            }
            return;
        }
        let symbols = &self.program.symbols;
        let ([.., a0, a1], [.., b0, b1], [.., w0, w1]) =
            (a.axes.as_slice(), b.axes.as_slice(), wanted.axes.as_slice())
        else {
            return;
        };
        let fits = a1.agrees(w0, symbols) && b0.agrees(w1, symbols) && a0.agrees(b1, symbols);
        if !fits {
            return;
        }
        let turned = |side: &Expr| {
            let text = side.span.text(self.text);
            let inner = text
                .strip_prefix("transpose(")
                .and_then(|rest| rest.strip_suffix(')'));
            match inner.filter(|inner| !inner.contains(['(', ')'])) {
                Some(inner) => inner.to_owned(),
                None => format!("transpose({text})"),
            }
        };
        let text = format!("{} @ {}", turned(left), turned(right));
        found.push(Mend::write(value.span, text));
    }

    /// The same index at another axis; row numbers beside a label per row.
    fn indexed_otherwise(
        &self,
        value: &Expr,
        base: &Expr,
        items: &[IndexItem],
        wanted: &TensorType,
        found: &mut Vec<Mend>,
    ) {
        let Some(ty) = base.ty.tensor() else { return };
        let symbols = &self.program.symbols;
        let whole = |item: &IndexItem| {
            matches!(
                item,
                IndexItem::Slice {
                    start: None,
                    end: None,
                    step: None
                } | IndexItem::Ellipsis
            )
        };
        let text = base.span.text(self.text);
        let mut picking = items.iter().filter(|item| !whole(item));
        let (Some(item), None) = (picking.next(), picking.next()) else {
            return;
        };
        match item {
            IndexItem::Int(index) => {
                for at in 0..ty.rank() {
                    let mut axes = ty.axes.clone();
                    axes.remove(at);
                    let same = axes.len() == wanted.rank()
                        && axes
                            .iter()
                            .zip(&wanted.axes)
                            .all(|(a, b)| a.agrees(b, symbols));
                    if same {
                        let before = "..".to_owned() + ", ";
                        let index = format!("{}{}", before.repeat(at), index.span.text(self.text));
                        found.push(Mend::write(value.span, format!("{text}[{index}]")));
                    }
                }
            }
            IndexItem::Tensor {
                index, offset: 0, ..
            } if ty.rank() == 2 && items.len() == 2 => {
                let rows = &ty.axes[0];
                let each = index
                    .ty
                    .tensor()
                    .is_some_and(|index| index.rank() == 1 && index.axes[0].agrees(rows, symbols));
                if each && rows.name.is_some() && wanted.rank() == 1 {
                    let rows = self.show_axis(rows);
                    let label = index.span.text(self.text);
                    let text = format!("{text}[arange({rows}), {label}]");
                    found.push(Mend::write(value.span, text));
                }
            }
            _ => {}
        }
    }
}
