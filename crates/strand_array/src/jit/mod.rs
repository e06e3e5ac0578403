//! Loops that are compiled while a program runs.
//!
//! An elementwise expression over many elements, or one that comes again and again, becomes a
//! WebAssembly module of one function: all its steps in one pass, values in registers. A [`Host`]
//! instantiates the module with the engine's own memory and puts the function into the engine's
//! table of functions. Where there is no host, or it can't, or a step has no template, the block
//! evaluator runs the expression as ever; the results are the same to the bit.
//!
//! # A host
//!
//! The module imports `e.m`, the engine's memory, and `e.t`, its table of functions, and exports
//! the function as `f`. So in JavaScript, with an engine linked with `--export-table` and
//! `--growable-table`:
//!
//! ```js
//! const free = [];
//! function compile(bytes) {
//!   try {
//!     const module = new WebAssembly.Module(bytes);
//!     const { exports } = new WebAssembly.Instance(module, { e: { m: memory, t: table } });
//!     const slot = free.pop() ?? table.grow(1);
//!     table.set(slot, exports.f);
//!     return slot;
//!   } catch {
//!     return -1; // Compiling isn't allowed here: the engine interprets.
//!   }
//! }
//! function release(slot) {
//!   table.set(slot, null);
//!   free.push(slot);
//! }
//! ```
//!
//! A slot goes with its instance of the engine. The memory object itself is imported, so that a
//! memory that grows needs nothing.

#[allow(unsafe_code)]
mod call;
mod code;
mod emit;
mod key;
mod layout;
mod ops;
mod terms;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub use call::Slot;
pub(crate) use call::{Kernel, StridedBytes, Words, bytes_of};
pub(crate) use layout::{Access, Stream};

use crate::expr::program::Program;
use call::Loop;
use emit::Plan;
use key::{hash, key};

/// Instantiates modules: what the engine needs of its surroundings to run compiled loops.
pub trait Host {
    /// The place in the engine's table of functions where the module's function was put; none where
    /// it couldn't be compiled.
    fn compile(&self, module: &[u8]) -> Option<Slot>;

    /// Takes back a slot whose loop nothing runs any more: its place may hold another one.
    fn release(&self, slot: Slot);
}

/// Steps times elements from which on a loop is compiled the first time that it runs.
const LARGE: usize = 1 << 18;
/// Below this it never is.
const SMALL: usize = 1 << 10;
/// The run of the same loop that is compiled, if it isn't small.
const OFTEN: u32 = 3;
/// Loops that are kept.
const MOST: usize = 256;

/// The compiled loops of an engine. A clone shares them.
#[derive(Clone)]
pub struct Kernels(Rc<Shared>);

struct Shared {
    host: Rc<dyn Host>,
    /// By hash.
    found: RefCell<Vec<Entry>>,
    /// Counts look-ups.
    now: Cell<u64>,
    always: Cell<bool>,
}

/// A loop that ran.
struct Entry {
    hash: u64,
    key: Vec<u8>,
    runs: u32,
    /// When it was looked up last.
    last: u64,
    /// `Some(None)` where it can't be compiled.
    kernel: Option<Option<Kernel>>,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kernels")
    }
}

impl Kernels {
    /// Loops that this host compiles.
    #[must_use]
    pub fn new(host: Box<dyn Host>) -> Self {
        Self(Rc::new(Shared {
            host: Rc::from(host),
            found: RefCell::default(),
            now: Cell::new(0),
            always: Cell::new(false),
        }))
    }

    /// Whether to compile every loop that can be, however small. For tests: no result depends on it.
    #[doc(hidden)]
    pub fn compile_always(&self, always: bool) {
        self.0.always.set(always);
    }

    /// Whether a program over `count` elements is worth a look for its loop.
    pub(crate) fn pays(&self, program: &Program, count: usize) -> bool {
        let work = program.computed().saturating_mul(count);
        work >= if self.is_eager() { 1 } else { SMALL }
    }

    /// Whether every loop is compiled that can be.
    pub(crate) fn is_eager(&self) -> bool {
        self.0.always.get()
    }

    /// The compiled loop of a program over `count` elements, if there is one or it is time for it.
    /// `streams` are the operands that it loads, by their numbers, then its results, one of which lies where an operand
    /// does if `spent`.
    pub(crate) fn find(
        &self,
        program: &Program,
        streams: &[Option<Stream>],
        count: usize,
        spent: bool,
    ) -> Option<Kernel> {
        let always = self.is_eager();
        let work = program.computed().saturating_mul(count);
        // What the block kernels do in one loop of their own.
        let is_run = |s: &Stream| s.access == Access::Run;
        let plain = work == count && streams.iter().flatten().all(is_run);
        if plain && !always && !spent {
            return None;
        }
        let key = key(program, streams);
        let mut found = self.0.found.borrow_mut();
        let at = self.entry(&mut found, key);
        let entry = found.get_mut(at)?;
        if entry.kernel.is_none() && (always || work >= LARGE || entry.runs >= OFTEN) {
            entry.kernel = Some(self.compile(program, streams));
        }
        entry.kernel.clone().flatten()
    }

    /// The place of the entry of a key, which is counted.
    fn entry(&self, found: &mut Vec<Entry>, key: Vec<u8>) -> usize {
        let hash = hash(&key);
        let now = self.0.now.get() + 1;
        self.0.now.set(now);
        let mut at = found.partition_point(|e| e.hash < hash);
        match found.get_mut(at) {
            Some(entry) if entry.hash == hash && entry.key == key => {
                entry.runs = entry.runs.saturating_add(1);
                entry.last = now;
                return at;
            }
            _ => {}
        }
        if found.len() >= MOST {
            let oldest = found.iter().enumerate().min_by_key(|(_, e)| e.last);
            let oldest = oldest.map_or(0, |(at, _)| at);
            found.remove(oldest);
            at -= usize::from(oldest < at);
        }
        let entry = Entry {
            hash,
            key,
            runs: 1,
            last: now,
            kernel: None,
        };
        found.insert(at, entry);
        at
    }

    fn compile(&self, program: &Program, streams: &[Option<Stream>]) -> Option<Kernel> {
        let inputs = streams.len().checked_sub(program.results.len())?;
        let module = emit::module(&Plan {
            program,
            streams,
            inputs,
        })?;
        let host = Rc::clone(&self.0.host);
        let slot = host.compile(&module)?;
        Some(Rc::new(Loop::new(host, slot, streams.to_vec(), inputs)))
    }
}
