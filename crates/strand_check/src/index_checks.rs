//! What an index's items must be for the axes they stand at: ints, index tensors, masks.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, LocalId, Size, SymbolKind, TensorType, Type};
use strand_source::{Code, Diagnostic, Fix, Label, Span};
use strand_syntax::ast;

use crate::clash::Row;
use crate::context::Checker;
use crate::heads::without_parens;
use crate::index::Base;
use crate::mends::Mend;
use crate::operators::{edit, short};
use crate::suggest::grouped;

impl Checker<'_> {
    /// E0508 for a host int that is certainly outside. Negative ones count from the end.
    pub(crate) fn check_int(
        &mut self,
        value: &Expr,
        base: &Base<'_>,
        at: usize,
    ) -> Option<Certainty> {
        let Some(index) = self.program.size_of(value) else {
            return Some(Certainty::Unknown);
        };
        let axis = &base.ty.axes[at];
        let symbols = &self.program.symbols;
        let known = |size: &Size| size.ground(symbols).as_constant();
        let (past, before) = match (known(&index), known(&axis.size)) {
            (Some(index), Some(size)) => (Some(index >= size), index < size.saturating_neg()),
            _ => {
                let past = index.sub(&axis.size).ok().and_then(|past| known(&past));
                let before = index.add(&axis.size).ok().and_then(|sum| known(&sum));
                (
                    past.map(|past| past >= 0),
                    before.is_some_and(|before| before < 0),
                )
            }
        };
        let index = known(&index);
        let outside = past == Some(true) || before;
        if outside {
            let size = axis.size.display(symbols);
            let known = axis.size.ground(symbols).as_constant();
            let size = match known {
                Some(known) if known.to_string() != size => format!("{size}, {known}"),
                _ => size,
            };
            let text = self.quote(value.span);
            let place = self.axis_place(base, at);
            let message = short(
                format!("{text} is outside {place}, whose size is {size}"),
                format!("{text} is outside an axis of size {size}"),
            );
            let mut finding = Diagnostic::new(Code::E0508, value.span, message);
            finding = self.trace(finding, axis, &self.axis_label(base, at), base.span);
            if let Some(known) = known.filter(|known| *known > 0) {
                finding = finding.note(format!(
                    "Its indices are 0 up to {}, or -1 down to -{known} from the end.",
                    known - 1
                ));
                if index == Some(known) {
                    finding = finding.write(value.span, "-1").meaning("the last one");
                }
            }
            self.report(finding);
            return None;
        }
        let inside = index.is_some_and(|index| index >= 0) && past.is_some();
        Some(if inside {
            Certainty::Inside
        } else {
            Certainty::Unknown
        })
    }

    /// Whether the values of an index tensor are known to lie in the axis at `at`; `None` where it
    /// can't index it (E0506, E0507, E0508).
    pub(crate) fn check_tensor(
        &mut self,
        index: &Expr,
        offset: i64,
        written: &ast::Expr,
        base: &Base<'_>,
        at: usize,
        alone: bool,
    ) -> Option<bool> {
        if let ExprKind::Literal { elements, .. } = &index.kind
            && elements
                .iter()
                .all(|element| element.ty == Type::Host(Host::Int))
        {
            let mut inside = true;
            for element in elements {
                inside &= self.check_int(element, base, at)? == Certainty::Inside;
            }
            return Some(inside);
        }
        let axis = &base.ty.axes[at];
        let ty = index.ty.tensor()?;
        match &ty.domain {
            Domain::Index(of) if of.agrees(axis, &self.program.symbols) => Some(offset == 0),
            Domain::Index(of) => {
                let of = of.clone();
                self.refuse_other_axis((&of, ty.axes.as_slice()), written, base, at, alone);
                // One index takes its axis away whichever it is, so that what else is wrong is found
                // too; several may have been meant for another one, with another shape.
                (ty.rank() == 0 && base.ty.rank() == 1).then_some(false)
            }
            _ => {
                self.refuse_not_index(&ty.clone(), written, base, at);
                None
            }
        }
    }

    /// E0507
    fn refuse_other_axis(
        &mut self,
        (of, own): (&Axis, &[Axis]),
        written: &ast::Expr,
        base: &Base<'_>,
        at: usize,
        alone: bool,
    ) {
        let axis = &base.ty.axes[at];
        let (of_text, axis_text) = (self.show_axis(of), self.show_axis(axis));
        let text = self.quote(written.span);
        let (place, label) = (self.axis_place(base, at), self.axis_label(base, at));
        let message = short(
            format!("{text} is an index of {of_text}; {place} is {axis_text}"),
            format!("{text} is an index of {of_text}, not of {axis_text}"),
        );
        if let Some(place) = of.origin.span()
            && self.same_cause(written, &of_text, place, axis)
        {
            return;
        }
        let mut finding = Diagnostic::new(Code::E0507, written.span, message);
        finding = self.trace(finding, axis, &label, base.span);
        finding = self.trace(
            finding,
            of,
            &format!("what {text} is an index of"),
            written.span,
        );
        finding = finding.note(self.torch_picks(of, axis));
        finding = self.declare_index(finding, of, axis, written.span);
        let symbols = &self.program.symbols;
        let fitting: Vec<usize> = (0..base.ty.rank())
            .filter(|at| of.agrees(&base.ty.axes[*at], symbols))
            .collect();
        if let ([fit], true) = (fitting.as_slice(), alone) {
            let index = format!("{}{}", ".., ".repeat(*fit), written.span.text(self.text));
            finding = finding
                .fix(format!("[{index}]"), written.span, index)
                .meaning(format!("indexes {of_text}"));
            let mut axes = base.ty.axes.clone();
            let moved = axes.remove(*fit);
            axes.insert(at, moved);
            if let Some(shape) = self.distinct_shape(axes) {
                let turned = format!("({} to {shape})", grouped(base.span.text(self.text)));
                finding = finding.write(base.span, turned).meaning("turned round");
            }
            // An index per row: the rows are numbered beside it.
            if let ([each], [rows, _]) = (own, base.ty.axes.as_slice())
                && *fit == 1
                && rows.name.is_some()
                && rows.agrees(each, &self.program.symbols)
            {
                let index = format!("arange({axis_text}), {}", written.span.text(self.text));
                finding = finding
                    .fix(format!("[{index}]"), written.span, index)
                    .meaning(format!("one of each {axis_text}"));
            }
        }
        if let Some(name) = self.writable(axis)
            && !self.is_converted_in(of, written.span)
        {
            let converted = self.converted(written, &name);
            finding = finding
                .write(written.span, converted)
                .meaning("checks its values when it runs");
        }
        self.report(finding);
    }

    /// Whether an index of an axis that comes from the same place was refused for the same axis
    /// before: that finding then says so of this one too, and its fixes mend both.
    fn same_cause(&mut self, written: &ast::Expr, of: &str, place: Span, axis: &Axis) -> bool {
        let name = self.writable(axis);
        let edit = name.map(|name| edit(written.span, self.converted(written, &name)));
        let (axis, from) = (self.show_axis(axis), axis.origin.span());
        if self.silent > 0 {
            return false;
        }
        let labelled = |found: &Diagnostic, text: &str, place: Option<Span>| {
            let mut labels = found.labels.iter();
            labels.any(|label| Some(label.span) == place && label.text.starts_with(text))
        };
        let (of, axis) = (format!("{of}: what "), format!("{axis}: "));
        let found = self.diagnostics.iter_mut().rev().find(|found| {
            found.code == Code::E0507
                && labelled(found, &of, Some(place))
                && labelled(found, &axis, from)
        });
        let Some(found) = found else {
            return false;
        };
        if found.span != written.span {
            found.labels.push(Label {
                span: written.span,
                text: "this one too".to_owned(),
            });
            // A fix of the declaration mends both as it is.
            let declares = |fix: &Fix| fix.edits.iter().any(|edit| edit.span == place);
            let converts = |fix: &Fix| fix.title.contains(" to Index[");
            found.fixes.retain(|fix| declares(fix) || converts(fix));
            let mut fixes = found.fixes.iter_mut().filter(|fix| !declares(fix));
            if let (Some(fix), Some(edit)) = (fixes.next(), edit) {
                fix.title = format!("{}, {}", fix.title, edit.text);
                fix.edits.push(edit);
            }
        }
        true
    }

    /// E0506
    fn refuse_not_index(
        &mut self,
        ty: &TensorType,
        written: &ast::Expr,
        base: &Base<'_>,
        at: usize,
    ) {
        let axis = &base.ty.axes[at];
        let text = self.quote(written.span);
        let shown = match ty.dtype.is_float() {
            true => format!("{} {}", self.show_shape(ty), ty.dtype),
            false => self.show_tensor(ty),
        };
        let place = self.axis_label(base, at);
        let name = self.show_axis(axis);
        let message = short(
            format!("{text} is {shown}, not an Index of {name}"),
            format!("{text} isn't an Index of {name}"),
        );
        let mut finding = Diagnostic::new(Code::E0506, written.span, message);
        finding = self.trace(finding, axis, &place, base.span);
        finding.notes.extend(self.torch_indexes(ty.dtype, axis));
        if ty.dtype.is_float() {
            finding = finding.note("An index is a whole number; `to i64` makes one of a float.");
            if let Some(name) = self.writable(axis) {
                let mended = self.converted(written, &name);
                let mended = mended.replacen(" to Index", " to i64 to Index", 1);
                finding = finding.write(written.span, mended);
            }
        } else if let Some(name) = self.writable(axis) {
            finding = finding
                .write(written.span, self.converted(written, &name))
                .meaning("checks its values when it runs");
        }
        self.report(finding);
    }

    /// `written to Index[name]`
    pub(crate) fn converted(&self, written: &ast::Expr, name: &str) -> String {
        let source = written.span.text(self.text);
        let name = name
            .strip_prefix('(')
            .and_then(|name| name.strip_suffix(')'))
            .unwrap_or(name);
        if needs_brackets(written) {
            format!("({source}) to Index[{name}]")
        } else {
            format!("{source} to Index[{name}]")
        }
    }

    /// An axis as a type can write it; `None` where a birth is part of it.
    pub(crate) fn writable(&self, axis: &Axis) -> Option<String> {
        let named = match axis.name {
            Some(name) => self.program.symbols.get(name).kind != SymbolKind::Birth,
            None => self.is_known(axis),
        };
        named.then(|| self.show_axis(axis))
    }

    /// E0510 for a mask whose axes aren't those it stands at.
    pub(crate) fn check_mask(
        &mut self,
        mask: &TensorType,
        written: &ast::Expr,
        base: &Base<'_>,
        at: usize,
    ) -> Option<()> {
        let symbols = &self.program.symbols;
        let clash = (0..mask.rank()).find(|place| {
            let axis = &base.ty.axes[at + place];
            !mask.axes[*place].agrees(axis, symbols)
        });
        let Some(clash) = clash else { return Some(()) };
        let (own, axis) = (&mask.axes[clash], &base.ty.axes[at + clash]);
        let (has, wants) = (self.show_axis(own), self.show_axis(axis));
        let place = self.axis_place(base, at + clash);
        let message = short(
            format!("the mask has {has} where {place} is {wants}"),
            format!("the mask has {has} in place of {wants}"),
        );
        let mut finding = Diagnostic::new(Code::E0510, written.span, message);
        let role = self.axis_label(base, at + clash);
        finding = self.trace(finding, axis, &role, base.span);
        finding = self.trace(finding, own, "the mask's axis", written.span);
        let masked = &base.ty.axes[at..at + mask.rank()];
        finding = finding.diff(self.masked(
            Row {
                name: self.quote(base.span),
                axes: &base.ty.axes[at..],
            },
            Row {
                name: self.quote(written.span),
                axes: &mask.axes,
            },
        ));
        finding.notes.extend(self.torch_masks(&mask.axes, masked));
        for fix in self.mask_fixes(mask, written, base, at) {
            finding = finding.write(fix.span, fix.text).meaning(fix.title);
        }
        self.report(finding);
        None
    }

    /// The axes that a mask may have been meant for.
    fn mask_fixes(
        &self,
        mask: &TensorType,
        written: &ast::Expr,
        base: &Base<'_>,
        at: usize,
    ) -> Vec<Mend> {
        let symbols = &self.program.symbols;
        let text = written.span.text(self.text);
        let fits = |axes: &[Axis], from: usize| {
            let there = base.ty.axes.get(from..from + axes.len());
            there.is_some_and(|there| axes.iter().zip(there).all(|(a, b)| a.agrees(b, symbols)))
        };
        let mut found = Vec::new();
        if let (0, Some(place)) = (at, (1..base.ty.rank()).find(|from| fits(&mask.axes, *from))) {
            let index = format!("{}{text}", ".., ".repeat(place));
            found.push(Mend {
                title: format!("masks {}", self.show_axis(&mask.axes[0])),
                span: written.span,
                text: index,
            });
        }
        let mut turned = mask.axes.clone();
        turned.reverse();
        if turned.len() == 2 && fits(&turned, at) {
            let shape = self.show_shape(&TensorType::new(turned, mask.dtype));
            let text = format!("{} to {shape}", grouped(text));
            found.push(Mend {
                title: "turned round".to_owned(),
                span: written.span,
                text,
            });
        }
        found
    }

    /// How many elements a mask picks: the same number wherever the same value stands
    /// (decision 21).
    pub(crate) fn mask_size(&mut self, written: &ast::Expr) -> Size {
        let key = match &without_parens(written).kind {
            ast::ExprKind::Name(name) => self.mask_key(name),
            _ => None,
        };
        if let Some(size) = key.and_then(|key| self.body.masks.get(&key)) {
            return size.clone();
        }
        let size = self.birth(written.span, "picked by the mask");
        if let Some(key) = key {
            self.body.masks.insert(key, size.clone());
        }
        size
    }

    /// What tells a variable's value from others it has elsewhere: the one place where it was
    /// bound.
    fn mask_key(&self, name: &ast::Name) -> Option<(LocalId, Span)> {
        let variable = self.variable(name)?;
        match variable.bound_at.as_slice() {
            [place] if !self.changes_in_loop(name, *place) => Some((variable.local, *place)),
            _ => None,
        }
    }

    /// Whether a loop around here may bind a name again that was bound before it.
    fn changes_in_loop(&self, name: &ast::Name, bound_at: Span) -> bool {
        let loops = self.body.loop_names.iter();
        loops
            .filter(|around| around.names.contains(name))
            .any(|around| !around.span.contains(bound_at))
    }

    /// An axis by its place in a sentence: "the first axis of x".
    pub(crate) fn axis_place(&self, base: &Base<'_>, at: usize) -> String {
        let text = self.quote(base.span);
        format!(
            "the {} of {text}",
            strand_ir::axis_place(at, base.ty.rank())
        )
    }

    /// An axis by its place in a label: "first axis of x", "the only axis of w".
    fn axis_label(&self, base: &Base<'_>, at: usize) -> String {
        let text = self.quote(base.span);
        format!("{} of {text}", crate::broadcast::place(at, base.ty.rank()))
    }
}

/// What is known of a host int's place in an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It lies in it, counted from the start.
    Inside,
    /// Only running the program tells.
    Unknown,
}

/// Whether `e to T` would convert only a part of an expression.
fn needs_brackets(expr: &ast::Expr) -> bool {
    matches!(
        expr.kind,
        ast::ExprKind::Binary { .. }
            | ast::ExprKind::Unary { .. }
            | ast::ExprKind::If { .. }
            | ast::ExprKind::Pipe { .. }
    )
}
