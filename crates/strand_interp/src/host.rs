//! What a run needs from the program that embeds it. The interpreter itself does no input or output.

use strand_array::Array;
use strand_ops::View;
use strand_source::Span;

use crate::summary::Summary;
use crate::value::Value;

/// Takes what a run gives, as it comes, and hands in what it asks for.
///
/// Every method but the first two has a default: a host without files, functions or a stop button.
pub trait Host {
    /// A line of `print`, without its line end.
    fn print(&mut self, text: &str);

    /// The value of an expression on its own in the script.
    fn show(&mut self, shown: Shown);

    /// An executed step, where [`crate::Options::trace`] is on.
    fn step(&mut self, step: Step) {
        let _ = step;
    }

    /// Calls a function of a Python module that the host provides; `None` if it doesn't. What it gives is compared
    /// with the declared type.
    fn call(&mut self, module: &str, name: &str, args: &[Value]) -> Option<Result<Value, String>> {
        let _ = (module, name, args);
        None
    }

    /// Whether the run should end (R05). Asked at least every some thousand operations.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// A value that the script shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The 1-based line of the expression.
    pub line: u32,
    /// Where the expression stands.
    pub span: Span,
    /// The expression's source text; a part of a tuple adds its place: `f(x)[0]`.
    pub name: String,
    /// The type as a program writes it: `[n D]`.
    pub ty: String,
    /// The names of a tensor's axes; an axis without a name has its size as the program knows it.
    pub axes: Vec<String>,
    /// The value.
    pub value: Value,
    /// What `show` asks for; `None` for an expression on its own.
    pub picture: Option<Picture>,
}

/// A picture that `show` asks for.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// What is drawn; `None` leaves it to the host.
    pub view: Option<View>,
    /// A label for each point of a scatter.
    pub color: Option<Array>,
    /// How many bins a histogram has, or frames a second.
    pub number: Option<i64>,
}

impl Picture {
    /// The number that is given for a view's own option; `None` where another view is asked for.
    pub fn number_of(&self, view: View) -> Option<i64> {
        self.number.filter(|_| self.view == Some(view))
    }
}

/// A step of the plan that was executed: a group of elementwise operations with the reduction that
/// ends it, or another operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The 1-based line of the last operation of the group.
    pub line: u32,
    /// Where it stands.
    pub span: Span,
    /// Names of the operations, in order.
    pub ops: Vec<&'static str>,
    /// How it ran.
    pub kind: StepKind,
    /// The loop's shape after coalescing, outermost first; of a view the result's shape.
    pub shape: Vec<usize>,
    /// Byte strides of each operand over `shape`, broadcast axes with 0.
    pub strides: Vec<Vec<isize>>,
    /// Bytes allocated for results.
    pub bytes: usize,
    /// The array that the step gave; none for numbers.
    pub made: Option<Made>,
}

/// The array that a step gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// Its shape, chain levels first.
    pub shape: Vec<usize>,
    /// Its byte strides.
    pub strides: Vec<isize>,
    /// Its dtype's name.
    pub dtype: &'static str,
    /// Its values in short, where [`crate::Options::inspect`] is on.
    pub values: Option<Summary>,
}

/// How a step ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// One loop over contiguous memory.
    One,
    /// Loops over an inner axis, strides outside.
    Strided,
    /// Several operations in one pass over memory.
    Fused,
    /// A pass over memory by a loop that was compiled for it.
    Compiled,
    /// Elements fetched or placed by index.
    Gather,
    /// A matrix product.
    Matmul,
    /// A sort, scan, draw or other loop along an axis.
    Axis,
    /// Nothing moved.
    View,
    /// Numbers: no memory at all.
    Scalar,
}

impl StepKind {
    /// The word for it in `--json` and on the page.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Strided => "strided",
            Self::Fused => "fused",
            Self::Compiled => "compiled",
            Self::Gather => "gather",
            Self::Matmul => "matmul",
            Self::Axis => "axis",
            Self::View => "view",
            Self::Scalar => "scalar",
        }
    }
}
