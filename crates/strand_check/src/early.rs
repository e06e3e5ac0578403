//! Functions that are typed at a call of them, before their turn.

use strand_ir::{FnId, Type};
use strand_source::{Code, Diagnostic, Span};

use crate::Inlay;
use crate::context::Checker;

/// What was found in functions that were typed at a call of them, before their turn.
#[derive(Default)]
pub(crate) struct Early {
    diagnostics: Vec<Diagnostic>,
    inlays: Vec<Inlay>,
    hovers: Vec<(Span, Type)>,
}

impl Checker<'_> {
    /// Types a function before its turn if a call needs it; E0706 where it is being typed.
    pub(crate) fn typed_before(&mut self, id: FnId, span: Span) -> bool {
        let state = &self.functions[id.0 as usize];
        if state.open {
            let known = self
                .diagnostics
                .iter()
                .any(|found| found.code == Code::E0706);
            let known = known || self.early.diagnostics.iter().any(|d| d.code == Code::E0706);
            if !known {
                let name = &self.program.function(id).name;
                let message = format!("{name} would call itself through this");
                let finding = self.repeats(message, id, span);
                self.early.diagnostics.push(finding);
            }
            return false;
        }
        if state.begun {
            return true;
        }
        let silent = std::mem::take(&mut self.silent);
        let (diagnostics, inlays, hovers) =
            (self.diagnostics.len(), self.inlays.len(), self.hovers.len());
        self.function(id);
        self.early
            .diagnostics
            .extend(self.diagnostics.split_off(diagnostics));
        self.early.inlays.extend(self.inlays.split_off(inlays));
        self.early.hovers.extend(self.hovers.split_off(hovers));
        self.silent = silent;
        true
    }

    /// Adds what was found in functions that were typed before their turn.
    pub(crate) fn take_early(&mut self) {
        let early = std::mem::take(&mut self.early);
        self.diagnostics.extend(early.diagnostics);
        self.inlays.extend(early.inlays);
        self.hovers.extend(early.hovers);
    }
}
