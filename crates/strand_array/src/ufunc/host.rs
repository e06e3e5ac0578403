//! Ufuncs and loops that a program makes.

use std::cell::RefCell;
use std::rc::Rc;

use crate::descr::Descr;
use crate::error::Result;

/// A loop of the host over packed elements in the machine's byte order: inputs, outputs, count.
pub type HostLoop = Rc<dyn Fn(&[&[u8]], &mut [&mut [u8]], usize) -> Result<()>>;

/// Loops that were registered for built-in ufuncs.
#[derive(Default)]
pub(super) struct UserLoops(RefCell<Vec<UserLoop>>);

#[derive(Clone)]
pub(super) struct UserLoop {
    pub(super) ufunc: String,
    pub(super) types: Vec<Descr>,
    pub(super) run: HostLoop,
}
