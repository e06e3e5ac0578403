//! What PyTorch and NumPy have as methods and functions, by name: one table for both.

use strand_ops::{Class, OpId};
use strand_syntax::ast;

use super::spell::Rest;

/// What a name of PyTorch's or NumPy's is in Strand.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// A built-in, its arguments by PyTorch's rules.
    Op(OpId),
    /// `@`
    Product,
    /// Axes in another order.
    Turn,
    /// `view`, `reshape`
    Reshape,
    /// `flatten`, `ravel`
    Flatten,
    /// Drops axes of size 1.
    Squeeze,
    /// Adds an axis of size 1.
    Unsqueeze,
    /// A dtype that the name says.
    Convert(&'static str),
    /// A dtype that the argument says, or a device.
    To,
    /// What tensors, being values, don't need.
    Itself,
    /// Tensors in a list.
    Join(OpId),
    /// An axis's size.
    Size,
    /// The number of elements.
    Count,
    /// The number of axes.
    Rank,
    /// A constructor, its sizes as arguments.
    Make(OpId),
    /// A constructor, its shape that of a tensor.
    Like(OpId),
    /// `index_select`, `take`
    Pick,
    /// `masked_fill`
    Fill,
    /// The axes in a text of einops.
    Rearrange,
    /// The axes in a text of einsum.
    Einsum,
    /// Nothing of its own; what is done instead.
    Note(&'static str),
}

/// Names that aren't Strand's own.
static ROWS: &[(&str, How)] = &[
    ("absolute", How::Op(OpId::Abs)),
    ("amax", How::Op(OpId::Max)),
    ("amin", How::Op(OpId::Min)),
    (
        "append",
        How::Note("Tensors don't grow: `concat(x, y, over=n)` makes a longer one."),
    ),
    ("arccos", How::Op(OpId::Acos)),
    ("arcsin", How::Op(OpId::Asin)),
    ("arctan", How::Op(OpId::Atan)),
    ("arctan2", How::Op(OpId::Atan2)),
    (
        "array_split",
        How::Note("Slices take parts: `x[..k]`, `x[k..]`."),
    ),
    ("astype", How::To),
    ("average", How::Op(OpId::Mean)),
    (
        "backward",
        How::Note("Gradients come from `value_and_grad(loss(m, x), wrt=m)`."),
    ),
    ("baddbmm", How::Note("Write `a + x @ y`.")),
    ("bfloat16", How::Convert("bf16")),
    ("bmm", How::Product),
    ("bool", How::Convert("bool")),
    ("broadcast_to", How::Note(BROADCASTS)),
    ("byte", How::Convert("u8")),
    ("cat", How::Join(OpId::Concat)),
    ("chunk", How::Note("Slices take parts: `x[..k]`, `x[k..]`.")),
    ("clip", How::Op(OpId::Clamp)),
    ("clone", How::Itself),
    ("concatenate", How::Join(OpId::Concat)),
    ("contiguous", How::Itself),
    ("copy", How::Itself),
    ("count_nonzero", How::Op(OpId::Count)),
    ("cpu", How::Itself),
    ("cuda", How::Itself),
    ("detach", How::Itself),
    ("diagonal", How::Op(OpId::Diag)),
    ("dim", How::Rank),
    ("div", How::Op(OpId::Div)),
    ("dot", How::Product),
    ("double", How::Convert("f64")),
    ("einsum", How::Einsum),
    ("empty", How::Make(OpId::Zeros)),
    ("empty_like", How::Like(OpId::Zeros)),
    (
        "enumerate",
        How::Note("`x |> enumerate |> map((i, v) => ...)` counts elements."),
    ),
    ("expand_as", How::Note(BROADCASTS)),
    ("expand_dims", How::Unsqueeze),
    ("fabs", How::Op(OpId::Abs)),
    ("flatten", How::Flatten),
    ("float", How::Convert("f32")),
    (
        "gather",
        How::Note("`x[arange(n), i]` takes the element at i of each row."),
    ),
    ("half", How::Convert("f16")),
    ("hstack", How::Join(OpId::Concat)),
    ("index_select", How::Pick),
    ("inner", How::Product),
    ("int", How::Convert("i32")),
    ("long", How::Convert("i64")),
    (
        "list",
        How::Note("Tensors are written `[1.0, 2.0]`; there are no lists."),
    ),
    (
        "dict",
        How::Note("There are no dicts; a model's or dataset's fields have names."),
    ),
    ("masked_fill", How::Fill),
    ("masked_select", How::Pick),
    ("matmul", How::Product),
    ("mm", How::Product),
    ("mod", How::Op(OpId::Remainder)),
    ("moveaxis", How::Note(REARRANGES)),
    ("movedim", How::Note(REARRANGES)),
    ("mse_loss", How::Op(OpId::Mse)),
    ("mul", How::Op(OpId::Mul)),
    ("mv", How::Product),
    ("ndimension", How::Rank),
    ("negative", How::Op(OpId::Neg)),
    ("nelement", How::Count),
    (
        "no_grad",
        How::Note("Only `value_and_grad` computes gradients; nothing needs to be off."),
    ),
    ("numel", How::Count),
    ("numpy", How::Itself),
    ("permute", How::Turn),
    ("power", How::Op(OpId::Pow)),
    ("rand", How::Make(OpId::Uniform)),
    ("rand_like", How::Like(OpId::Uniform)),
    ("randn", How::Make(OpId::Normal)),
    ("randn_like", How::Like(OpId::Normal)),
    ("ravel", How::Flatten),
    ("rearrange", How::Rearrange),
    ("repeat", How::Note(BROADCASTS)),
    ("requires_grad_", How::Itself),
    ("reshape", How::Reshape),
    (
        "scatter",
        How::Note("`y[i] = e` gives y elements of e at the places i."),
    ),
    ("short", How::Convert("i16")),
    ("size", How::Size),
    ("sorted", How::Op(OpId::Sort)),
    ("split", How::Note("Slices take parts: `x[..k]`, `x[k..]`.")),
    ("squeeze", How::Squeeze),
    ("stack", How::Join(OpId::Stack)),
    ("subtract", How::Op(OpId::Sub)),
    ("swapaxes", How::Turn),
    ("swapdims", How::Turn),
    ("t", How::Turn),
    ("take", How::Pick),
    ("tile", How::Note(BROADCASTS)),
    ("to", How::To),
    (
        "tolist",
        How::Note("Tensors are printed as they are: `print(x)`."),
    ),
    ("transpose", How::Turn),
    ("true_divide", How::Op(OpId::Div)),
    ("type", How::To),
    ("type_as", How::Note("`to` converts: `x to f32`.")),
    ("unsqueeze", How::Unsqueeze),
    (
        "unbind",
        How::Note("`x[0]` takes one; `for row in x over n:` goes through all."),
    ),
    ("vector_norm", How::Op(OpId::Norm)),
    ("view", How::Reshape),
    ("vstack", How::Join(OpId::Concat)),
    (
        "zero_grad",
        How::Note("Gradients don't pile up: each `value_and_grad` gives its own."),
    ),
];

pub(super) const BROADCASTS: &str =
    "Shapes broadcast: `x to [n 1]` has an axis of size 1, which stretches.";
pub(super) const REARRANGES: &str =
    "`x to [D n]` rearranges: it permutes, merges, splits and drops axes.";

pub(super) const PICKS: &str = "`x[i]` takes elements of the first axis, `x[.., i]` of the second.";

pub(super) const MASKS: &str =
    "`x[mask]` takes elements by a mask of all axes, rows by one of the first.";
pub(super) const DOTS: &str =
    "NumPy's dot of batches gives every pair of them; `x @ y` lines them up.";
pub(super) const TAKES: &str =
    "`take` without an axis counts all elements; `x[i]` is of the first axis.";

/// Modules whose functions are NumPy's, or follow them.
pub(super) const NUMPY: &[&str] = &["np", "numpy", "jnp", "jax", "tf"];

/// What a name is in Strand: one of the table, or a built-in's own.
pub(super) fn how(name: &str) -> Option<How> {
    let row = ROWS.iter().find(|(known, _)| *known == name);
    if let Some((_, how)) = row {
        return Some(*how);
    }
    let op = strand_ops::find(name)?;
    match op.class {
        Class::Construct | Class::Draw | Class::Square | Class::Arange => Some(How::Make(op.id)),
        Class::Effect(_) if op.id != OpId::Item => None,
        _ => Some(How::Op(op.id)),
    }
}

impl How {
    /// How a sentence names what Strand has in its place.
    pub(super) fn label(self) -> Option<&'static str> {
        Some(match self {
            Self::Op(op) | Self::Join(op) | Self::Make(op) | Self::Like(op) => op.name(),
            Self::Product | Self::Einsum => "@",
            Self::Turn | Self::Reshape | Self::Flatten | Self::Squeeze | Self::Rearrange => "to",
            Self::Unsqueeze => "newaxis",
            Self::Convert(dtype) => dtype,
            Self::To => "to",
            Self::Fill => "where",
            Self::Itself | Self::Size | Self::Count | Self::Rank | Self::Pick | Self::Note(_) => {
                return None;
            }
        })
    }
}

/// Where a module's function of a built-in's name computes something else.
pub(super) fn differs(module: &str, op: OpId, rest: &Rest<'_>) -> Option<&'static str> {
    let by_less_one = rest.iter().any(|arg| {
        let name = arg.name.as_ref().map(|name| &*name.name);
        matches!(name, Some("ddof" | "correction"))
            && matches!(arg.value.kind, ast::ExprKind::Int(1))
    });
    let is_numpy = NUMPY.contains(&module);
    Some(match op {
        OpId::Var | OpId::Std if is_numpy && !by_less_one => {
            "NumPy's divides by the number n of elements: here that is `correction=0`."
        }
        OpId::Median if is_numpy => {
            "Of an even number, NumPy's is the mean of the middle two, Strand's the lower."
        }
        OpId::NonZero if is_numpy => {
            "NumPy's gives a tuple with an array for each axis, Strand's a row for each place."
        }
        OpId::Gelu if module == "jax" => "JAX's is an approximation with tanh; Strand's is exact.",
        OpId::Remainder if module == "math" => {
            "Python's rounds the quotient to the nearest, Strand's down, as `%` does."
        }
        _ => return None,
    })
}
