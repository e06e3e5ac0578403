//! Types that a program registers.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::{Descr, Extra};
use crate::cast::Casting;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::value::Value;

/// The functions of a registered type. An element is `size` bytes; every function gets exactly
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

/// Makes a type of a table of functions: elements, printing, comparison and casts of its arrays
/// work at once, and loops of ufuncs can be registered for it.
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
