//! The formats of `--json`: positions 1-based, columns in code points.

use serde::Serialize;
use strand_source::{Diagnostic, LineIndex, ShapeDiff, Span};

use crate::Document;
use crate::drawing::meaning;

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in code points.
    pub column: u32,
}

/// A piece of the text; `end` is one past its last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SpanReport {
    /// The first place.
    pub start: Position,
    /// The place after the last.
    pub end: Position,
}

impl SpanReport {
    /// The places of a byte range.
    pub fn new(span: Span, lines: &LineIndex) -> Self {
        let at = |offset| {
            let place = lines.position(offset);
            Position {
                line: place.line,
                column: place.column,
            }
        };
        Self {
            start: at(span.start),
            end: at(span.end),
        }
    }
}

/// A piece of the text with words about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextAt {
    /// The piece.
    pub span: SpanReport,
    /// The words, or what replaces the piece.
    pub text: String,
}

/// A fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixReport {
    /// What it does.
    pub title: String,
    /// What it means, in a few words.
    pub meaning: Option<String>,
    /// The type that the mended expression has.
    #[serde(rename = "type")]
    pub gives: Option<String>,
    /// The replacements.
    pub edits: Vec<TextAt>,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosticReport {
    /// `E0503`
    pub code: &'static str,
    /// `error`, `warning`, `hint`
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// The wrong piece.
    pub span: SpanReport,
    /// What it clashes with.
    pub labels: Vec<TextAt>,
    /// The shapes that clash, lined up.
    pub diff: Option<DiffReport>,
    /// Further sentences.
    pub notes: Vec<String>,
    /// Edits that mend it.
    pub fixes: Vec<FixReport>,
    /// The axis names for every size of which the fixes were checked.
    pub free: Vec<String>,
}

/// A shape of a [`DiffReport`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiffRowReport {
    /// What has the shape.
    pub name: String,
    /// Its axis in each column.
    pub axes: Vec<Option<String>>,
}

/// Two shapes lined up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiffReport {
    /// `from right`, `in order`, `contracted`, `by name`, `masked`
    pub pairing: &'static str,
    /// The shapes.
    pub rows: Vec<DiffRowReport>,
    /// `same`, `differs`, `missing` or `stretches` for each column.
    pub marks: Vec<&'static str>,
    /// What the first clash is.
    pub note: String,
}

impl DiffReport {
    fn new(diff: &ShapeDiff) -> Self {
        Self {
            pairing: diff.pairing.as_str(),
            rows: diff
                .rows
                .iter()
                .map(|row| DiffRowReport {
                    name: row.name.clone(),
                    axes: row.axes.clone(),
                })
                .collect(),
            marks: diff.marks.iter().map(|mark| mark.as_str()).collect(),
            note: diff.note.clone(),
        }
    }
}

impl DiagnosticReport {
    /// A finding with its places.
    pub fn new(diagnostic: &Diagnostic, lines: &LineIndex) -> Self {
        let at = |span, text: &str| TextAt {
            span: SpanReport::new(span, lines),
            text: text.to_owned(),
        };
        Self {
            code: diagnostic.code.as_str(),
            severity: diagnostic.severity().as_str(),
            message: diagnostic.message.clone(),
            span: SpanReport::new(diagnostic.span, lines),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| at(label.span, &label.text))
                .collect(),
            diff: diagnostic.diff.as_deref().map(DiffReport::new),
            notes: diagnostic.notes.clone(),
            free: diagnostic.free.clone(),
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| FixReport {
                    title: fix.title.clone(),
                    meaning: meaning(fix, lines),
                    gives: fix.gives.clone(),
                    edits: fix
                        .edits
                        .iter()
                        .map(|edit| at(edit.span, &edit.text))
                        .collect(),
                })
                .collect(),
        }
    }
}

/// A stage of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageReport {
    /// `map`
    pub name: String,
    /// What it gives.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// The whole pipe.
    pub span: SpanReport,
    /// The stages after the head.
    pub stages: Vec<StageReport>,
    /// `plain`, `vmap`, `masked`
    pub lowering: &'static str,
    /// Why.
    pub reason: String,
}

/// What a function costs at most, as polynomials of its axis names and dims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostReport {
    /// `n * D * C`
    pub multiply_adds: String,
    /// The most bytes that the values it makes take at once.
    pub peak_bytes: String,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// Its signature.
    pub signature: String,
    /// What it costs; `null` with errors, or where there is no bound.
    pub cost: Option<CostReport>,
    /// Its chains, outermost first, in source order.
    pub chains: Vec<ChainReport>,
}

/// A type after a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InlayReport {
    /// The place.
    pub position: Position,
    /// The type.
    pub text: String,
    /// What the stage did to the axes; empty where it kept them.
    pub change: String,
    /// How the chain of a map or filter is lowered.
    pub lowering: Option<&'static str>,
}

/// What `check --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The findings in the text's order.
    pub diagnostics: Vec<DiagnosticReport>,
    /// The functions in source order.
    pub functions: Vec<FunctionReport>,
    /// The script's chains, outermost first, in source order.
    pub chains: Vec<ChainReport>,
    /// The types at pipe lines.
    pub inlays: Vec<InlayReport>,
}

impl CheckReport {
    /// Everything that checking a document gave.
    pub fn new(document: &Document) -> Self {
        let lines = LineIndex::new(document.text());
        let chain = |chain: &strand_ir::ChainInfo| ChainReport {
            span: SpanReport::new(chain.span, &lines),
            stages: chain
                .stages
                .iter()
                .map(|stage| StageReport {
                    name: stage.name.clone(),
                    ty: stage.ty.clone(),
                })
                .collect(),
            lowering: chain.lowering,
            reason: chain.reason.clone(),
        };
        let function = |function: crate::FunctionInfo| FunctionReport {
            name: function.name,
            signature: function.signature,
            cost: function.cost.map(|cost| CostReport {
                multiply_adds: cost.multiply_adds,
                peak_bytes: cost.peak_bytes,
            }),
            chains: function.chains.iter().map(chain).collect(),
        };
        Self {
            diagnostics: document
                .diagnostics()
                .iter()
                .map(|diagnostic| DiagnosticReport::new(diagnostic, &lines))
                .collect(),
            functions: document.functions().into_iter().map(function).collect(),
            chains: document.program().script_chains.iter().map(chain).collect(),
            inlays: document
                .inlays()
                .iter()
                .map(|inlay| InlayReport {
                    position: SpanReport::new(Span::empty(inlay.at), &lines).start,
                    text: inlay.text.clone(),
                    change: inlay.change.clone(),
                    lowering: inlay.lowering,
                })
                .collect(),
        }
    }
}
