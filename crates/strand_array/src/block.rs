//! Blocks of memory: the only module that allocates and frees them.
//!
//! A block is one live allocation, 64-byte aligned, every byte of it initialised, and belongs to one
//! thread. It is read and written in two ways. Typed slices are for blocks that nobody else
//! writes meanwhile: `slice_mut` asks for `&mut Block`, and a function that holds a `slice` writes
//! only into blocks of its own and calls nothing of the host. Views that are written in place go
//! through `ptr` alone, with no slice into that block alive.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;

use crate::error::{ArrayError, Result};
use crate::object::Held;

/// Alignment of every block: a cache line, and more than any SIMD register needs.
pub const ALIGN: usize = 64;

/// Bytes that one block may have, on every target alike.
pub const MAX_BYTES: usize = i32::MAX as usize;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for i64 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A type that elements have in memory: no padding, and every bit pattern is a value.
pub trait Pod: sealed::Sealed + Copy + Default + PartialEq + PartialOrd + 'static {
    /// Reads a value at any byte position.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! pod {
    ($($t:ty),*) => {$(
        impl Pod for $t {
            fn read(bytes: &[u8]) -> Self {
                match bytes.first_chunk() {
                    Some(chunk) => Self::from_ne_bytes(*chunk),
                    None => Self::default(),
                }
            }
        }
    )*};
}
pod!(u8, u16, i64, f32, f64);

/// The memory of one context: its limit, what is in use, and freed blocks kept for reuse.
pub(crate) struct Memory {
    limit: Cell<usize>,
    used: Cell<usize>,
    peak: Cell<usize>,
    allocated: Cell<u64>,
    spent: Cell<usize>,
    pooled: Cell<usize>,
    pool: RefCell<Vec<(usize, Vec<NonNull<u8>>)>>,
}

impl Memory {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit: Cell::new(limit),
            used: Cell::new(0),
            peak: Cell::new(0),
            allocated: Cell::new(0),
            spent: Cell::new(0),
            pooled: Cell::new(0),
            pool: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.get()
    }

    pub(crate) fn set_limit(&self, limit: usize) {
        self.limit.set(limit);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.get()
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak.get()
    }

    /// All bytes ever handed out.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated.get()
    }

    /// How many blocks have passed from an operand to a result.
    pub(crate) fn spent(&self) -> usize {
        self.spent.get()
    }

    pub(crate) fn count_spent(&self) {
        self.spent.set(self.spent.get() + 1);
    }

    fn out_of_memory(&self, bytes: usize) -> ArrayError {
        ArrayError::OutOfMemory {
            bytes: bytes as u64,
            limit: self.limit.get() as u64,
        }
    }

    fn take(&self, capacity: usize) -> Option<NonNull<u8>> {
        let mut pool = self.pool.borrow_mut();
        let class = pool.iter_mut().find(|(size, _)| *size == capacity)?;
        let ptr = class.1.pop()?;
        self.pooled.set(self.pooled.get() - capacity);
        Some(ptr)
    }

    fn put(&self, ptr: NonNull<u8>, capacity: usize) {
        self.used.set(self.used.get() - capacity);
        if self.pooled.get() + capacity > self.limit.get() / 8 {
            return release(ptr, capacity);
        }
        self.pooled.set(self.pooled.get() + capacity);
        let mut pool = self.pool.borrow_mut();
        match pool.iter_mut().find(|(size, _)| *size == capacity) {
            Some(class) => class.1.push(ptr),
            None => pool.push((capacity, vec![ptr])),
        }
    }

    /// Gives the pooled blocks back to the allocator.
    pub(crate) fn flush(&self) {
        for (capacity, blocks) in self.pool.borrow_mut().drain(..) {
            for ptr in blocks {
                release(ptr, capacity);
            }
        }
        self.pooled.set(0);
    }

    fn acquire(&self, bytes: usize, capacity: usize) -> Result<NonNull<u8>> {
        let used = self
            .used
            .get()
            .checked_add(capacity)
            .filter(|u| *u <= self.limit.get());
        let used = used.ok_or_else(|| self.out_of_memory(bytes))?;
        let ptr = match self.take(capacity) {
            Some(ptr) => ptr,
            None => fresh(capacity)
                .or_else(|| {
                    self.flush();
                    fresh(capacity)
                })
                .ok_or_else(|| self.out_of_memory(bytes))?,
        };
        self.used.set(used);
        self.peak.set(self.peak.get().max(used));
        self.allocated.set(self.allocated.get() + capacity as u64);
        Ok(ptr)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.flush();
    }
}

/// A zeroed allocation of `capacity` bytes, which isn't 0.
fn fresh(capacity: usize) -> Option<NonNull<u8>> {
    let layout = Layout::from_size_align(capacity, ALIGN).ok()?;
    if layout.size() == 0 {
        return None;
    }
    // SAFETY: the layout's size isn't zero.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

fn release(ptr: NonNull<u8>, capacity: usize) {
    if let Ok(layout) = Layout::from_size_align(capacity, ALIGN) {
        // SAFETY: every pointer that gets here came from `fresh` with this same capacity, and its
        // owner (a dropped block, or the pool it was drained from) gives it up.
        unsafe { dealloc(ptr.as_ptr(), layout) }
    }
}

/// The bytes that an array of so many takes: blocks come in classes of sizes.
#[must_use]
pub fn allocated(bytes: usize) -> usize {
    size_class(bytes.min(MAX_BYTES))
}

/// Rounds up so that blocks of nearby sizes can take each other's place: at most 1/8 is lost.
fn size_class(bytes: usize) -> usize {
    let grain = match bytes {
        0..=4096 => ALIGN,
        _ => bytes.next_power_of_two() / 16,
    };
    bytes.div_ceil(grain) * grain
}

/// A 64-byte aligned allocation that counts against its context's memory limit.
pub struct Block {
    ptr: NonNull<u8>,
    len: usize,
    capacity: usize,
    memory: Rc<Memory>,
    /// Where host values lie, if elements hold them.
    held: Option<Box<Held>>,
    /// Copies that are to be written back here: while there are any, elements are read-only.
    locks: Cell<u32>,
}

impl Block {
    /// A block of `bytes` initialised bytes of unspecified value.
    pub(crate) fn new(memory: &Rc<Memory>, bytes: usize) -> Result<Self> {
        if bytes > MAX_BYTES {
            return Err(memory.out_of_memory(bytes));
        }
        let capacity = size_class(bytes);
        let ptr = match capacity {
            0 => NonNull::<Aligned>::dangling().cast(),
            _ => memory.acquire(bytes, capacity)?,
        };
        Ok(Self {
            ptr,
            len: bytes,
            capacity,
            memory: Rc::clone(memory),
            held: None,
            locks: Cell::new(0),
        })
    }

    /// The block, zeroed, as one of elements with host values, which it releases when it goes.
    pub(crate) fn holding(mut self, held: Box<Held>) -> Self {
        self.slice_mut::<u8>().fill(0);
        self.held = Some(held);
        self
    }

    /// Whether it counts against this limit, and is an ordinary block.
    pub(crate) fn is_of(&self, memory: &Rc<Memory>) -> bool {
        Rc::ptr_eq(&self.memory, memory) && self.held.is_none() && !self.is_locked()
    }

    /// Whether elements hold host values.
    pub(crate) fn holds_objects(&self) -> bool {
        self.held.is_some()
    }

    /// Makes elements read-only, once more.
    pub(crate) fn lock(&self) {
        self.locks.set(self.locks.get().saturating_add(1));
    }

    /// Takes one lock away.
    pub(crate) fn unlock(&self) {
        self.locks.set(self.locks.get().saturating_sub(1));
    }

    /// Whether elements are read-only for now.
    pub(crate) fn is_locked(&self) -> bool {
        self.locks.get() > 0
    }

    /// Bytes that arrays may use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The whole block as elements of one type. Nothing may write into the block while the slice
    /// lives; in this crate that holds since no function takes a slice of a block that it writes.
    #[must_use]
    pub(crate) fn slice<T: Pod>(&self) -> &[T] {
        // SAFETY: `ptr` is aligned to 64 and has `len` initialised bytes (or is dangling and
        // `len` is 0); `T` is `Pod`, so any bytes are a value. While `&self` lives nobody has
        // `&mut Block`, the only way to write.
        unsafe {
            std::slice::from_raw_parts(self.ptr.as_ptr().cast::<T>(), self.len / size_of::<T>())
        }
    }

    /// Where the bytes lie. Reads and writes through it obey the bounds that the array's
    /// constructor proved, and no slice into the block may live beside a write.
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// The whole block as elements of one type, to write.
    pub(crate) fn slice_mut<T: Pod>(&mut self) -> &mut [T] {
        let n = self.len / size_of::<T>();
        // SAFETY: as for `slice`; `&mut self` proves that no other slice into the block lives.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr().cast::<T>(), n) }
    }
}

#[repr(align(64))]
struct Aligned;

const _: () = assert!(align_of::<Aligned>() == ALIGN);

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            held.release(self.slice::<u8>());
        }
        if self.capacity > 0 {
            self.memory.put(self.ptr, self.capacity);
        }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_hold_their_bytes_and_waste_little() {
        for bytes in [
            0,
            1,
            63,
            64,
            65,
            4096,
            4097,
            5000,
            1 << 20,
            (1 << 20) + 1,
            MAX_BYTES,
        ] {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(ALIGN));
            assert!(
                class <= bytes + (bytes / 8).max(ALIGN),
                "{bytes} -> {class}"
            );
        }
    }

    #[test]
    fn the_limit_counts_live_blocks_only() {
        let memory = Rc::new(Memory::new(1 << 16));
        let a = Block::new(&memory, 40_000).unwrap();
        let err = Block::new(&memory, 40_000).unwrap_err();
        assert_eq!(
            err,
            ArrayError::OutOfMemory {
                bytes: 40_000,
                limit: 1 << 16
            }
        );
        drop(a);
        assert_eq!(memory.used(), 0);
        assert!(Block::new(&memory, 40_000).is_ok());
    }

    #[test]
    fn an_empty_block_is_aligned_and_reads_as_nothing() {
        let memory = Rc::new(Memory::new(0));
        let block = Block::new(&memory, 0).unwrap();
        assert!(block.slice::<f64>().is_empty());
    }
}
