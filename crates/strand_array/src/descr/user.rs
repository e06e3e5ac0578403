//! Types that a program registers.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::{Descr, Extra};
use crate::cast::Casting;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::value::Value;

/// The functions of a registered type; see [`register`]. An element is `size` bytes; every function gets exactly
/// that many, in the machine's byte order, and any bytes, all zeros among them, are an element.
pub trait UserType {
    /// The name that errors and printing use.
    fn name(&self) -> &str;

    /// Bytes per element.
    fn size(&self) -> usize;

    /// What addresses of elements are multiples of where arrays are aligned.
    fn alignment(&self) -> usize {
        1
    }

    /// The element as a value of the host.
    fn get(&self, element: &[u8]) -> Value;

    /// Writes a value of the host, or says why it can't be one.
    ///
    /// # Errors
    /// Whatever hinders it: `Host` with the reason.
    fn set(&self, element: &mut [u8], value: &Value) -> Result<()>;

    /// The element as printed.
    fn print(&self, element: &[u8]) -> String;

    /// The order of two elements; none if they have none.
    fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering>;

    /// Whether the element counts as true.
    fn is_nonzero(&self, element: &[u8]) -> bool {
        element.iter().any(|byte| *byte != 0)
    }

    /// Changes the byte order of an element; one number by default.
    fn swap(&self, element: &mut [u8]) {
        element.reverse();
    }

    /// The strictest rule that lets elements become `to`; none if they can't.
    fn casts_to(&self, to: DType) -> Option<Casting> {
        let _ = to;
        Some(Casting::Unsafe)
    }

    /// The strictest rule that lets elements of `from` become this type; none if they can't.
    fn casts_from(&self, from: DType) -> Option<Casting> {
        let _ = from;
        Some(Casting::Unsafe)
    }
}

thread_local! {
    static NEXT: Cell<u16> = const { Cell::new(0) };
}

/// Makes a type of a table of functions.
///
/// ```
/// use std::{cmp::Ordering, rc::Rc};
/// use strand_array::{Array, ArrayError, Context, Result, UserType, Value, register};
///
/// /// A temperature in tenths of a degree.
/// struct Tenths;
///
/// impl UserType for Tenths {
///     fn name(&self) -> &str {
///         "tenths"
///     }
///     fn size(&self) -> usize {
///         2
///     }
///     fn get(&self, element: &[u8]) -> Value {
///         Value::Float(f64::from(i16::from_ne_bytes([element[0], element[1]])) / 10.0)
///     }
///     fn set(&self, element: &mut [u8], value: &Value) -> Result<()> {
///         let Value::Float(degrees) = value else {
///             let why = "a temperature is a float".into();
///             return Err(ArrayError::BadValue { class: "TypeError", why });
///         };
///         element.copy_from_slice(&((degrees * 10.0) as i16).to_ne_bytes());
///         Ok(())
///     }
///     fn print(&self, element: &[u8]) -> String {
///         format!("{}°", self.get(element))
///     }
///     fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
///         let tenths = |e: &[u8]| i16::from_ne_bytes([e[0], e[1]]);
///         Some(tenths(left).cmp(&tenths(right)))
///     }
/// }
///
/// let ctx = Context::default();
/// let tenths = register(Rc::new(Tenths))?;
/// let days = Array::fresh(&ctx, &[2], &tenths)?;
/// days.set_element(&[1], &Value::Float(21.5))?;
/// assert_eq!(days.to_string(), "[0.0° 21.5°]");
/// # Ok::<(), ArrayError>(())
/// ```
///
/// Elements, printing, comparison, sorting and casts of its arrays work at once, and loops of ufuncs can be registered for it.
///
/// # Errors
/// `BadDescr` if the size is 0 or elements are too large, or 65,536 types are registered.
pub fn register(table: Rc<dyn UserType>) -> Result<Descr> {
    let bad = |why: &str| ArrayError::BadDescr { why: why.into() };
    let size = table.size();
    if size == 0 || size > crate::MAX_BYTES {
        return Err(bad(
            "an element of a registered type has no bytes or too many",
        ));
    }
    let number = NEXT.get();
    let next = number.checked_add(1);
    NEXT.set(next.ok_or_else(|| bad("too many types are registered"))?);
    Descr::with_extra(DType::User(number), size, Extra::User(table))
}
