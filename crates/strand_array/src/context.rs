//! The memory limit and the trace that operations share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::array::Array;
use crate::block::{Block, Memory};
use crate::error::{ArrayError, Result};
use crate::jit::Kernels;

/// Where operations take memory from, up to a limit, and where they report what they did.
///
/// A clone shares limit and trace. Arrays keep their context's memory alive.
#[derive(Clone)]
pub struct Context {
    memory: Rc<Memory>,
    trace: Rc<Trace>,
    kernels: Option<Kernels>,
}

#[derive(Default)]
struct Trace {
    on: Cell<bool>,
    reports: RefCell<Vec<Report>>,
    faults: RefCell<Vec<ArrayError>>,
}

/// How a plan ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopKind {
    /// One loop over contiguous memory.
    One,
    /// Loops over an inner axis, strides outside.
    Strided,
    /// Inner loops over buffers of cast or byte-swapped elements.
    Buffered,
    /// Several operations in one pass over memory.
    Fused,
    /// A pass over memory by a loop that was compiled for it.
    Compiled,
    /// Elements fetched by index.
    Gather,
    /// A blocked matrix product.
    Matmul,
    /// A sort, scan, draw or other loop along one axis.
    Axis,
    /// An index list, by one of its paths.
    Index(IndexPath),
    /// Nothing moved: the result shares the operand's memory.
    View,
}

/// The path that an index list takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexPath {
    /// An integer per axis: one element.
    Element,
    /// Integers, slices and new axes: other strides over the same memory, or one copy of it.
    View,
    /// One bool array of the array's shape.
    Mask,
    /// One array of positions for an array of rank 1, positions checked on the way.
    OneArray,
    /// Arrays of positions for every axis.
    Arrays,
    /// Arrays of positions, and a view with several elements at each position.
    Subspace,
    /// Arrays of positions, and a view with one element at each position.
    OneElementEach,
}

/// What one executed plan did, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Names of the operations, in order.
    pub ops: Vec<&'static str>,
    /// How it ran.
    pub kind: LoopKind,
    /// The loop's shape after coalescing, outermost first.
    pub shape: Vec<usize>,
    /// Byte strides of each operand over `shape`.
    pub strides: Vec<Vec<isize>>,
    /// Bytes allocated for results.
    pub bytes: usize,
}

impl Report {
    /// What a loop along an axis of the first of these arrays did; `result` is the array it made.
    pub(crate) fn along_axis(op: &'static str, arrays: &[&Array], result: &Array) -> Self {
        Self {
            ops: vec![op],
            kind: LoopKind::Axis,
            shape: arrays.first().map_or(vec![], |a| a.shape().to_vec()),
            strides: arrays.iter().map(|a| a.strides().to_vec()).collect(),
            bytes: result.block().len(),
        }
    }
}

impl Default for Context {
    /// A limit of 1 GiB.
    fn default() -> Self {
        Self::new(1 << 30)
    }
}

impl Context {
    /// A context whose live arrays may hold `limit` bytes together.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            memory: Rc::new(Memory::new(limit)),
            trace: Rc::default(),
            kernels: None,
        }
    }

    /// The context with loops that a host compiles while programs run.
    #[must_use]
    pub fn with_kernels(mut self, kernels: Option<Kernels>) -> Self {
        self.kernels = kernels;
        self
    }

    pub(crate) fn kernels(&self) -> Option<&Kernels> {
        self.kernels.as_ref()
    }

    /// The limit in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.memory.limit()
    }

    /// Changes the limit; arrays that live stay.
    pub fn set_limit(&self, limit: usize) {
        self.memory.set_limit(limit);
    }

    /// Bytes held by live arrays, rounded up to the allocator's size classes.
    #[must_use]
    pub fn used(&self) -> usize {
        self.memory.used()
    }

    /// The most that [`Self::used`] has been.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.memory.peak()
    }

    /// How many results have taken the memory of an operand, rather than other memory
    /// ([`Expr::eval_spending`](crate::Expr::eval_spending)); NumPy calls it temporary elision.
    #[must_use]
    pub fn spent(&self) -> usize {
        self.memory.spent()
    }

    pub(crate) fn count_spent(&self) {
        self.memory.count_spent();
    }

    /// Whether the block counts against this context's limit, and one array alone holds it.
    pub(crate) fn owns_alone(&self, block: &Rc<Block>) -> bool {
        Rc::strong_count(block) == 1 && Rc::weak_count(block) == 0 && block.is_of(&self.memory)
    }

    /// Gives freed memory that is kept for reuse back to the allocator.
    pub fn flush(&self) {
        self.memory.flush();
    }

    /// Starts or stops collecting reports.
    pub fn set_tracing(&self, on: bool) {
        self.trace.on.set(on);
    }

    /// The reports collected since the last call.
    #[must_use]
    pub fn take_reports(&self) -> Vec<Report> {
        self.trace.reports.take()
    }

    /// Mistakes that no call could return, since they were made by dropping something.
    #[must_use]
    pub fn take_faults(&self) -> Vec<ArrayError> {
        self.trace.faults.take()
    }

    pub(crate) fn record_fault(&self, fault: ArrayError) {
        self.trace.faults.borrow_mut().push(fault);
    }

    /// Adds a report if tracing is on; the closure runs only then.
    pub(crate) fn report(&self, make: impl FnOnce() -> Report) {
        if self.trace.on.get() {
            self.trace.reports.borrow_mut().push(make());
        }
    }

    /// Runs `f` without collecting the reports of the steps it is made of.
    pub(crate) fn quietly<T>(&self, f: impl FnOnce() -> T) -> (T, usize) {
        let on = self.trace.on.replace(false);
        let before = self.memory.allocated();
        let result = f();
        self.trace.on.set(on);
        (
            result,
            self.memory.allocated().saturating_sub(before) as usize,
        )
    }

    pub(crate) fn block(&self, bytes: usize) -> Result<Block> {
        Block::new(&self.memory, bytes)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("limit", &self.limit())
            .field("used", &self.used())
            .finish_non_exhaustive()
    }
}
