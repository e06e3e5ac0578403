//! Calls of compiled loops: the only place where the engine runs code that it didn't bring.
//!
//! A loop reads and writes through the addresses among its words and nowhere else, which its emitter
//! writes so: of each operand `rows` times `length` elements, from its address on by its strides,
//! and as many of each result, one after the other. [`Words::run`] makes these addresses of slices,
//! and checks that every element lies in its slice before it calls.

use std::rc::Rc;

use super::Host;
use super::layout::{Access, HELPER, LENGTH, ROWS, STREAM, STREAMS, Stream};
use crate::dtype::Scalar;
use crate::expr::program::{Code, Program};
use crate::kernels::SpanMut;

/// The place of a compiled loop in the engine's table of functions.
#[derive(Debug, PartialEq, Eq)]
pub struct Slot(Place);

#[cfg(target_arch = "wasm32")]
type Place = u32;
/// Elsewhere nothing runs the modules, so that there is no slot.
#[cfg(not(target_arch = "wasm32"))]
type Place = std::convert::Infallible;

#[cfg(target_arch = "wasm32")]
impl Slot {
    /// The slot at a place of the engine's table.
    ///
    /// # Safety
    /// Until the engine gives the slot back ([`Host::release`]), the function there must be the
    /// one that the module exports, which was instantiated with the engine's own memory and table.
    #[must_use]
    pub unsafe fn at(place: u32) -> Self {
        Self(place)
    }

    /// Its place in the table.
    #[must_use]
    pub fn place(&self) -> u32 {
        self.0
    }
}

/// A compiled loop. Its slot goes back to the host with the last that holds it.
pub(crate) struct Loop {
    host: Rc<dyn Host>,
    /// There until the loop is dropped.
    slot: Option<Slot>,
    streams: Vec<Option<Stream>>,
    inputs: usize,
}

impl Drop for Loop {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.host.release(slot);
        }
    }
}

/// A compiled loop that is shared by those who run it.
pub(crate) type Kernel = Rc<Loop>;

impl Loop {
    /// The loop at a slot, which was emitted for these streams.
    pub(super) fn new(
        host: Rc<dyn Host>,
        slot: Slot,
        streams: Vec<Option<Stream>>,
        inputs: usize,
    ) -> Self {
        Self {
            host,
            slot: Some(slot),
            streams,
            inputs,
        }
    }
}

/// Where an operand of a loop lies.
#[derive(Clone, Copy)]
pub(crate) struct StridedBytes<'a> {
    /// The bytes that it lies in.
    pub(crate) bytes: &'a [u8],
    /// Byte offset of the first element.
    pub(crate) first: usize,
    /// Bytes from a row to the next.
    pub(crate) row: isize,
    /// Bytes from an element to the next.
    pub(crate) stride: isize,
}

/// The words of a loop's runs.
pub(crate) struct Words {
    kernel: Kernel,
    words: Vec<u32>,
}

impl Words {
    /// The words of a loop for a program that has these constants.
    pub(crate) fn new(kernel: Kernel, program: &Program) -> Self {
        let mut words = vec![0; ((STREAMS + STREAM * kernel.streams.len() as u32) / 4) as usize];
        set(&mut words, HELPER, helper());
        for step in &program.steps {
            if let Code::Const(value) = step.code {
                let bits = match value {
                    Scalar::Bool(v) => u64::from(v),
                    Scalar::I64(v) | Scalar::Int(_, v) => v as u64,
                    Scalar::F32(v) | Scalar::Half(_, v) => v.to_bits().into(),
                    Scalar::F64(v) => v.to_bits(),
                };
                words.extend([bits as u32, (bits >> 32) as u32]);
            }
        }
        Self { kernel, words }
    }

    /// Runs the loop over `rows` rows of `length` elements; both aren't 0. False, and nothing is written, if an
    /// operand or a result doesn't have them. Of `spent` the first is an operand whose elements, one after another,
    /// stand where those of a result are to be, which is the second.
    pub(crate) fn run<'a>(
        &mut self,
        (rows, length): (usize, usize),
        operand: impl Fn(usize) -> Option<StridedBytes<'a>>,
        spent: Option<(usize, usize)>,
        results: &mut [&mut [u8]],
    ) -> bool {
        let kernel = Rc::clone(&self.kernel);
        let (inputs, outputs) = kernel
            .streams
            .split_at(kernel.inputs.min(kernel.streams.len()));
        let Some(slot) = &kernel.slot else {
            return false;
        };
        if outputs.len() != results.len() || rows == 0 || length == 0 {
            return false;
        }
        set(&mut self.words, ROWS, rows as u32);
        set(&mut self.words, LENGTH, length as u32);
        for (k, stream) in inputs.iter().enumerate() {
            let Some(stream) = stream else { continue };
            if let Some((_, result)) = spent.filter(|(operand, _)| *operand == k) {
                let bytes = results.get_mut(result).map_or(&mut [][..], |bytes| bytes);
                let size = stream.dtype.size();
                if stream.access != Access::Run || bytes.len() != rows * length * size {
                    return false;
                }
                let address = bytes.as_mut_ptr().expose_provenance();
                self.set_stream(k, address, 0, size as isize);
                continue;
            }
            let Some(lying) = operand(k).filter(|l| l.holds(*stream, rows, length)) else {
                return false;
            };
            let step = stream.step(lying.stride);
            let address = lying.bytes.as_ptr().expose_provenance() + lying.first;
            self.set_stream(k, address, lying.row - length as isize * step, step);
        }
        for (k, (stream, bytes)) in outputs.iter().zip(results).enumerate() {
            let Some(stream) = stream else { return false };
            if stream.access != Access::Run || bytes.len() != rows * length * stream.dtype.size() {
                return false;
            }
            let address = bytes.as_mut_ptr().expose_provenance();
            self.set_stream(inputs.len() + k, address, 0, stream.dtype.size() as isize);
        }
        // SAFETY: the loop was emitted for these streams. Its operands have `rows` times `length` elements in slices
        // that live, its results as many in slices that are borrowed to be written, so that they overlap no other,
        // but where an operand stands in a result: a pass of the loop reads its elements before it writes them.
        // The constants are those of a program with the loop's steps.
        unsafe { call(slot, &mut self.words) };
        true
    }

    fn set_stream(&mut self, number: usize, address: usize, jump: isize, step: isize) {
        let at = STREAMS + STREAM * number as u32;
        set(&mut self.words, at, address as u32);
        set(&mut self.words, at + 4, jump as u32);
        set(&mut self.words, at + 8, step as u32);
    }
}

fn set(words: &mut [u32], offset: u32, value: u32) {
    if let Some(word) = words.get_mut(offset as usize / 4) {
        *word = value;
    }
}

impl StridedBytes<'_> {
    /// Whether every element of the rows lies in the bytes.
    fn holds(&self, stream: Stream, rows: usize, length: usize) -> bool {
        let steps = [(rows, self.row), (length, stream.step(self.stride))];
        let (mut low, mut high) = (self.first as i64, self.first as i64);
        for (count, step) in steps {
            let Some(reach) = (count as i64 - 1).checked_mul(step as i64) else {
                return false;
            };
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        let end = high.saturating_add(stream.dtype.size() as i64);
        low >= 0 && end <= self.bytes.len() as i64
    }
}

/// The bytes of elements.
pub(crate) fn bytes_of<'a>(span: SpanMut<'a>) -> &'a mut [u8] {
    fn plain<T: crate::block::Pod>(elements: &mut [T]) -> &mut [u8] {
        let size = size_of_val(elements);
        // SAFETY: `Pod` has no padding and every bit pattern is a value; the borrow is passed on.
        unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size) }
    }
    match span {
        SpanMut::Bool(v) => v,
        SpanMut::I64(v) => plain(v),
        SpanMut::F32(v) => plain(v),
        SpanMut::F64(v) => plain(v),
    }
}

/// Calls the loop.
///
/// # Safety
/// The words must be those of the loop's streams: see the head of this module.
#[cfg(target_arch = "wasm32")]
unsafe fn call(slot: &Slot, words: &mut [u32]) {
    // SAFETY: a function pointer is a place in the table; who made the slot vouches for what is there, and the module
    // exports a function of this type.
    let function =
        unsafe { std::mem::transmute::<usize, extern "C" fn(*mut u32)>(slot.0 as usize) };
    function(words.as_mut_ptr());
}

#[cfg(not(target_arch = "wasm32"))]
unsafe fn call(slot: &Slot, _: &mut [u32]) {
    match slot.0 {}
}

/// The place of [`answer`] in the engine's table.
#[cfg(target_arch = "wasm32")]
fn helper() -> u32 {
    let function: extern "C" fn(u32, *mut [[u8; 16]; 2]) = answer;
    function as usize as u32
}

#[cfg(not(target_arch = "wasm32"))]
fn helper() -> u32 {
    0
}

/// Puts a function of the vectors at an address in the place of the first: what a loop calls where it has no template,
/// or its own polynomials don't reach.
#[cfg(target_arch = "wasm32")]
extern "C" fn answer(function: u32, operands: *mut [[u8; 16]; 2]) {
    // SAFETY: a loop gives the address of 32 bytes among its words, which nothing else uses meanwhile.
    let operands = unsafe { &mut *operands };
    crate::kernels::lanes::compute(function, operands);
}
