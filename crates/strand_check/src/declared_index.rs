//! Indices of another axis than the one they are for: where `Index[V]` is written, and what
//! writing the other axis there mends.

use strand_ir::Axis;
use strand_source::{Diagnostic, Span};

use crate::context::Checker;

impl Checker<'_> {
    /// Where an `Index[of]` names the axis, if that is where it comes from.
    pub(crate) fn index_declared(&self, of: &Axis) -> Option<Span> {
        let span = of.origin.span()?;
        let before = self.text.get(..span.start as usize)?;
        let after = self.text.get(span.end as usize..)?;
        (before.ends_with("Index[") && after.starts_with(']')).then_some(span)
    }

    /// Adds the fix that declares indices, written at `written`, of the axis that they are for.
    /// Where they are declared in that very place, it stands for a second conversion.
    pub(crate) fn declare_index(
        &self,
        finding: Diagnostic,
        of: &Axis,
        axis: &Axis,
        written: Span,
    ) -> Diagnostic {
        let (Some(place), Some(name)) = (self.index_declared(of), self.writable(axis)) else {
            return finding;
        };
        let bare = name.strip_prefix('(').and_then(|n| n.strip_suffix(')'));
        let name = bare.unwrap_or(&name).to_owned();
        if !self.is_converted_in(of, written) {
            let meaning = format!("in place of Index[{}]", self.show_axis(of));
            let title = format!("Index[{name}] where it is declared");
            return finding.fix(title, place, name).meaning(meaning);
        }
        let before = Span::new(written.start, place.start).text(self.text);
        let after = Span::new(place.end, written.end).text(self.text);
        let title = format!("{before}{name}{after}");
        finding
            .fix(title, place, name)
            .meaning("checks its values when it runs")
    }

    /// Whether what is written converts to `Index[of]` itself.
    pub(crate) fn is_converted_in(&self, of: &Axis, written: Span) -> bool {
        let declared = self.index_declared(of);
        declared.is_some_and(|place| written.contains(place))
    }
}
