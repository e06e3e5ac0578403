//! Running a program over a domain, block by block.

use super::program::{Code, Program, Step};
use crate::array::Array;
use crate::block::{Block, Pod};
use crate::context::Context;
use crate::dtype::{DType, by_repr};
use crate::error::Result;
use crate::jit::Kernels;
use crate::kernels::{self, Raw, Reg, Span, SpanMut};
use crate::plan::Domain;

/// Elements per block: a register of f32 has 2 KB.
pub(super) const CHUNK: usize = 512;
/// Inner rows at least this long are cut into blocks of their own; shorter ones share blocks.
const LONG_ROW: usize = 192;

/// An input over the domain.
pub(super) struct Operand<'a> {
    pub(super) block: &'a Block,
    pub(super) dtype: DType,
    pub(super) offset: usize,
    pub(super) strides: Vec<isize>,
    aligned: bool,
    /// The elements follow each other over the whole domain.
    pub(super) linear: bool,
}

impl<'a> Operand<'a> {
    pub(super) fn new(array: &'a Array, shape: &[usize], strides: Vec<isize>) -> Self {
        let item = array.item_size();
        let linear = crate::layout::is_c_contiguous(shape, &strides, item);
        Self {
            block: &array.block,
            dtype: array.dtype(),
            offset: array.offset,
            strides,
            aligned: array.is_aligned(),
            linear,
        }
    }
}

/// A result that is written in the order of the domain.
pub(super) struct Target {
    /// The step.
    pub(super) step: usize,
    pub(super) block: Block,
    pub(super) dtype: DType,
    /// The step is computed straight into the block.
    pub(super) direct: bool,
}

/// Where a block starts, and its length.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    index: &'a [usize],
    start: usize,
    len: usize,
}

/// Registers and operands of one run.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) kernels: Option<&'a Kernels>,
    pub(super) operands: Vec<Operand<'a>>,
    pub(super) shape: Vec<usize>,
    pub(super) registers: Vec<Reg>,
    /// The operand whose elements lie in a result's block, each where the result's is to be, and which result.
    pub(super) spent: Option<(usize, usize)>,
    /// Where each step's value lies.
    places: Vec<Place>,
}

/// Where the value of a step lies.
#[derive(Clone, Copy)]
enum Place {
    /// In its register.
    Register,
    /// In its register, all elements equal.
    Filled,
    /// In its operand's block, from this element on.
    Run(usize),
    /// This element of its operand's block, for all.
    One(usize),
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        ctx: &'a Context,
        program: &'a Program,
        inputs: &'a [Array],
        domain: &Domain,
    ) -> Self {
        let len = CHUNK.min(domain.len().max(1));
        let mut registers: Vec<Reg> = program
            .registers
            .iter()
            .map(|d| Reg::new(*d, len))
            .collect();
        for step in &program.steps {
            if let (Code::Const(value), Some(register)) =
                (step.code, registers.get_mut(step.register))
            {
                *register = Reg::filled(value, len);
            }
        }
        let operands = inputs.iter().zip(&domain.strides);
        Self {
            program,
            kernels: ctx.kernels(),
            operands: operands
                .map(|(a, s)| Operand::new(a, &domain.shape, s.clone()))
                .collect(),
            shape: domain.shape.clone(),
            registers,
            spent: None,
            places: program
                .steps
                .iter()
                .map(|s| match s.code {
                    Code::Const(_) => Place::Filled,
                    _ => Place::Register,
                })
                .collect(),
        }
    }

    /// Narrows the last axis to `len` positions from `start`.
    pub(super) fn narrow_last(&mut self, start: usize, len: usize) {
        let before = self.shape.last().copied().unwrap_or(1);
        if let Some(last) = self.shape.last_mut() {
            *last = len;
        }
        for operand in &mut self.operands {
            let stride = operand.strides.last().copied().unwrap_or(0);
            operand.offset = operand.offset.wrapping_add_signed(start as isize * stride);
            operand.linear &= before == len;
        }
    }

    /// Puts the last axis back after `narrow_last`.
    pub(super) fn widen_last(&mut self, start: usize, len: usize) {
        if let Some(last) = self.shape.last_mut() {
            *last = len;
        }
        for operand in &mut self.operands {
            let stride = operand.strides.last().copied().unwrap_or(0);
            operand.offset = operand
                .offset
                .wrapping_add_signed(-(start as isize * stride));
        }
    }

    /// Runs over the whole domain. `sink` is called after each block with the machine, the block's
    /// first position and its length. Blocks never cut a short row.
    pub(super) fn run(
        &mut self,
        targets: &mut [Target],
        sink: &mut dyn FnMut(&Self, usize, usize) -> Result<()>,
    ) -> Result<()> {
        if self.run_compiled(targets, sink)? {
            return Ok(());
        }
        let shape = self.shape.clone();
        let total: usize = shape.iter().product();
        let row = shape.last().copied().unwrap_or(1);
        let short = if row < LONG_ROW {
            CHUNK / row.max(1) * row
        } else {
            0
        };
        let limit = if self.needs_no_register(targets) {
            usize::MAX
        } else {
            CHUNK
        };
        let mut index = vec![0; shape.len()];
        let mut start = 0;
        while start < total {
            let left_in_row = row - index.last().copied().unwrap_or(0);
            let len = if short > 0 {
                short.min(total - start)
            } else {
                left_in_row.min(limit)
            };
            self.step_all(
                Chunk {
                    index: &index,
                    start,
                    len,
                },
                targets,
            )?;
            sink(self, start, len)?;
            start += len;
            advance(&mut index, &shape, len);
        }
        Ok(())
    }

    /// Whether all values but constants are read where they lie or written to a result, so that a
    /// block may be as long as a row.
    fn needs_no_register(&self, targets: &[Target]) -> bool {
        let mut steps = self.program.steps.iter().enumerate();
        let mut computed = 0;
        let in_place = steps.all(|(i, step)| match step.code {
            // A constant that is a result is copied out of its register.
            Code::Const(_) => !self.program.results.contains(&i),
            Code::Load(k) if self.lies_in(k).is_some() => false,
            Code::Load(k) => self.operands.get(k).is_some_and(|operand| {
                let stride = operand.strides.last().copied().unwrap_or(0);
                let item = operand.dtype.size() as isize;
                let single = stride == 0 && !self.program.results.contains(&i);
                operand.aligned
                    && operand.dtype.wide().is_some()
                    && (operand.linear || stride == item || single)
            }),
            _ => {
                computed += 1;
                targets.iter().any(|t| t.direct && t.step == i)
            }
        });
        in_place && computed > 0
    }

    /// The result in whose block the operand's elements lie.
    fn lies_in(&self, operand: usize) -> Option<usize> {
        self.spent
            .and_then(|(k, result)| (k == operand).then_some(result))
    }

    /// The step's value lies in its register from now on.
    pub(super) fn in_register(&mut self, step: usize) {
        if let Some(place) = self.places.get_mut(step) {
            *place = Place::Register;
        }
    }

    /// The value of a result after a block.
    pub(super) fn result(&self, number: usize, n: usize) -> Span<'_> {
        let results = &self.program.results;
        self.whole_value(results.get(number).copied().unwrap_or_default(), n)
    }

    /// The `n` elements of a step.
    fn whole_value(&self, step: usize, n: usize) -> Span<'_> {
        match (self.places.get(step), self.program.steps.get(step)) {
            (Some(Place::Filled), Some(s)) => self.register(s.register, n),
            _ => self.value(step, n),
        }
    }

    fn register(&self, register: usize, n: usize) -> Span<'_> {
        let found = self.registers.get(register);
        found.map_or(Span::Bool(&[]), |r| r.span(n))
    }

    /// The elements of a step: `n`, or one that stands for all.
    fn value(&self, step: usize, n: usize) -> Span<'_> {
        let (Some(s), Some(place)) = (self.program.steps.get(step), self.places.get(step)) else {
            return Span::Bool(&[]);
        };
        let (first, n) = match *place {
            Place::Register => return self.register(s.register, n),
            Place::Filled => return self.register(s.register, 1),
            Place::Run(first) => (first, n),
            Place::One(first) => (first, 1),
        };
        match s.code {
            Code::Load(k) => self.operands.get(k).map_or(Span::Bool(&[]), |operand| {
                Span::of_block(operand.block, operand.dtype, first, n)
            }),
            _ => Span::Bool(&[]),
        }
    }

    fn step_all(&mut self, chunk: Chunk<'_>, targets: &mut [Target]) -> Result<()> {
        for (i, step) in self.program.steps.iter().enumerate() {
            if matches!(step.code, Code::Const(_)) {
                continue;
            }
            if let Code::Load(k) = step.code
                && self.load_in_place(i, k, chunk)
            {
                continue;
            }
            if let Some(target) = targets.iter_mut().find(|t| t.direct && t.step == i) {
                let out =
                    SpanMut::of_block(&mut target.block, target.dtype, chunk.start, chunk.len);
                self.compute(*step, chunk, out)?;
                continue;
            }
            // The register leaves the file while it is written, so that the others can be read.
            let Some(place) = self.registers.get_mut(step.register) else {
                continue;
            };
            let mut register = std::mem::take(place);
            let out = register.span_mut(chunk.len);
            let done = match self.given(*step, targets) {
                Some(given) => {
                    out.copy_from(Span::of_block(given, step.dtype, chunk.start, chunk.len))
                }
                None => self.compute(*step, chunk, out),
            };
            if let Some(place) = self.registers.get_mut(step.register) {
                *place = register;
            }
            done?;
        }
        for target in targets.iter_mut().filter(|t| !t.direct) {
            let value = self.whole_value(target.step, chunk.len);
            if target.dtype.wide().is_none() {
                let (item, bytes) = (target.dtype.size(), target.block.slice_mut::<u8>());
                let place = chunk.start * item..(chunk.start + chunk.len) * item;
                kernels::store(
                    target.dtype,
                    value,
                    bytes.get_mut(place).unwrap_or_default(),
                );
                continue;
            }
            SpanMut::of_block(&mut target.block, target.dtype, chunk.start, chunk.len)
                .copy_from(value)?;
        }
        Ok(())
    }

    /// The block of a result that has the elements which the step loads.
    fn given<'b>(&self, step: Step, targets: &'b [Target]) -> Option<&'b Block> {
        let Code::Load(k) = step.code else {
            return None;
        };
        Some(&targets.get(self.lies_in(k)?)?.block)
    }

    fn compute(&self, step: Step, chunk: Chunk<'_>, mut out: SpanMut<'_>) -> Result<()> {
        let n = chunk.len;
        let single = |operand: Option<usize>| {
            operand
                .is_none_or(|o| matches!(self.places.get(o), Some(Place::Filled | Place::One(_))))
        };
        let operands = step.code.operands();
        if n > 1 && operands[0].is_some() && operands.into_iter().all(single) {
            self.compute_run(step, chunk, out.part(1))?;
            out.spread();
            return Ok(());
        }
        self.compute_run(step, chunk, out)
    }

    fn compute_run(&self, step: Step, chunk: Chunk<'_>, out: SpanMut<'_>) -> Result<()> {
        let n = chunk.len;
        match step.code {
            Code::Load(k) => self.gather(k, chunk, out),
            Code::Const(_) => Ok(()),
            Code::Unary(op, a) => kernels::unary(op, self.value(a, n), out),
            Code::Binary(op, a, b) => kernels::binary(op, self.value(a, n), self.value(b, n), out),
            Code::Select(c, a, b) => {
                kernels::select(self.value(c, n), self.value(a, n), self.value(b, n), out)
            }
            Code::Cast(a) => {
                kernels::cast(self.value(a, n), out);
                Ok(())
            }
            Code::Round(a) => {
                kernels::round(step.dtype, self.value(a, n), out);
                Ok(())
            }
        }
    }

    /// Whether the block of the operand can be read where it lies.
    fn load_in_place(&mut self, step: usize, k: usize, chunk: Chunk<'_>) -> bool {
        let Some(operand) = self.operands.get(k) else {
            return false;
        };
        let item = operand.dtype.size();
        let row = self.shape.last().copied().unwrap_or(1);
        let in_row = chunk.index.last().copied().unwrap_or(0) + chunk.len <= row;
        let stride = operand.strides.last().copied();
        let sequential = stride.is_none_or(|s| s == item as isize) || chunk.len == 1;
        let first = || position(operand, chunk.index) / item;
        let elsewhere = self.lies_in(k).is_some();
        let found = if elsewhere || !operand.aligned || operand.dtype.wide().is_none() {
            Place::Register
        } else if operand.linear {
            Place::Run(operand.offset / item + chunk.start)
        } else if in_row && sequential {
            Place::Run(first())
        } else if in_row && stride == Some(0) && !self.program.results.contains(&step) {
            Place::One(first())
        } else {
            Place::Register
        };
        if let Some(place) = self.places.get_mut(step) {
            *place = found;
        }
        !matches!(found, Place::Register)
    }

    fn gather(&self, k: usize, chunk: Chunk<'_>, out: SpanMut<'_>) -> Result<()> {
        let Some(operand) = self.operands.get(k) else {
            return Ok(());
        };
        let Some(wide) = operand.dtype.wide() else {
            gather_narrow(operand, &self.shape, chunk, out);
            return Ok(());
        };
        by_repr!(wide, T => {
            let out = out.get::<T>()?;
            gather_rows::<T>(operand, &self.shape, chunk.index, out);
        });
        Ok(())
    }
}

/// Fetches elements of a narrower type and widens them.
fn gather_narrow(operand: &Operand<'_>, shape: &[usize], chunk: Chunk<'_>, out: SpanMut<'_>) {
    fn fetch<'a, T: Pod>(
        operand: &Operand<'_>,
        shape: &[usize],
        chunk: Chunk<'_>,
        room: &'a mut [T; CHUNK],
    ) -> &'a [T] {
        let raw = room.split_at_mut(chunk.len.min(CHUNK)).0;
        gather_rows::<T>(operand, shape, chunk.index, raw);
        raw
    }
    let (mut one, mut two, mut four) = ([0; CHUNK], [0; CHUNK], [0.0; CHUNK]);
    let raw = match operand.dtype.size() {
        1 => Raw::One(fetch(operand, shape, chunk, &mut one)),
        2 => Raw::Two(fetch(operand, shape, chunk, &mut two)),
        _ => Raw::Four(fetch(operand, shape, chunk, &mut four)),
    };
    kernels::widen(operand.dtype, raw, out);
}

/// The byte position of an index.
pub(super) fn position(operand: &Operand<'_>, index: &[usize]) -> usize {
    let steps = index
        .iter()
        .zip(&operand.strides)
        .map(|(i, s)| *i as isize * s);
    operand.offset.wrapping_add_signed(steps.sum())
}

/// Moves an index on by `by` positions.
pub(super) fn advance(index: &mut [usize], shape: &[usize], by: usize) {
    let mut carry = by;
    for (i, &size) in index.iter_mut().zip(shape).rev() {
        let sum = *i + carry;
        if sum < size {
            *i = sum;
            return;
        }
        *i = sum % size;
        carry = sum / size;
    }
}

/// Copies the elements from `index` on, in the domain's order, until `out` is full.
fn gather_rows<T: Pod>(operand: &Operand<'_>, shape: &[usize], index: &[usize], out: &mut [T]) {
    let row = shape.last().copied().unwrap_or(1);
    let stride = operand.strides.last().copied().unwrap_or(0);
    let mut index = index.to_vec();
    let mut rest = out;
    while !rest.is_empty() {
        let n = (row - index.last().copied().unwrap_or(0)).min(rest.len());
        let (now, later) = std::mem::take(&mut rest).split_at_mut(n);
        gather_row(operand, position(operand, &index), stride, now);
        rest = later;
        if !rest.is_empty() {
            advance(&mut index, shape, n);
        }
    }
}

fn gather_row<T: Pod>(operand: &Operand<'_>, at: usize, stride: isize, out: &mut [T]) {
    let item = size_of::<T>();
    if !operand.aligned {
        return gather_bytes(operand.block.slice::<u8>(), at, stride, out);
    }
    let data = operand.block.slice::<T>();
    let from = data.get(at / item..).unwrap_or_default();
    let step = stride.unsigned_abs() / item;
    if stride == item as isize
        && let Some(from) = from.get(..out.len())
    {
        return out.copy_from_slice(from);
    }
    if step == 0 {
        return out.fill(from.first().copied().unwrap_or_default());
    }
    if stride > 0 {
        for (o, v) in out.iter_mut().zip(from.iter().step_by(step)) {
            *o = *v;
        }
    } else {
        let until = data.get(..=at / item).unwrap_or_default();
        for (o, v) in out.iter_mut().zip(until.iter().rev().step_by(step)) {
            *o = *v;
        }
    }
}

fn gather_bytes<T: Pod>(bytes: &[u8], at: usize, stride: isize, out: &mut [T]) {
    let mut at = at as isize;
    for o in out {
        *o = T::read(bytes.get(at as usize..).unwrap_or_default());
        at += stride;
    }
}
