//! Arithmetic of scalars.

use std::cmp::Ordering;

use super::compare::order_of;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::ufunc::on_scalars;
use crate::value::Value;

/// An operator of the host language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Rem,
    /// `divmod`
    DivMod,
    /// `**`
    Pow,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `-x`
    Neg,
    /// `+x`
    Pos,
    /// `abs(x)`
    Abs,
    /// `~x`
    Invert,
}

impl Operator {
    /// All operators.
    pub const ALL: [Self; 23] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::FloorDiv,
        Self::Rem,
        Self::DivMod,
        Self::Pow,
        Self::Shl,
        Self::Shr,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Neg,
        Self::Pos,
        Self::Abs,
        Self::Invert,
    ];

    /// The ufunc that the operator calls on arrays.
    #[must_use]
    pub const fn ufunc(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "subtract",
            Self::Mul => "multiply",
            Self::Div => "divide",
            Self::FloorDiv => "floor_divide",
            Self::Rem => "remainder",
            Self::DivMod => "divmod",
            Self::Pow => "power",
            Self::Shl => "left_shift",
            Self::Shr => "right_shift",
            Self::And => "bitwise_and",
            Self::Or => "bitwise_or",
            Self::Xor => "bitwise_xor",
            Self::Eq => "equal",
            Self::Ne => "not_equal",
            Self::Lt => "less",
            Self::Le => "less_equal",
            Self::Gt => "greater",
            Self::Ge => "greater_equal",
            Self::Neg => "negative",
            Self::Pos => "positive",
            Self::Abs => "absolute",
            Self::Invert => "invert",
        }
    }

    /// The operator that a ufunc stands for.
    #[must_use]
    pub fn named(ufunc: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.ufunc() == ufunc)
    }

    /// Whether it has one operand.
    #[must_use]
    pub const fn is_unary(self) -> bool {
        matches!(self, Self::Neg | Self::Pos | Self::Abs | Self::Invert)
    }

    /// Whether it compares, and answers with a truth value.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge
        )
    }

    /// For a comparison, whether it holds for operands in that order; none is without order.
    pub(super) fn holds(self, order: Option<Ordering>) -> Option<bool> {
        Some(match self {
            Self::Eq => order == Some(Ordering::Equal),
            Self::Ne => order != Some(Ordering::Equal),
            Self::Lt => order == Some(Ordering::Less),
            Self::Le => order.is_some_and(Ordering::is_le),
            Self::Gt => order == Some(Ordering::Greater),
            Self::Ge => order.is_some_and(Ordering::is_ge),
            _ => return None,
        })
    }
}

/// Applies an operator to scalars. A host value that knows the operator decides, then the ufunc's loop if
/// one operand is typed, else the host's own arithmetic. `divmod` gives a tuple. With the result come the
/// numeric findings: unlike arrays, scalars of whole numbers report overflow.
///
/// # Errors
/// `NoLoop` or `BadValue` if the operands don't have the operator; `BadValue` for a host integer outside
/// the range of what it meets, and with Python's class for the host's own arithmetic; `NegativePower`;
/// what a host value says.
pub fn operate(op: Operator, operands: &[&Value]) -> Result<(Value, Found)> {
    if let Some(found) = by_host(op, operands) {
        return found.map(|value| (value, Found::NONE));
    }
    if !operands.iter().any(|value| matches!(value, Value::Item(_))) {
        let found = super::host::plain(op, operands);
        return found.map(|value| (value, Found::NONE));
    }
    if let [left, right] = operands
        && let Some(holds) = compared(op, left, right)
    {
        return Ok((holds, Found::NONE));
    }
    let (items, mut found) = on_scalars(op.ufunc(), operands)?;
    let mut values = items.into_iter().map(Value::Item);
    let first = values.next().unwrap_or_default();
    if overflows(op, operands, &first) || quotient_overflows(op, operands, &first)? {
        found |= Found::OVERFLOW;
    }
    Ok(match values.next() {
        Some(second) => (Value::tuple([first, second]), found),
        None => (first, found),
    })
}

/// What a host value among the operands makes of the operator, the left one asked first.
fn by_host(op: Operator, operands: &[&Value]) -> Option<Result<Value>> {
    for (i, value) in operands.iter().enumerate() {
        if let Value::Host(host) = value {
            let other = operands
                .get(usize::from(i == 0))
                .filter(|_| operands.len() > 1);
            if let Some(found) = host.operate(op.ufunc(), other.copied(), i > 0) {
                return Some(found);
            }
        }
    }
    None
}

/// Comparisons that no loop makes: a typed integer with a host integer is compared exactly, and what is
/// no number equals nothing.
fn compared(op: Operator, left: &Value, right: &Value) -> Option<Value> {
    let truth = |holds| {
        let byte = [u8::from(holds)];
        Value::Item(super::Item::from_native(&crate::DType::Bool.into(), &byte))
    };
    let whole = |value: &Value| match value {
        Value::Int(_) => true,
        Value::Item(item) => item.dtype().is_integer(),
        _ => false,
    };
    let number = |value: &Value| {
        whole(value)
            || matches!(
                value,
                Value::Bool(_) | Value::Float(_) | Value::Complex(..) | Value::Item(_)
            )
    };
    if whole(left) && whole(right) {
        return op.holds(order_of(left, right)).map(truth);
    }
    if matches!(op, Operator::Eq | Operator::Ne) && !(number(left) && number(right)) {
        return op.holds(order_of(left, right)).map(truth);
    }
    None
}

/// Whether the quotient behind a remainder of float16 is past its type, which NumPy's scalars report.
fn quotient_overflows(op: Operator, operands: &[&Value], result: &Value) -> Result<bool> {
    let half = matches!(result, Value::Item(item) if item.dtype() == crate::DType::F16);
    if op != Operator::Rem || !half {
        return Ok(false);
    }
    let (_, found) = on_scalars(Operator::FloorDiv.ufunc(), operands)?;
    Ok(found.has(Found::OVERFLOW))
}

/// Whether the exact result of an operator on whole numbers isn't the one it gave.
fn overflows(op: Operator, operands: &[&Value], result: &Value) -> bool {
    let Value::Item(item) = result else {
        return false;
    };
    if !item.dtype().is_integer() {
        return false;
    }
    // Bool has no arithmetic of its own: what it begins is done as arrays do it.
    let typed = operands.iter().find_map(|value| match value {
        Value::Item(item) => Some(item.dtype()),
        _ => None,
    });
    if typed == Some(crate::DType::Bool) {
        return false;
    }
    let whole = |i: usize| match operands.get(i) {
        Some(Value::Item(item)) => super::store::to_int(&item.value()).ok(),
        Some(value) => super::store::to_int(value).ok(),
        None => Some(0),
    };
    let (Some(a), Some(b), Value::Int(given)) = (whole(0), whole(1), item.value()) else {
        return false;
    };
    let exact = match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        Operator::Neg => a.checked_neg(),
        Operator::Abs => a.checked_abs(),
        _ => return false,
    };
    exact != Some(given)
}

impl super::Item {
    /// The real part; the element itself if it isn't complex. `scalar.real`.
    ///
    /// # Errors
    /// `NoLoop` if the element is no number.
    pub fn real(&self) -> Result<Self> {
        self.part(0)
    }

    /// The imaginary part; zero if the element isn't complex. `scalar.imag`.
    ///
    /// # Errors
    /// `NoLoop` if the element is no number.
    pub fn imag(&self) -> Result<Self> {
        self.part(1)
    }

    fn part(&self, place: usize) -> Result<Self> {
        let dtype = self.dtype();
        let part = match dtype {
            crate::DType::C64 => crate::DType::F32,
            crate::DType::C128 => crate::DType::F64,
            _ if crate::promote::kind(dtype) == crate::promote::Kind::Other => {
                return Err(ArrayError::NoLoop {
                    ufunc: if place == 0 { "real" } else { "imag" }.into(),
                    types: self.descr().to_string(),
                });
            }
            _ if place == 0 => return Ok(self.clone()),
            _ => {
                return Ok(Self::from_native(
                    self.descr(),
                    &vec![0; self.descr().size()],
                ));
            }
        };
        let bytes = self.to_bytes();
        let half = (bytes.len() / 2).max(1);
        let bytes = bytes.chunks_exact(half).nth(place);
        Ok(Self::from_native(&part.into(), bytes.unwrap_or_default()))
    }

    /// The complex conjugate; `scalar.conjugate()`.
    ///
    /// # Errors
    /// `NoLoop` if the element is no number.
    pub fn conjugate(&self) -> Result<Self> {
        let value = Value::Item(self.clone());
        let (mut items, _) = on_scalars("conjugate", &[&value])?;
        items.pop().ok_or(ArrayError::OutOfBlock)
    }

    /// The element as another type, with the numeric findings; `scalar.astype(descr)`.
    ///
    /// # Errors
    /// `BadValue`, `NoCast`; `BadDescr` for types whose elements live in arrays.
    pub fn astype(&self, descr: &crate::Descr) -> Result<Self> {
        Self::new(descr, &Value::Item(self.clone()))
    }
}
