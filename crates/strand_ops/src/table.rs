//! The rows.

use crate::{Class, DTypeRule, Default, Effect, Op, Param, ParamKind, TorchDim, Traits, ValueRule};

const OVER: Param = Param {
    name: "over",
    kind: ParamKind::Over,
    default: Default::Absent,
};
const SEED: Param = Param {
    name: "seed",
    kind: ParamKind::Int,
    default: Default::Required,
};

const fn number(name: &'static str, default: Default) -> Param {
    Param {
        name,
        kind: ParamKind::Number,
        default,
    }
}

const fn value(name: &'static str) -> Param {
    Param {
        name,
        kind: ParamKind::Value,
        default: Default::Required,
    }
}

const fn whole(name: &'static str, default: Default) -> Param {
    Param {
        name,
        kind: ParamKind::Int,
        default,
    }
}

const fn absent(name: &'static str, kind: ParamKind) -> Param {
    Param {
        name,
        kind,
        default: Default::Absent,
    }
}

const fn elementwise(arity: u8) -> Class {
    Class::Elementwise { arity }
}

const fn special(arity: u8) -> Class {
    Class::Special { arity }
}

const CORRECTION: Param = whole("correction", Default::Number(1.0));
const STRIDE: Param = whole("stride", Default::Number(1.0));
const PADDING: Param = whole("padding", Default::Number(0.0));

const NO_HOST_FORM: Traits = Traits {
    has_no_host_form: true,
    ..Traits::NONE
};
const COUNTS_VALUES: Traits = Traits {
    counts_values: true,
    ..Traits::NONE
};

/// One of those that programs use most.
const fn common(rarity: u32) -> Traits {
    Traits {
        rarity,
        ..Traits::NONE
    }
}

impl Traits {
    const fn dim(mut self, dim: TorchDim) -> Self {
        self.torch_dim = Some(dim);
        self
    }

    const fn order(mut self, order: &'static [&'static str]) -> Self {
        self.torch_order = Some(order);
        self
    }
}

const SEVERAL: Class = Class::Reduce { several: true };

macro_rules! ops {
    ($($id:ident $name:literal $(op $operator:literal)? : $class:expr, $dtype:ident, $domain:ident,
        [$($param:expr),*], $torch:literal, $doc:literal $(, $traits:expr)?;)*) => {
        /// The operations, in the table's order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OpId {
            $(#[doc = $doc] $id,)*
        }

        /// Every operation; a row's place is its id.
        pub static OPS: &[Op] = &[$(Op {
            id: OpId::$id,
            name: $name,
            operator: { let operator: Option<&'static str> = None; $(let _ = operator; let operator = Some($operator);)? operator },
            class: $class,
            dtype: DTypeRule::$dtype,
            domain: ValueRule::$domain,
            params: &[$($param),*],
            torch: $torch,
            doc: $doc,
            traits: { let traits = Traits::NONE; $(let _ = traits; let traits = $traits;)? traits },
        }),*];
    };
}

ops! {
    // Operators
    Add "add" op "+": elementwise(2), Number, Plain, [], "torch.add", "The sum, element by element.";
    Sub "sub" op "-": elementwise(2), Number, Plain, [], "torch.sub", "The difference, element by element.";
    Mul "multiply" op "*": elementwise(2), Number, Plain, [], "torch.mul", "The product, element by element.";
    Div "divide" op "/": elementwise(2), Float, Plain, [], "torch.div", "The quotient of floats, element by element.";
    FloorDiv "//" op "//": elementwise(2), Number, Plain, [], "torch.floor_divide", "The quotient, rounded down.";
    Remainder "remainder" op "%": elementwise(2), Number, Plain, [], "torch.remainder", "The rest of a division rounded down; it has the divisor's sign.";
    Pow "pow" op "**": elementwise(2), Number, Plain, [], "torch.pow", "The power, element by element.";
    Eq "==" op "==": elementwise(2), AnyToBool, Plain, [], "torch.eq", "Whether the elements are equal.";
    Ne "!=" op "!=": elementwise(2), AnyToBool, Plain, [], "torch.ne", "Whether the elements differ.";
    Lt "<" op "<": elementwise(2), Order, Plain, [], "torch.lt", "Whether the left element is less.";
    Le "<=" op "<=": elementwise(2), Order, Plain, [], "torch.le", "Whether the left element is less or equal.";
    Gt ">" op ">": elementwise(2), Order, Plain, [], "torch.gt", "Whether the left element is greater.";
    Ge ">=" op ">=": elementwise(2), Order, Plain, [], "torch.ge", "Whether the left element is greater or equal.";
    And "and" op "and": elementwise(2), Bool, Plain, [], "torch.logical_and", "Whether both hold.";
    Or "or" op "or": elementwise(2), Bool, Plain, [], "torch.logical_or", "Whether one of both holds.";
    Not "not" op "not": elementwise(1), Bool, Plain, [], "torch.logical_not", "Whether it doesn't hold.";
    MatMul "@" op "@": Class::MatMul, Number, Plain, [], "torch.matmul", "The matrix product: contracts the left's last axis with the right's last but one or only axis.";
    // Elementwise of one tensor
    Neg "neg": elementwise(1), Number, Plain, [], "torch.neg", "The negative.";
    Abs "abs": elementwise(1), Number, NonNegative, [], "torch.abs", "The absolute value.", common(13);
    Sign "sign": elementwise(1), Number, Plain, [], "torch.sign", "-1, 0 or 1 by the sign.";
    Exp "exp": elementwise(1), Float, NonNegative, [], "torch.exp", "e to the power of the element.", common(6);
    Expm1 "expm1": elementwise(1), Float, Plain, [], "torch.expm1", "exp(x) - 1, exact near 0.";
    Log "log": elementwise(1), Float, Plain, [], "torch.log", "The natural logarithm.", common(12);
    Log1p "log1p": elementwise(1), Float, Plain, [], "torch.log1p", "log(1 + x), exact near 0.";
    Log2 "log2": elementwise(1), Float, Plain, [], "torch.log2", "The logarithm to base 2.";
    Log10 "log10": elementwise(1), Float, Plain, [], "torch.log10", "The logarithm to base 10.";
    Sqrt "sqrt": elementwise(1), Float, Plain, [], "torch.sqrt", "The square root.", common(7);
    Rsqrt "rsqrt": elementwise(1), Float, Plain, [], "torch.rsqrt", "1 / sqrt(x).";
    Square "square": elementwise(1), Number, NonNegative, [], "torch.square", "The square.", common(15);
    Reciprocal "reciprocal": elementwise(1), Float, Plain, [], "torch.reciprocal", "1 / x.";
    Sin "sin": elementwise(1), Float, Plain, [], "torch.sin", "The sine of radians.";
    Cos "cos": elementwise(1), Float, Plain, [], "torch.cos", "The cosine of radians.";
    Tan "tan": elementwise(1), Float, Plain, [], "torch.tan", "The tangent of radians.";
    Asin "asin": elementwise(1), Float, Plain, [], "torch.asin", "The arc sine in radians.";
    Acos "acos": elementwise(1), Float, Plain, [], "torch.acos", "The arc cosine in radians.";
    Atan "atan": elementwise(1), Float, Plain, [], "torch.atan", "The arc tangent in radians.";
    Sinh "sinh": elementwise(1), Float, Plain, [], "torch.sinh", "The hyperbolic sine.";
    Cosh "cosh": elementwise(1), Float, Plain, [], "torch.cosh", "The hyperbolic cosine.";
    Tanh "tanh": elementwise(1), Float, Plain, [], "torch.tanh", "The hyperbolic tangent.", common(10);
    Sigmoid "sigmoid": elementwise(1), Float, Prob, [], "torch.sigmoid", "1 / (1 + exp(-x)).", common(9);
    Relu "relu": elementwise(1), Number, NonNegative, [], "torch.relu", "The element where it is positive, else 0.", common(3);
    Gelu "gelu": elementwise(1), Float, Plain, [], "torch.nn.functional.gelu", "x times the normal distribution's share below x.", common(14);
    Silu "silu": elementwise(1), Float, Plain, [], "torch.nn.functional.silu", "x * sigmoid(x).";
    Softplus "softplus": elementwise(1), Float, Plain, [], "torch.nn.functional.softplus", "log(1 + exp(x)).";
    Erf "erf": elementwise(1), Float, Plain, [], "torch.erf", "The error function.";
    Floor "floor": elementwise(1), Number, Plain, [], "torch.floor", "Rounded down.";
    Ceil "ceil": elementwise(1), Number, Plain, [], "torch.ceil", "Rounded up.";
    Round "round": elementwise(1), Number, Plain, [], "torch.round", "Rounded to the nearest, halves to even.";
    Trunc "trunc": elementwise(1), Number, Plain, [], "torch.trunc", "Rounded towards 0.";
    IsNan "isnan": elementwise(1), FloatToBool, Plain, [], "torch.isnan", "Whether the element is NaN.";
    IsInf "isinf": elementwise(1), FloatToBool, Plain, [], "torch.isinf", "Whether the element is infinite.";
    IsFinite "isfinite": elementwise(1), FloatToBool, Plain, [], "torch.isfinite", "Whether the element is neither NaN nor infinite.";
    // Elementwise of several
    Maximum "maximum": elementwise(2), Any, Plain, [], "torch.maximum", "The greater of both; NaN if one is.", common(18);
    Minimum "minimum": elementwise(2), Any, Plain, [], "torch.minimum", "The lesser of both; NaN if one is.";
    Atan2 "atan2": elementwise(2), Float, Plain, [], "torch.atan2", "The angle of the point (y, x) in radians.";
    Hypot "hypot": elementwise(2), Float, Plain, [], "torch.hypot", "sqrt(x * x + y * y).";
    Fmod "fmod": elementwise(2), Number, Plain, [], "torch.fmod", "The rest of a division rounded towards 0.";
    Where "where": elementwise(3), Where, Plain, [], "torch.where", "The second where the first holds, else the third.";
    Clamp "clamp": elementwise(3), Number, Plain, [], "torch.clamp", "The element, at least the second and at most the third.";
    LogicalAnd "logical_and": elementwise(2), AnyToBool, Plain, [], "torch.logical_and", "Whether both are nonzero.";
    LogicalOr "logical_or": elementwise(2), AnyToBool, Plain, [], "torch.logical_or", "Whether one is nonzero.";
    LogicalXor "logical_xor": elementwise(2), AnyToBool, Plain, [], "torch.logical_xor", "Whether just one is nonzero.";
    BitwiseAnd "bitwise_and": elementwise(2), Bits, Plain, [], "torch.bitwise_and", "The bits that both have.";
    BitwiseOr "bitwise_or": elementwise(2), Bits, Plain, [], "torch.bitwise_or", "The bits that one has.";
    BitwiseXor "bitwise_xor": elementwise(2), Bits, Plain, [], "torch.bitwise_xor", "The bits that just one has.";
    IsClose "isclose": elementwise(2), AnyToBool, Plain, [number("rtol", Default::Number(1e-5)), number("atol", Default::Number(1e-8))], "torch.isclose", "Whether the elements differ by at most atol + rtol * abs(second).", NO_HOST_FORM;
    NanToNum "nan_to_num": elementwise(1), Any, Plain, [number("nan", Default::Number(0.0)), number("posinf", Default::Absent), number("neginf", Default::Absent)], "torch.nan_to_num", "The element, 0 for NaN and the dtype's greatest or least number for an infinity.", NO_HOST_FORM;
    ZerosLike "zeros_like": elementwise(1), Any, Plain, [], "torch.zeros_like", "Zeros of the tensor's shape and dtype.", NO_HOST_FORM;
    OnesLike "ones_like": elementwise(1), Any, Plain, [], "torch.ones_like", "Ones of the tensor's shape and dtype.", NO_HOST_FORM;
    // Reductions
    Sum "sum": SEVERAL, Sum, Plain, [OVER], "torch.sum", "The sum over the axes.", common(0);
    Mean "mean": SEVERAL, Float, Plain, [OVER], "torch.mean", "The mean over the axes.", common(2);
    Prod "prod": SEVERAL, Sum, Plain, [OVER], "torch.prod", "The product over the axes.";
    Max "max": SEVERAL, Number, Plain, [OVER], "torch.amax", "The greatest over the axes.", common(4);
    Min "min": SEVERAL, Number, Plain, [OVER], "torch.amin", "The least over the axes.", common(8);
    Any "any": SEVERAL, AnyToBool, Plain, [OVER], "torch.any", "Whether one element over the axes is nonzero.", common(22);
    All "all": SEVERAL, AnyToBool, Plain, [OVER], "torch.all", "Whether all elements over the axes are nonzero.", common(23);
    Count "count": SEVERAL, AnyToI64, Plain, [OVER], "torch.count_nonzero", "How many elements over the axes are nonzero.";
    Var "var": SEVERAL, Float, NonNegative, [OVER, CORRECTION], "torch.var", "The variance over the axes, divided by their number less `correction`, which is 1.", common(20);
    Std "std": SEVERAL, Float, NonNegative, [OVER, CORRECTION], "torch.std", "The standard deviation over the axes, the root of var.", common(19);
    Norm "norm": SEVERAL, Float, NonNegative, [OVER], "torch.linalg.vector_norm", "The square root of the sum of squares over the axes.", Traits::NONE.order(&["2", "2.0"]);
    LogSumExp "logsumexp": SEVERAL, Float, Plain, [OVER], "torch.logsumexp", "log(sum(exp(x))) over the axes, without overflow.";
    Median "median": Class::Reduce { several: false }, Number, Kept, [OVER], "torch.median", "The middle element in rising order, of an even number the lower one; NaN if one is.";
    ArgMax "argmax": Class::ArgReduce, AnyToI64, Index, [OVER], "torch.argmax", "The index of the greatest element along the axis.", common(5);
    ArgMin "argmin": Class::ArgReduce, AnyToI64, Index, [OVER], "torch.argmin", "The index of the least element along the axis.";
    // Along an axis
    CumSum "cumsum": Class::Along, Sum, Plain, [OVER], "torch.cumsum", "Sums from the axis's start up to each element.", common(17);
    CumProd "cumprod": Class::Along, Sum, Plain, [OVER], "torch.cumprod", "Products from the axis's start up to each element.";
    CumMax "cummax": Class::Along, Number, Plain, [OVER], "torch.cummax", "The greatest from the axis's start up to each element.";
    CumMin "cummin": Class::Along, Number, Plain, [OVER], "torch.cummin", "The least from the axis's start up to each element.";
    Softmax "softmax": Class::Along, Float, Prob, [OVER], "torch.softmax", "exp(x) divided by its sum along the axis.", common(1).dim(TorchDim::Guessed);
    LogSoftmax "log_softmax": Class::Along, Float, Plain, [OVER], "torch.log_softmax", "The logarithm of softmax, without overflow.", Traits::NONE.dim(TorchDim::Guessed);
    Normalize "normalize": Class::Along, Float, Plain, [OVER], "torch.nn.functional.normalize", "x divided by its norm along the axis.", common(21).dim(TorchDim::At(1)).order(&["2", "2.0"]);
    LayerNorm "layer_norm": Class::Along, Float, Plain, [OVER], "torch.nn.functional.layer_norm", "x less its mean, divided by its deviation, along the axis.";
    Sort "sort": Class::Along, Any, Kept, [OVER], "torch.sort", "The elements along the axis in rising order.", common(16).dim(TorchDim::Last);
    ArgSort "argsort": Class::Along, AnyToI64, Index, [OVER], "torch.argsort", "The indices that sort the axis.", Traits::NONE.dim(TorchDim::Last);
    Flip "flip": Class::Along, Any, Kept, [OVER], "torch.flip", "The elements along the axis in reverse.";
    Roll "roll": Class::Along, Any, Kept, [whole("shift", Default::Required), OVER], "torch.roll", "The elements along the axis moved on by `shift` places, around its end.";
    Diff "diff": special(1), Number, Plain, [OVER], "torch.diff", "Each element along the axis less the one before it.", Traits::NONE.dim(TorchDim::Last).order(&["1"]);
    TopK "topk": special(1), Number, Kept, [whole("k", Default::Required), OVER], "torch.topk", "The k greatest elements along the axis, greatest first, and their indices.", Traits::NONE.dim(TorchDim::Last);
    SearchSorted "searchsorted": special(2), Number, Plain, [], "torch.searchsorted", "For each element of the second, how many of the first, which is in rising order, are less.";
    Transpose "transpose": Class::Transpose, Any, Plain, [], "torch.Tensor.mT", "The last two axes swapped.", common(11);
    Tril "tril": Class::Triangle, Any, Plain, [whole("diagonal", Default::Number(0.0))], "torch.tril", "The last two axes with zeros above a diagonal.";
    Triu "triu": Class::Triangle, Any, Plain, [whole("diagonal", Default::Number(0.0))], "torch.triu", "The last two axes with zeros below a diagonal.";
    Diag "diag": Class::Diagonal, Any, Plain, [], "torch.diag", "The diagonal of a square matrix; of a vector, the matrix that has it as its diagonal.";
    // Putting tensors together
    Concat "concat": Class::Join, Any, Kept, [OVER], "torch.cat", "Tensors after each other along an axis; its sizes add.", Traits::NONE.dim(TorchDim::At(0));
    Stack "stack": Class::Join, Any, Kept, [], "torch.stack", "Tensors of one shape along a new first axis.";
    OneHot "one_hot": Class::OneHot, AnyToI64, Plain, [], "torch.nn.functional.one_hot", "1 at each index, 0 elsewhere: adds the indices' axis, last.";
    Len "len": Class::Length, Any, Plain, [], "len", "The size of the first axis.";
    Reshape "reshape": special(1), Any, Kept, [], "torch.reshape", "The same elements in row-major order under other sizes; -1 is what is left.";
    Expand "expand": special(1), Any, Kept, [], "torch.Tensor.expand", "The tensor stretched along axes of size 1 and along new ones before it.";
    NonZero "nonzero": special(1), AnyToI64, Plain, [], "torch.nonzero", "The places of the elements that aren't zero, a row for each.", COUNTS_VALUES;
    Unique "unique": special(1), Any, Kept, [], "torch.unique", "The elements that occur, each once, in rising order.", COUNTS_VALUES;
    BinCount "bincount": special(1), AnyToI64, Plain, [], "torch.bincount", "How often each whole number from 0 on occurs; of indices, each index of their axis.", COUNTS_VALUES;
    // Contractions and windows
    Dot "dot": special(2), Number, Plain, [], "torch.dot", "The sum of the products of two vectors of one axis.";
    Einsum "einsum": special(1), Number, Plain, [OVER], "torch.einsum", "The product of tensors whose axes of one name are lined up, summed over the axes.";
    Conv1d "conv1d": special(2), Number, Plain, [STRIDE, PADDING], "torch.nn.functional.conv1d", "The weights slid along the last axis of [channels size] or [batch channels size].";
    Conv2d "conv2d": special(2), Number, Plain, [STRIDE, PADDING], "torch.nn.functional.conv2d", "The weights slid along the last two axes of [channels height width] or a batch of these.";
    MaxPool2d "max_pool2d": special(1), Number, Kept, [whole("kernel", Default::Required), whole("stride", Default::Absent), PADDING], "torch.nn.functional.max_pool2d", "The greatest element of each window of the last two axes.";
    // Methods of binary functions
    Reduce "reduce": Class::Method, Number, Plain, [OVER], "reduce", "A binary function over the axis: reduce(add, x, over=n) is the sum.";
    Accumulate "accumulate": Class::Method, Number, Plain, [OVER], "accumulate", "A binary function from the axis's start up to each element.";
    ReduceAt "reduceat": Class::Method, Number, Plain, [OVER], "reduceat", "A binary function over the part of the axis from each offset to the next.";
    Outer "outer": Class::Method, Number, Plain, [], "outer", "A binary function of every pair of elements of two tensors.";
    At "at": Class::Method, Number, Plain, [], "at", "The tensor with values put by a binary function to its elements at indices, one after the other.";
    // Losses
    Mse "mse": Class::Loss, Float, NonNegative, [], "torch.nn.functional.mse_loss", "The mean of the squared differences.";
    CrossEntropy "cross_entropy": Class::IndexLoss, Float, Plain, [], "torch.nn.functional.cross_entropy", "The mean of -log_softmax(scores) at each label, an index of the classes.";
    BinaryCrossEntropy "binary_cross_entropy": Class::Loss, Float, NonNegative, [], "torch.nn.functional.binary_cross_entropy", "The mean of -log of the probability given to each target, which is 0 to 1.";
    // Making tensors
    Zeros "zeros": Class::Construct, FromType, Plain, [], "torch.zeros", "A tensor of zeros.";
    Ones "ones": Class::Construct, FromType, Plain, [], "torch.ones", "A tensor of ones.";
    Full "full": Class::Construct, FromType, Plain, [value("value")], "torch.full", "A tensor of one value.";
    Arange "arange": Class::Arange, AnyToI64, Index, [], "torch.arange", "The whole numbers from 0 up to a size, or from one size up to another.";
    Eye "eye": Class::Square, FromType, Plain, [], "torch.eye", "The identity matrix of a size.";
    Linspace "linspace": special(0), FromType, Plain, [number("start", Default::Required), number("end", Default::Required), whole("steps", Default::Required)], "torch.linspace", "Evenly spaced numbers from the start to the end, both included.";
    Normal "normal": Class::Draw, FromType, Plain, [number("std", Default::Number(1.0)), number("mean", Default::Number(0.0)), SEED], "torch.normal", "Draws of the normal distribution.";
    Uniform "uniform": Class::Draw, FromType, Plain, [number("low", Default::Number(0.0)), number("high", Default::Number(1.0)), SEED], "torch.rand", "Draws between low and high, evenly.";
    RandInt "randint": Class::Draw, FromType, Plain, [whole("low", Default::Required), whole("high", Default::Required), SEED], "torch.randint", "Draws of the whole numbers from low up to high, which is left out.";
    Dropout "dropout": Class::Dropout, Float, Plain, [number("p", Default::Number(0.5))], "torch.nn.functional.dropout", "Zeroes each element with probability p while training and scales the rest up.";
    // More than a value
    Print "print": Class::Effect(Effect::Print), Any, Plain, [], "print", "Writes values to the output.";
    Show "show": Class::Effect(Effect::Show), Any, Plain, [absent("view", ParamKind::Text), absent("color", ParamKind::Tensor), absent("bins", ParamKind::Int), absent("fps", ParamKind::Int)], "print", "Shows a value, with view= as a picture of it.";
    Save "save": Class::Effect(Effect::Save), Any, Plain, [], "torch.save", "Writes a value to a file.";
    Load "load": Class::Effect(Effect::Load), FromType, Plain, [], "torch.load", "Reads a value of a type from a file.";
    Record "log(name=value)": Class::Effect(Effect::Record), Any, Plain, [], "log", "Writes a record of named values to the sinks.";
    ValueAndGrad "value_and_grad": Class::Effect(Effect::Gradient), Any, Plain, [], "torch.autograd.grad", "A value and its gradient.";
    Sgd "sgd": Class::Effect(Effect::Optimizer), Any, Plain, [], "torch.optim.SGD", "Stochastic gradient descent.";
    Adam "adam": Class::Effect(Effect::Optimizer), Any, Plain, [], "torch.optim.Adam", "The optimizer Adam.";
    AdamW "adamw": Class::Effect(Effect::Optimizer), Any, Plain, [], "torch.optim.AdamW", "The optimizer AdamW.";
    Update "update": Class::Effect(Effect::Update), Any, Plain, [], "step", "Changes a model by its gradient.";
    Cosine "cosine": Class::Effect(Effect::Schedule), Any, Plain, [], "cosine", "A learning rate that falls as a cosine.";
    Linear "linear": Class::Effect(Effect::Schedule), Any, Plain, [], "linear", "A learning rate that falls evenly.";
    Constant "constant": Class::Effect(Effect::Schedule), Any, Plain, [], "constant", "A learning rate that stays.";
    Item "item": Class::Effect(Effect::Item), Any, Plain, [], "item", "The number in a tensor without axes, as a host number.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_row_stands_at_its_id_and_names_are_unique() {
        let names: BTreeSet<_> = OPS.iter().map(|op| op.name).collect();
        assert_eq!(names.len(), OPS.len());
        for (at, op) in OPS.iter().enumerate() {
            assert_eq!(op.id as usize, at);
            assert!(!op.doc.is_empty() && op.doc.ends_with('.'));
        }
    }
}
