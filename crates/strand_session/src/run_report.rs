//! The format of `run --json`.

use serde::Serialize;
use serde_json::{Number, Value as Json};
use strand_array::{Array, DType};
use strand_interp::{Picture, RunError, Step, StepKind, Value};
use strand_ops::View;
use strand_source::LineIndex;

use crate::memory::{Layout, layout};
use crate::report::SpanReport;
use crate::run::{CallOutcome, SampleCall, ShownValue};

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueReport {
    /// The 1-based line.
    pub line: u32,
    /// The expression's text.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The axes' names; `null` for one without.
    pub axes: Vec<Option<String>>,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The dtype; of a host value its type.
    pub dtype: &'static str,
    /// Nested lists, by axis.
    pub data: Json,
    /// Where a tensor's elements lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryReport>,
    /// The picture that `show` asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<ViewReport>,
}

/// Where the elements of a tensor lie in its block, and `numpy.ndarray.flags` of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryReport {
    /// Bytes of the block.
    pub bytes: usize,
    /// Byte offset of the first element.
    pub offset: usize,
    /// Byte strides.
    pub strides: Vec<isize>,
    /// Elements follow each other in C order.
    pub c_contiguous: bool,
    /// Elements follow each other in Fortran order.
    pub f_contiguous: bool,
    /// Whether it is a view of what another array was made with.
    pub view: bool,
}

/// A picture that `show` asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewReport {
    /// `heat`
    pub name: &'static str,
    /// A label for each point of a scatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Json>,
    /// How many bins a histogram has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bins: Option<i64>,
    /// Frames a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<i64>,
}

/// An error while running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// `R03`
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// What failed.
    pub span: SpanReport,
}

/// A function that was called with sample arguments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallReport {
    /// Its name.
    pub function: String,
    /// The 1-based line it starts on.
    pub line: u32,
    /// The arguments.
    pub arguments: Vec<ValueReport>,
    /// What it gave.
    pub result: Option<ValueReport>,
    /// Why it gave nothing.
    pub error: Option<ErrorReport>,
    /// Why it wasn't called.
    pub skipped: Option<String>,
}

/// An executed step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// The 1-based line.
    pub line: u32,
    /// The operations, in order.
    pub ops: Vec<&'static str>,
    /// `one`, `strided`, `fused`, `gather`, `matmul`, `axis`, `view`, `scalar`
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// The loop's shape after coalescing.
    pub shape: Vec<usize>,
    /// Byte strides of each operand over that shape.
    pub strides: Vec<Vec<isize>>,
    /// Bytes allocated for results.
    pub bytes: usize,
    /// Whether the result shares its operand's memory.
    pub view: bool,
    /// The array that the step gave.
    pub made: Option<MadeReport>,
}

/// The array that a step gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MadeReport {
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its byte strides.
    pub strides: Vec<isize>,
    /// Its dtype.
    pub dtype: &'static str,
}

/// What `run --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunReport {
    /// The values that the script shows, or a called function's result.
    pub values: Vec<ValueReport>,
    /// What `print` wrote, a line each.
    pub output: Vec<String>,
    /// Functions with sample arguments, where the program has no script.
    pub calls: Vec<CallReport>,
    /// Why the run ended before its end.
    pub error: Option<ErrorReport>,
    /// One record per executed step.
    pub trace: Vec<StepReport>,
}

impl RunReport {
    /// Takes the values of a shown value: a tuple gives one for each part.
    pub fn add_value(&mut self, shown: &ShownValue) {
        self.values.push(ValueReport::new(shown));
    }

    /// Takes why the run ended.
    pub fn set_error(&mut self, error: &RunError, lines: &LineIndex) {
        self.error = Some(ErrorReport::new(error, lines));
    }

    /// Takes the executed steps.
    pub fn add_steps(&mut self, steps: &[Step]) {
        self.trace.extend(steps.iter().map(StepReport::new));
    }

    /// Takes a call with sample arguments.
    pub fn add_call(&mut self, call: &SampleCall, lines: &LineIndex) {
        let mut report = CallReport {
            function: call.name.clone(),
            line: call.line,
            arguments: call.arguments.iter().map(ValueReport::new).collect(),
            result: None,
            error: None,
            skipped: None,
        };
        match &call.outcome {
            CallOutcome::Result(shown) => report.result = Some(ValueReport::new(shown)),
            CallOutcome::Error(error) => report.error = Some(ErrorReport::new(error, lines)),
            CallOutcome::Skipped(why) => report.skipped = Some(why.clone()),
        }
        self.calls.push(report);
    }
}

impl ErrorReport {
    fn new(error: &RunError, lines: &LineIndex) -> Self {
        Self {
            code: error.code.as_str(),
            message: error.message.clone(),
            span: SpanReport::new(error.span, lines),
        }
    }
}

impl StepReport {
    fn new(step: &Step) -> Self {
        Self {
            line: step.line,
            ops: step.ops.clone(),
            kind: step.kind.as_str(),
            shape: step.shape.clone(),
            strides: step.strides.clone(),
            bytes: step.bytes,
            view: step.kind == StepKind::View,
            made: step.made.as_ref().map(|made| MadeReport {
                shape: made.shape.clone(),
                strides: made.strides.clone(),
                dtype: made.dtype,
            }),
        }
    }
}

impl ViewReport {
    /// `None` where the view is left to the host.
    fn new(picture: &Picture) -> Option<Self> {
        let view = picture.view?;
        let color = picture.color.as_ref();
        Some(Self {
            name: view.name(),
            color: color.map(|labels| data(&Value::Tensor(labels.clone()))),
            bins: picture.number_of(View::Hist),
            fps: picture.number_of(View::Frames),
        })
    }
}

impl From<Layout> for MemoryReport {
    fn from(found: Layout) -> Self {
        Self {
            bytes: found.bytes,
            offset: found.offset,
            strides: found.strides,
            c_contiguous: found.c_contiguous,
            f_contiguous: found.f_contiguous,
            view: found.is_view,
        }
    }
}

impl ValueReport {
    /// A value with its data as nested lists.
    pub fn new(shown: &ShownValue) -> Self {
        Self {
            line: shown.line,
            name: shown.name.clone(),
            ty: shown.ty.clone(),
            axes: shown.axes.clone(),
            shape: shape(&shown.value),
            dtype: value_dtype(&shown.value),
            data: data(&shown.value),
            memory: layout(&shown.value).map(MemoryReport::from),
            view: shown.picture.as_ref().and_then(ViewReport::new),
        }
    }
}

fn shape(value: &Value) -> Vec<usize> {
    match value {
        Value::Tensor(array) => array.shape().to_vec(),
        _ => Vec::new(),
    }
}

/// A tensor's dtype, or the type of a host value.
pub fn value_dtype(value: &Value) -> &'static str {
    match value {
        Value::Tensor(array) => array.dtype().name(),
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Bool(_) => "bool",
        Value::Str(_) => "str",
        Value::Tuple(_) => "tuple",
        Value::Model(..) => "model",
        _ => "none",
    }
}

/// A value as JSON: tensors as nested lists by axis, NaN and infinities as the strings "NaN",
/// "Infinity" and "-Infinity". An f32 is written in as few digits as tell it from its neighbours.
pub fn data(value: &Value) -> Json {
    match value {
        Value::Tensor(array) => nested(array),
        Value::Int(v) => Json::from(*v),
        Value::Float(v) => float(*v),
        Value::Bool(v) => Json::from(*v),
        Value::Str(text) => Json::from(text.as_str()),
        Value::Tuple(parts) => Json::Array(parts.iter().map(data).collect()),
        Value::Model(_, fields) => {
            let fields = fields.iter();
            Json::Object(
                fields
                    .map(|(name, value)| (name.clone(), data(value)))
                    .collect(),
            )
        }
        _ => Json::Null,
    }
}

fn nested(array: &Array) -> Json {
    let elements: Vec<Json> = match array.dtype() {
        DType::Bool => array.to_vec_bool().into_iter().map(Json::from).collect(),
        dtype if dtype.is_integer() => array.to_vec_i64().into_iter().map(Json::from).collect(),
        DType::F32 => array
            .to_vec_f64()
            .into_iter()
            .map(|v| short_float(v as f32))
            .collect(),
        _ => array.to_vec_f64().into_iter().map(float).collect(),
    };
    let mut level = elements;
    // From the innermost axis outwards, each list of an axis becomes an element of the next.
    for (at, size) in array.shape().iter().enumerate().rev() {
        let lists: usize = array.shape()[..at].iter().product();
        let mut elements = level.into_iter();
        level = (0..lists)
            .map(|_| Json::Array(elements.by_ref().take(*size).collect()))
            .collect();
    }
    level.into_iter().next().unwrap_or(Json::Null)
}

fn float(value: f64) -> Json {
    match Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => Json::from("NaN"),
        None if value > 0.0 => Json::from("Infinity"),
        None => Json::from("-Infinity"),
    }
}

fn short_float(value: f32) -> Json {
    let short = value.to_string().parse().unwrap_or(f64::from(value));
    float(if value.is_finite() {
        short
    } else {
        f64::from(value)
    })
}
