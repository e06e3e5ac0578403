//! The plain data that crosses to JavaScript. Places are UTF-16 offsets into the text.

use tsify::Tsify;
use wasm_bindgen::JsValue;

use crate::plain::{Plain, object, plain};

plain! {
    /// A piece of the text; `to` is one past its last unit.
    pub struct Range {
        /// The first unit.
        pub from: u32,
        /// One past the last unit.
        pub to: u32,
    }

    /// A piece of the text with words about it.
    pub struct Label {
        /// The piece.
        pub range: Range,
        /// The words.
        pub text: String,
    }

    /// A replacement of a piece of the text.
    pub struct Edit {
        /// What is replaced.
        pub range: Range,
        /// What stands there afterwards.
        pub text: String,
    }

    /// An edit that mends a finding.
    pub struct Fix {
        /// What it writes, or does.
        pub title: String,
        /// What it means, in a few words.
        pub meaning: Option<String>,
        /// The type that the mended expression has.
        pub r#type: Option<String>,
        /// The replacements.
        pub edits: Vec<Edit>,
    }

    /// A shape of a [`ShapeDiff`].
    pub struct DiffRow {
        /// What has the shape.
        pub name: String,
        /// Its axis in each column.
        pub axes: Vec<Option<String>>,
    }

    /// Two shapes lined up.
    pub struct ShapeDiff {
        /// How the columns pair up, as a sentence before the table.
        pub title: String,
        /// The shapes.
        pub rows: Vec<DiffRow>,
        /// What each column says.
        #[tsify(type = "(\"same\" | \"differs\" | \"missing\" | \"stretches\")[]")]
        pub marks: Vec<String>,
        /// What the first clash is; may be empty.
        pub note: String,
    }

    /// A finding about the text.
    pub struct Diagnostic {
        /// `E0503`
        pub code: String,
        /// How grave it is.
        pub severity: Severity,
        /// One sentence.
        pub message: String,
        /// The wrong piece.
        pub range: Range,
        /// The 1-based line of the piece's start.
        pub line: u32,
        /// Its 1-based column in code points.
        pub column: u32,
        /// What it clashes with.
        pub labels: Vec<Label>,
        /// The shapes that clash, lined up.
        pub diff: Option<ShapeDiff>,
        /// Further sentences.
        pub notes: Vec<String>,
        /// Edits that mend it.
        pub fixes: Vec<Fix>,
        /// What was proven of the fixes.
        pub checked: Option<String>,
        /// The drawing as plain text.
        pub rendered: String,
        /// The drawing's first part: the message, and the source lines with their marks.
        pub source: String,
        /// The finding as it is read aloud.
        pub speech: String,
    }

    /// A stage of a chain.
    pub struct StageInfo {
        /// `map`
        pub name: String,
        /// What it gives.
        pub r#type: String,
    }

    /// A chain.
    pub struct ChainInfo {
        /// The whole pipe.
        pub range: Range,
        /// The stages after the head.
        pub stages: Vec<StageInfo>,
        /// How it is written and run.
        #[tsify(type = "\"plain\" | \"vmap\" | \"masked\"")]
        pub lowering: String,
        /// Why.
        pub reason: String,
    }

    /// A parameter.
    pub struct ParameterInfo {
        /// Its name.
        pub name: String,
        /// Its type.
        pub r#type: String,
    }

    /// What a function costs at most, as polynomials of its axis names and dims.
    pub struct CostFormula {
        /// `n * D * C`
        pub multiply_adds: String,
        /// The most bytes that the values it makes take at once.
        pub peak_bytes: String,
    }

    /// A function.
    pub struct FunctionInfo {
        /// Its name.
        pub name: String,
        /// Its signature.
        pub signature: String,
        /// The whole declaration.
        pub range: Range,
        /// The 1-based line it starts on.
        pub line: u32,
        /// Its parameters.
        pub parameters: Vec<ParameterInfo>,
        /// What it gives.
        pub result: String,
        /// What it costs; `null` with errors, or where there is no bound.
        pub cost: Option<CostFormula>,
        /// Its chains, outermost first, in source order.
        pub chains: Vec<ChainInfo>,
        /// Whether it can't be run.
        pub has_error: bool,
    }

    /// A type after a place.
    pub struct Inlay {
        /// The place.
        pub position: u32,
        /// The type.
        pub text: String,
    }

    /// A size that may be looked at and changed.
    pub struct SizeInfo {
        /// Its name.
        pub name: String,
        /// What sort it is.
        pub kind: SizeKind,
        /// Its value; of an axis name the one that sample arguments have.
        pub value: f64,
        /// Whether it can be changed.
        pub changeable: bool,
    }

    /// A bound of what a run costs.
    pub struct Cost {
        /// Multiply-adds, or what takes as long.
        pub multiply_adds: f64,
        /// Bytes of all values that may live at once.
        pub bytes: f64,
    }

    /// What checking gives.
    pub struct CheckResult {
        /// The findings in the text's order.
        pub diagnostics: Vec<Diagnostic>,
        /// The functions in source order.
        pub functions: Vec<FunctionInfo>,
        /// The script's chains, outermost first, in source order.
        pub chains: Vec<ChainInfo>,
        /// The types at pipe lines.
        pub inlays: Vec<Inlay>,
        /// The dims and axis names.
        pub sizes: Vec<SizeInfo>,
        /// What Run would cost: with errors, of the functions that it still runs. `null` where there is no bound.
        pub cost: Option<Cost>,
    }

    /// What is known of a piece of the text.
    pub struct Hover {
        /// The piece.
        pub range: Range,
        /// Its type.
        pub r#type: String,
        /// Further lines.
        pub detail: Vec<String>,
    }

    /// A piece of the text and the piece of the PyTorch text that says it.
    pub struct SpanPair {
        /// In the program.
        pub source: Range,
        /// In the PyTorch text.
        pub target: Range,
    }

    /// The PyTorch text.
    pub struct TorchText {
        /// The text; empty while the program has errors.
        pub text: String,
        /// Partners.
        pub spans: Vec<SpanPair>,
    }

    /// A tensor's values in short. Numbers that a tensor lacks are `null`.
    pub struct Summary {
        /// The least finite value.
        pub min: Option<f64>,
        /// The greatest finite value.
        pub max: Option<f64>,
        /// The mean of the finite values.
        pub mean: Option<f64>,
        /// How many NaNs.
        pub nan: f64,
        /// How many infinities.
        pub infinite: f64,
        /// How many elements.
        pub count: f64,
    }

    /// A value of a run.
    pub struct ValueInfo {
        /// What `view` and `npy` call it.
        pub id: u32,
        /// The 1-based line.
        pub line: u32,
        /// The expression's text, or the parameter's name.
        pub name: String,
        /// Its type.
        pub r#type: String,
        /// The axes' names.
        pub axes: Vec<Option<String>>,
        /// The sizes.
        pub shape: Vec<f64>,
        /// `f32`; of a host value its type.
        pub dtype: String,
        /// A host value as text.
        pub host: Option<String>,
        /// A tensor's values in short.
        pub summary: Option<Summary>,
        /// The picture that `show` asks for.
        #[tsify(
            type = "\"table\" | \"heat\" | \"image\" | \"frames\" | \"scatter\" | \"line\" | \"bars\" | \"hist\" | null"
        )]
        pub view: Option<String>,
        /// How many frames a second it asks for.
        pub fps: Option<f64>,
    }

    /// Why a run ended before its end.
    pub struct RunError {
        /// `R03`
        pub code: String,
        /// One sentence.
        pub message: String,
        /// What failed.
        pub range: Range,
        /// Its 1-based line.
        pub line: u32,
        /// The drawing as plain text.
        pub rendered: String,
    }

    /// A function with sample arguments.
    pub struct Call {
        /// Its name.
        pub function: String,
        /// The 1-based line it starts on.
        pub line: u32,
        /// The arguments.
        pub arguments: Vec<ValueInfo>,
        /// What it gave.
        pub result: Option<ValueInfo>,
        /// Why it gave nothing.
        pub error: Option<RunError>,
        /// Why it wasn't called.
        pub skipped: Option<String>,
    }

    /// How a run ended.
    pub struct RunResult {
        /// Why the script ended before its end.
        pub error: Option<RunError>,
        /// The dims and axis names with the values that were used.
        pub sizes: Vec<SizeInfo>,
        /// How many steps are recorded.
        pub steps: f64,
        /// Whether more may have run than are recorded.
        pub steps_cut: bool,
        /// How many values of the script were too many to keep.
        pub left_out: f64,
        /// The most bytes that the values took at once.
        pub peak_bytes: f64,
    }

    /// A tensor on its way to or from a function of the page: elements in C order, f16 and bf16 as f32.
    pub struct CarriedTensor {
        /// Its dtype.
        pub dtype: String,
        /// Its sizes.
        pub shape: Vec<f64>,
        /// The elements.
        #[tsify(type = "Uint8Array")]
        pub bytes: js_sys::Uint8Array,
    }

    /// What a page draws of a value: never more than 64 KB.
    pub struct Drawn {
        /// The sizes of what stands in `levels` or `numbers`.
        pub shape: Vec<f64>,
        /// Every how many-th row and column stands there.
        pub step: f64,
        /// The number at the dark or left end.
        pub low: f64,
        /// The number at the bright or right end.
        pub high: f64,
        /// Row by row, 1 at `low` to 255 at `high`, 0 for NaN: of heat, image and frames.
        #[tsify(type = "Uint8Array")]
        pub levels: js_sys::Uint8Array,
        /// Row by row: the numbers, or how many lie in each bin.
        #[tsify(type = "Float64Array")]
        pub numbers: js_sys::Float64Array,
        /// A label for each point.
        #[tsify(type = "Float64Array")]
        pub labels: js_sys::Float64Array,
    }

    /// A step that was executed.
    pub struct StepInfo {
        /// Where its last operation stands.
        pub range: Range,
        /// The 1-based line.
        pub line: u32,
        /// The function that was called for it; `null` in the script.
        pub function: Option<String>,
        /// Names of the operations, in order.
        pub ops: Vec<String>,
        /// `one`, `strided`, `fused`, `gather`, `matmul`, `axis`, `view`, `scalar`
        pub kind: String,
        /// The loop's shape after coalescing, outermost first.
        pub shape: Vec<f64>,
        /// Byte strides of each operand over that shape.
        pub strides: Vec<Vec<f64>>,
        /// Bytes allocated for results.
        pub bytes: f64,
        /// What it gave; `null` for numbers.
        pub made: Option<MadeInfo>,
    }

    /// The array that a step gave.
    pub struct MadeInfo {
        /// Its shape.
        pub shape: Vec<f64>,
        /// Its byte strides.
        pub strides: Vec<f64>,
        /// Its dtype.
        pub dtype: String,
        /// Its values in short, where the run was asked to look at them.
        pub values: Option<Summary>,
    }

    /// Some of the steps of the last run.
    pub struct Steps {
        /// How many are recorded.
        pub total: f64,
        /// Whether more may have run.
        pub cut: bool,
        /// The bytes that all of them allocated.
        pub bytes: f64,
        /// How many of all moved no element.
        pub views: f64,
        /// The number of the first whose values have a NaN.
        pub first_nan: Option<f64>,
        /// Those that were asked for.
        pub steps: Vec<StepInfo>,
    }

    /// Where a tensor's elements lie.
    pub struct MemoryInfo {
        /// Bytes of the block.
        pub bytes: f64,
        /// Bytes of an element.
        pub item: f64,
        /// Byte offset of the first element.
        pub offset: f64,
        /// Sizes of the axes.
        pub shape: Vec<f64>,
        /// Byte strides of the axes.
        pub strides: Vec<f64>,
        /// Elements follow each other in C order.
        pub c_contiguous: bool,
        /// Elements follow each other in Fortran order.
        pub f_contiguous: bool,
        /// The value is a view of elements that another array was made with.
        pub is_view: bool,
        /// Other values that lie in the same block.
        pub shared_with: Vec<u32>,
        /// The block's items in order; none of a block with too many.
        #[tsify(type = "Float64Array")]
        pub items: js_sys::Float64Array,
    }

    /// A window of a value: the last two axes as rows and columns.
    pub struct Slice {
        /// The names of the window's axes.
        pub axes: Vec<Option<String>>,
        /// The window's sizes.
        pub shape: Vec<f64>,
        /// Integers as text, row by row, where one is too large for `data`.
        pub exact: Option<Vec<String>>,
        /// Row by row; bools as 0 and 1.
        #[tsify(type = "Float64Array")]
        pub data: js_sys::Float64Array,
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program can't run.
    Error,
    /// It runs, but probably not as meant.
    Warning,
    /// It could be said better.
    Hint,
}

/// What sort of size it is.
#[derive(Clone, Copy, Debug, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum SizeKind {
    /// `dim D = 8`
    Dim,
    /// An axis name.
    Axis,
}

/// What a run gives as it comes.
#[derive(Clone, Debug, Tsify)]
#[tsify(missing_as_null)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum RunEvent {
    /// The script shows a value.
    Value {
        /// It.
        value: ValueInfo,
    },
    /// A function with sample arguments was called.
    Call {
        /// It.
        call: Call,
    },
    /// `print`
    Print {
        /// What it prints.
        text: String,
    },
}

impl Plain for Severity {
    fn plain(&self) -> JsValue {
        JsValue::from_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        })
    }
}

impl Plain for SizeKind {
    fn plain(&self) -> JsValue {
        JsValue::from_str(match self {
            Self::Dim => "dim",
            Self::Axis => "axis",
        })
    }
}

impl Plain for RunEvent {
    fn plain(&self) -> JsValue {
        match self {
            Self::Value { value } => object(&["kind", "value"], &[&"value", value]),
            Self::Call { call } => object(&["kind", "call"], &[&"call", call]),
            Self::Print { text } => object(&["kind", "text"], &[&"print", text]),
        }
    }
}
