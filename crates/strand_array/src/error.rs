//! Errors, as values.

use std::fmt;

use crate::DType;

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, ArrayError>;

/// Why an operation could not be done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ArrayError {
    /// The memory limit or the machine's memory doesn't allow `bytes` more.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// The context's limit.
        limit: u64,
    },
    /// A size, stride or total is beyond what the engine addresses.
    TooLarge {
        /// What was too large.
        what: &'static str,
    },
    /// More than 64 axes.
    RankTooHigh {
        /// The rank asked for.
        rank: usize,
    },
    /// A layout that would reach outside its block.
    OutOfBlock,
    /// The number of elements doesn't fit the shape.
    CountMismatch {
        /// Elements given.
        found: usize,
        /// The shape asked for.
        shape: Vec<usize>,
    },
    /// Two shapes that don't broadcast.
    Broadcast {
        /// The one shape.
        left: Vec<usize>,
        /// The other shape.
        right: Vec<usize>,
    },
    /// Shapes that an operation can't take together.
    ShapeMismatch {
        /// The operation.
        op: &'static str,
        /// The one shape.
        left: Vec<usize>,
        /// The other shape.
        right: Vec<usize>,
    },
    /// An axis number that isn't below the rank.
    NoSuchAxis {
        /// The axis given.
        axis: usize,
        /// The array's rank.
        rank: usize,
    },
    /// A signed axis number outside the array's axes.
    AxisOutOfRange {
        /// The axis given.
        axis: i64,
        /// The array's rank.
        rank: usize,
    },
    /// Another number of core axes than an operand has.
    CoreAxes {
        /// The operation.
        op: &'static str,
        /// The operand, the output last.
        operand: usize,
        /// Axes given.
        found: usize,
        /// Core axes of the operand.
        expected: usize,
    },
    /// An argument that the operation doesn't take, or of another kind.
    BadCall {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        why: String,
    },
    /// An axis given twice.
    RepeatedAxis {
        /// The axis.
        axis: usize,
    },
    /// An axis that should have size 1.
    NotSizeOne {
        /// The axis.
        axis: usize,
        /// Its size.
        size: usize,
    },
    /// An index outside its axis.
    IndexOutOfRange {
        /// The index given.
        index: i64,
        /// The axis' size.
        size: usize,
        /// The axis of the indexed array.
        axis: usize,
    },
    /// More index items than axes.
    TooManyIndices {
        /// Axes that the index takes up.
        found: usize,
        /// The array's rank.
        rank: usize,
    },
    /// A boolean index whose shape differs from the axes it stands for.
    MaskShape {
        /// The mask's shape.
        mask: Vec<usize>,
        /// The sizes of the axes.
        axes: Vec<usize>,
    },
    /// A boolean index array whose size differs from an axis it stands for.
    MaskSize {
        /// The axis of the indexed array.
        axis: usize,
        /// Its size.
        size: usize,
        /// The mask's size along it.
        mask: usize,
    },
    /// Index arrays that don't broadcast together.
    IndexShapes {
        /// The one shape.
        left: Vec<usize>,
        /// The other shape.
        right: Vec<usize>,
    },
    /// Values for the places where a mask is true, of another number.
    MaskValues {
        /// Values given.
        found: usize,
        /// Places where the mask is true.
        places: usize,
    },
    /// Values for the places where a mask is true, with more than one axis.
    MaskValueRank {
        /// The rank of the values.
        rank: usize,
    },
    /// An axis without elements, where one was to be taken or put.
    EmptyAxis {
        /// The axis.
        axis: usize,
    },
    /// A slice with step 0.
    ZeroStep,
    /// An index list that has no meaning.
    BadIndex {
        /// What is wrong.
        why: &'static str,
    },
    /// An operation that the dtype doesn't have.
    Unsupported {
        /// The operation.
        op: &'static str,
        /// The dtype.
        dtype: DType,
    },
    /// An array of another dtype was needed.
    DTypeMismatch {
        /// What was needed.
        expected: DType,
        /// What was given.
        found: DType,
    },
    /// A type that can't be made.
    BadDescr {
        /// What is wrong.
        why: String,
    },
    /// A type of NumPy's that the engine doesn't have.
    UnsupportedDType {
        /// Its name.
        name: String,
    },
    /// A name that no field has.
    NoSuchField {
        /// The name.
        name: String,
    },
    /// A host value that can't be an element.
    BadValue {
        /// NumPy's exception class for it.
        class: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A write-back copy that was dropped with what was written into it.
    UnresolvedWriteback,
    /// What a function of the host reports.
    Host {
        /// Its message.
        why: String,
    },
    /// A module or function that isn't put together rightly.
    BadModule {
        /// What is wrong.
        why: String,
    },
    /// A module without a function of that name.
    NoSuchFunction {
        /// The module.
        module: String,
        /// The name.
        name: String,
    },
    /// Arguments that a function doesn't take: too many, unknown, missing or repeated ones.
    BadArguments {
        /// The function.
        function: String,
        /// What is wrong.
        why: String,
    },
    /// An argument that can't be converted to what its parameter takes.
    Argument {
        /// The function.
        function: String,
        /// The parameter.
        parameter: String,
        /// What is wrong with it.
        error: Box<ArrayError>,
    },
    /// An error of an extension function.
    Function {
        /// The function.
        function: String,
        /// What it says.
        error: Box<ArrayError>,
    },
    /// Two types that have none in common.
    NoPromotion {
        /// The one type.
        left: String,
        /// The other type.
        right: String,
    },
    /// A conversion that the casting rule doesn't allow.
    CannotCast {
        /// The type of the elements.
        from: String,
        /// The type asked for.
        to: String,
        /// The rule.
        casting: crate::Casting,
    },
    /// Two types without any conversion.
    NoCast {
        /// The type of the elements.
        from: String,
        /// The type asked for.
        to: String,
    },
    /// An integer division or remainder by zero.
    ZeroDivision {
        /// The operation.
        op: &'static str,
    },
    /// An integer raised to a negative power.
    NegativePower,
    /// A reduction without identity over no elements.
    EmptyReduction {
        /// The reduction.
        op: &'static str,
    },
    /// An argument outside its range.
    BadArgument {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        why: String,
    },
    /// An expression that refers to a node or input that isn't there.
    BadExpr {
        /// What is wrong.
        why: &'static str,
    },
    /// A write to an array whose elements are locked.
    ReadOnly,
    /// More operands than work together.
    TooManyOperands {
        /// Operands given.
        found: usize,
    },
    /// Whether two arrays share memory takes more work than was allowed.
    TooHard,
    /// A ufunc without a loop for the types of its operands.
    NoLoop {
        /// The ufunc.
        ufunc: String,
        /// The types, or what else was asked for.
        types: String,
    },
    /// An operand of a ufunc that its casting rule doesn't let into the loop, or out of it.
    UfuncCast {
        /// The ufunc.
        ufunc: String,
        /// Which operand: `input 0`, `output 1`.
        operand: String,
        /// Its type.
        from: String,
        /// The type asked for.
        to: String,
        /// The rule.
        casting: crate::Casting,
    },
    /// A numeric finding whose mode is to raise.
    FloatingPoint {
        /// What was found.
        finding: &'static str,
        /// The operation.
        op: String,
    },
    /// A host integer outside the range of the type that it is to be computed in.
    OutOfType {
        /// The number.
        value: String,
        /// The type.
        dtype: DType,
    },
    /// An output that the operands don't fit.
    OutputShape {
        /// The output's shape.
        found: Vec<usize>,
        /// The operands' common shape.
        shape: Vec<usize>,
    },
    /// A `.npz` archive that can't be read or written.
    Npz {
        /// What is wrong.
        why: String,
    },
    /// A `.npy` file that can't be read.
    Npy {
        /// What is wrong.
        why: String,
    },
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfMemory { bytes, limit } => {
                write!(
                    f,
                    "out of memory: {bytes} bytes more than the limit of {limit} bytes allows"
                )
            }
            Self::TooLarge { what } => write!(f, "{what} is too large"),
            Self::RankTooHigh { rank } => write!(f, "{rank} axes, but at most 64 are possible"),
            Self::OutOfBlock => f.write_str("the layout reaches outside its block"),
            Self::CountMismatch { found, shape } => {
                write!(f, "{found} elements don't fill the shape {shape:?}")
            }
            Self::Broadcast { left, right } => {
                write!(f, "shapes {left:?} and {right:?} don't broadcast")
            }
            Self::ShapeMismatch { op, left, right } => {
                write!(f, "{op} can't take shapes {left:?} and {right:?} together")
            }
            Self::NoSuchAxis { axis, rank } => {
                write!(f, "no axis {axis} in an array of rank {rank}")
            }
            Self::AxisOutOfRange { axis, rank } => {
                write!(f, "no axis {axis} in an array of rank {rank}")
            }
            Self::CoreAxes {
                op,
                operand,
                found,
                expected,
            } => write!(
                f,
                "{op}: operand {operand} has {expected} core axes, but {found} are given"
            ),
            Self::BadCall { op, why } => write!(f, "{op}: {why}"),
            Self::RepeatedAxis { axis } => write!(f, "axis {axis} is given twice"),
            Self::NotSizeOne { axis, size } => write!(f, "axis {axis} has size {size}, not 1"),
            Self::IndexOutOfRange { index, size, axis } => {
                write!(
                    f,
                    "index {index} is out of range for axis {axis} of size {size}"
                )
            }
            Self::TooManyIndices { found, rank } => {
                write!(f, "{found} indices for an array of rank {rank}")
            }
            Self::MaskShape { mask, axes } => {
                write!(
                    f,
                    "a mask of shape {mask:?} can't select from axes of sizes {axes:?}"
                )
            }
            Self::MaskSize { axis, size, mask } => {
                write!(
                    f,
                    "axis {axis} has size {size}, but the mask's size there is {mask}"
                )
            }
            Self::IndexShapes { left, right } => {
                write!(
                    f,
                    "index arrays of shapes {left:?} and {right:?} don't broadcast"
                )
            }
            Self::MaskValues { found, places } => {
                write!(
                    f,
                    "{found} values for {places} places where the mask is true"
                )
            }
            Self::MaskValueRank { rank } => {
                write!(f, "values for a mask have at most one axis, not {rank}")
            }
            Self::EmptyAxis { axis } => write!(f, "axis {axis} has no elements to choose from"),
            Self::ZeroStep => f.write_str("a slice's step can't be 0"),
            Self::BadIndex { why } | Self::BadExpr { why } => f.write_str(why),
            Self::Unsupported { op, dtype } => write!(f, "{op} isn't defined for {dtype}"),
            Self::DTypeMismatch { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Self::BadDescr { why }
            | Self::BadValue { why, .. }
            | Self::Host { why }
            | Self::BadModule { why } => f.write_str(why),
            Self::NoSuchFunction { module, name } => write!(f, "{module} has no function {name}"),
            Self::BadArguments { function, why } => write!(f, "{function}: {why}"),
            Self::Argument {
                function,
                parameter,
                error,
            } => write!(f, "{function}: {parameter}: {error}"),
            Self::Function { function, error } => write!(f, "{function}: {error}"),
            Self::UnresolvedWriteback => {
                f.write_str("a write-back copy was dropped before it was resolved or discarded")
            }
            Self::UnsupportedDType { name } => write!(f, "the type {name} isn't supported"),
            Self::NoSuchField { name } => write!(f, "no field {name}"),
            Self::NoPromotion { left, right } => {
                write!(f, "{left} and {right} have no type in common")
            }
            Self::CannotCast { from, to, casting } => {
                write!(f, "can't cast {from} to {to} under '{}'", casting.name())
            }
            Self::NoCast { from, to } => write!(f, "there is no conversion from {from} to {to}"),
            Self::ZeroDivision { op } => write!(f, "{op}: integer division by zero"),
            Self::NegativePower => {
                f.write_str("integers to negative integer powers aren't allowed")
            }
            Self::EmptyReduction { op } => write!(f, "{op} of no elements has no value"),
            Self::BadArgument { op, why } => write!(f, "{op}: {why}"),
            Self::TooManyOperands { found } => {
                write!(f, "{found} arrays, but at most 64 work together")
            }
            Self::ReadOnly => f.write_str("the array is read-only"),
            Self::TooHard => f.write_str("whether the arrays share memory is too hard to tell"),
            Self::NoLoop { ufunc, types } => write!(f, "{ufunc} has no loop for {types}"),
            Self::UfuncCast {
                ufunc,
                operand,
                from,
                to,
                casting,
            } => {
                let rule = casting.name();
                write!(
                    f,
                    "{ufunc}: can't cast {operand} from {from} to {to} under '{rule}'"
                )
            }
            Self::FloatingPoint { finding, op } => write!(f, "{finding} encountered in {op}"),
            Self::OutOfType { value, dtype } => write!(f, "{value} is out of bounds for {dtype}"),
            Self::OutputShape { found, shape } => {
                write!(
                    f,
                    "an output of shape {found:?} can't take results of {shape:?}"
                )
            }
            Self::Npy { why } => write!(f, "not a readable .npy file: {why}"),
            Self::Npz { why } => write!(f, "not a readable .npz archive: {why}"),
        }
    }
}

impl ArrayError {
    /// The name of the exception class that NumPy raises for it.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Argument { error, .. } | Self::Function { error, .. } => error.class(),
            Self::BadArguments { .. } => "TypeError",
            Self::NoSuchFunction { .. } => "AttributeError",
            Self::OutOfMemory { .. } => "MemoryError",
            Self::IndexOutOfRange { .. }
            | Self::TooManyIndices { .. }
            | Self::MaskShape { .. }
            | Self::MaskSize { .. }
            | Self::EmptyAxis { .. }
            | Self::IndexShapes { .. }
            | Self::BadIndex { .. } => "IndexError",
            Self::NoSuchAxis { .. } | Self::AxisOutOfRange { .. } | Self::CoreAxes { .. } => {
                "AxisError"
            }
            Self::MaskValueRank { .. }
            | Self::Unsupported { .. }
            | Self::BadCall { .. }
            | Self::DTypeMismatch { .. }
            | Self::CannotCast { .. }
            | Self::UnsupportedDType { .. }
            | Self::NoCast { .. }
            | Self::NoLoop { .. }
            | Self::UfuncCast { .. } => "TypeError",
            Self::BadValue { class, .. } => class,
            Self::FloatingPoint { .. } => "FloatingPointError",
            Self::OutOfType { .. } => "OverflowError",
            Self::Host { .. } | Self::UnresolvedWriteback => "RuntimeError",
            Self::NoPromotion { .. } => "DTypePromotionError",
            Self::ZeroDivision { .. } => "ZeroDivisionError",
            Self::TooHard => "TooHardError",
            _ => "ValueError",
        }
    }
}

impl std::error::Error for ArrayError {}
