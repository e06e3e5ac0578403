//! The session's data in JavaScript's terms.

use strand_session::{
    Document, Drawing, LineIndex, RunError, RunOptions, Span, checked, draw, meaning, speak,
};

use crate::types::{
    ChainInfo, CheckResult, Cost, CostFormula, Diagnostic, DiffRow, Edit, Fix, FunctionInfo, Inlay,
    Label, ParameterInfo, Range, Severity, ShapeDiff, SizeInfo, SizeKind, SpanPair, StageInfo,
    TorchText,
};

/// UTF-16 offsets of a text's bytes, and back, each in the time of a binary search.
pub(crate) struct Places<'a> {
    lines: LineIndex<'a>,
    /// Where each character outside ASCII starts: its byte and its UTF-16 offset.
    wide: Vec<(u32, u32)>,
    bytes: u32,
    units: u32,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut wide = Vec::new();
        let mut units = 0;
        for (byte, character) in text.char_indices() {
            if !character.is_ascii() {
                wide.push((byte as u32, units));
            }
            units += character.len_utf16() as u32;
        }
        Self {
            lines: LineIndex::new(text),
            wide,
            bytes: text.len() as u32,
            units,
        }
    }

    /// The UTF-16 offset of a byte offset.
    pub(crate) fn unit(&self, byte: u32) -> u32 {
        let byte = byte.min(self.bytes);
        let before = self.wide.partition_point(|(start, _)| *start < byte);
        let Some((start, unit)) = before.checked_sub(1).and_then(|at| self.wide.get(at)) else {
            return byte;
        };
        let character = self.character(*start);
        let end = start + character.len_utf8() as u32;
        unit + character.len_utf16() as u32 + byte.saturating_sub(end)
    }

    /// The byte offset of a UTF-16 offset.
    pub(crate) fn byte(&self, unit: u32) -> u32 {
        let unit = unit.min(self.units);
        let before = self.wide.partition_point(|(_, start)| *start < unit);
        let Some((byte, start)) = before.checked_sub(1).and_then(|at| self.wide.get(at)) else {
            return unit;
        };
        let character = self.character(*byte);
        let end = start + character.len_utf16() as u32;
        if unit < end {
            return *byte;
        }
        byte + character.len_utf8() as u32 + (unit - end)
    }

    fn character(&self, byte: u32) -> char {
        let rest = self.lines.text().get(byte as usize..).unwrap_or("");
        rest.chars().next().unwrap_or(' ')
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range {
            from: self.unit(span.start),
            to: self.unit(span.end),
        }
    }

    fn diagnostic(&self, diagnostic: &strand_session::Diagnostic) -> Diagnostic {
        let place = self.lines.position(diagnostic.span.start);
        let drawing = Drawing::new(diagnostic, &self.lines);
        Diagnostic {
            code: diagnostic.code.to_string(),
            severity: severity(diagnostic),
            message: diagnostic.message.clone(),
            range: self.range(diagnostic.span),
            line: place.line,
            column: place.column,
            labels: diagnostic
                .labels
                .iter()
                .map(|label| Label {
                    range: self.range(label.span),
                    text: label.text.clone(),
                })
                .collect(),
            diff: diagnostic.diff.as_deref().map(shape_diff),
            notes: diagnostic.notes.clone(),
            checked: checked(diagnostic),
            source: drawing.source,
            speech: speak(diagnostic, &self.lines),
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| Fix {
                    title: fix.title.clone(),
                    meaning: meaning(fix, &self.lines),
                    r#type: fix.gives.clone(),
                    edits: fix
                        .edits
                        .iter()
                        .map(|edit| Edit {
                            range: self.range(edit.span),
                            text: edit.text.clone(),
                        })
                        .collect(),
                })
                .collect(),
            rendered: drawing.rendered,
        }
    }

    fn function(&self, function: strand_session::FunctionInfo) -> FunctionInfo {
        FunctionInfo {
            range: self.range(function.span),
            line: self.lines.line(function.span.start),
            parameters: function
                .params
                .into_iter()
                .map(|(name, r#type)| ParameterInfo { name, r#type })
                .collect(),
            chains: self.chains(&function.chains),
            name: function.name,
            signature: function.signature,
            result: function.result,
            cost: function.cost.map(|cost| CostFormula {
                multiply_adds: cost.multiply_adds,
                peak_bytes: cost.peak_bytes,
            }),
            has_error: function.has_error,
        }
    }

    fn chains(&self, chains: &[strand_session::ChainInfo]) -> Vec<ChainInfo> {
        let stage = |stage: &strand_session::StageInfo| StageInfo {
            name: stage.name.clone(),
            r#type: stage.ty.clone(),
        };
        let chain = |chain: &strand_session::ChainInfo| ChainInfo {
            range: self.range(chain.span),
            stages: chain.stages.iter().map(stage).collect(),
            lowering: chain.lowering.to_owned(),
            reason: chain.reason.clone(),
        };
        chains.iter().map(chain).collect()
    }

    pub(crate) fn run_error(
        &self,
        error: &RunError,
        document: &Document,
    ) -> crate::types::RunError {
        crate::types::RunError {
            code: error.code.to_string(),
            message: error.message.clone(),
            range: self.range(error.span),
            line: self.lines.line(error.span.start),
            rendered: draw(&error.to_diagnostic(), document.text()),
        }
    }
}

fn severity(diagnostic: &strand_session::Diagnostic) -> Severity {
    match diagnostic.severity() {
        strand_session::Severity::Error => Severity::Error,
        strand_session::Severity::Warning => Severity::Warning,
        strand_session::Severity::Hint => Severity::Hint,
    }
}

pub(crate) fn size_info(size: &strand_session::SizeInfo) -> SizeInfo {
    SizeInfo {
        name: size.name.clone(),
        kind: if size.is_dim {
            SizeKind::Dim
        } else {
            SizeKind::Axis
        },
        value: size.value as f64,
        changeable: size.changeable,
    }
}

pub(crate) fn cost(cost: strand_session::Cost) -> Cost {
    Cost {
        multiply_adds: cost.multiply_adds,
        bytes: cost.bytes,
    }
}

pub(crate) fn check_result(document: &Document) -> CheckResult {
    let places = Places::new(document.text());
    let inlay = |inlay: &strand_session::Inlay| Inlay {
        position: places.unit(inlay.at),
        text: inlay.shown(),
    };
    let cost = document.cost(&RunOptions::default());
    CheckResult {
        diagnostics: document
            .diagnostics()
            .iter()
            .map(|d| places.diagnostic(d))
            .collect(),
        functions: document
            .functions()
            .into_iter()
            .map(|f| places.function(f))
            .collect(),
        chains: places.chains(&document.program().script_chains),
        inlays: document.inlays().iter().map(inlay).collect(),
        sizes: document.sizes().iter().map(size_info).collect(),
        cost: cost.map(self::cost),
    }
}

pub(crate) fn torch_text(document: &Document) -> TorchText {
    let Some(torch) = document.torch() else {
        return TorchText {
            text: String::new(),
            spans: Vec::new(),
        };
    };
    let source = Places::new(document.text());
    let target = Places::new(&torch.text);
    let pair = |(from, to): &(Span, Span)| SpanPair {
        source: source.range(*from),
        target: target.range(*to),
    };
    let spans = torch.spans.iter().map(pair).collect();
    TorchText {
        spans,
        text: torch.text.clone(),
    }
}

fn shape_diff(diff: &strand_session::ShapeDiff) -> ShapeDiff {
    let row = |row: &strand_session::DiffRow| DiffRow {
        name: row.name.clone(),
        axes: row.axes.clone(),
    };
    ShapeDiff {
        title: diff.pairing.title().to_owned(),
        rows: diff.rows.iter().map(row).collect(),
        marks: diff
            .marks
            .iter()
            .map(|mark| mark.as_str().to_owned())
            .collect(),
        note: diff.note.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_both_kinds_turn_into_each_other() {
        let text = "aé😀b\n𝔸c";
        let places = Places::new(text);
        let mut units = 0;
        for (byte, character) in text.char_indices() {
            assert_eq!(places.unit(byte as u32), units);
            assert_eq!(places.byte(units), byte as u32);
            units += character.len_utf16() as u32;
        }
        assert_eq!(places.unit(text.len() as u32), units);
        assert_eq!(places.byte(units + 9), text.len() as u32);
        // Inside a character of two units: its start.
        assert_eq!(places.byte(3), 3);
    }
}
