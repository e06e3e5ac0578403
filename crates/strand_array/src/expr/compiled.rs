//! Running a program by a compiled loop, where there is one.

use super::machine::{CHUNK, Machine, Operand, Target, advance, position};
use super::program::Code;
use crate::error::{ArrayError, Result};
use crate::jit::{Access, Stream, StridedBytes, Words, bytes_of};

/// Elements of one call. A browser compiles a loop quickly at first and well later, and takes up the
/// better code at the next call.
const LONGEST: usize = 1 << 15;
/// Rows shorter than this are left to the block kernels, which take several at once.
const SHORTEST_ROW: usize = 8;

/// Elements of a call.
struct Part {
    rows: usize,
    length: usize,
}

impl Machine<'_> {
    /// Whether every operand walks through the domain in one stride, or stands still.
    fn is_flat(&self) -> bool {
        self.used().all(|(_, o)| o.linear || stands(o))
    }

    /// The operands that a step loads.
    fn used(&self) -> impl Iterator<Item = (usize, &Operand<'_>)> {
        let operands = self.operands.iter().enumerate();
        operands.filter(|(k, _)| self.program.steps.iter().any(|s| s.code == Code::Load(*k)))
    }

    fn streams(&self, targets: &[Target]) -> Option<Vec<Option<Stream>>> {
        let flat = self.is_flat();
        let mut streams = vec![None; self.operands.len()];
        for (k, operand) in self.used() {
            let dtype = operand.dtype;
            let stride = operand.strides.last().copied().unwrap_or(0);
            let access = match stride {
                _ if flat && operand.linear => Access::Run,
                0 => Access::One,
                s if s == dtype.size() as isize => Access::Run,
                _ => Access::Strided,
            };
            *streams.get_mut(k)? = Some(Stream { dtype, access });
        }
        let access = Access::Run;
        if targets.is_empty() {
            let [step] = self.program.results.as_slice() else {
                return None;
            };
            let dtype = self.program.steps.get(*step)?.dtype.widened()?;
            streams.push(Some(Stream { dtype, access }));
        }
        streams.extend(targets.iter().map(|t| {
            let dtype = t.dtype;
            Some(Stream { dtype, access })
        }));
        let has_template = |s: &Stream| s.dtype.wide().is_some() || s.dtype.is_integer();
        streams
            .iter()
            .flatten()
            .all(has_template)
            .then_some(streams)
    }

    /// The compiled loop, with its words.
    fn words(&self, targets: &[Target]) -> Option<Words> {
        let kernels = self.kernels?;
        let count = self.shape.iter().product();
        if !kernels.pays(self.program, count) {
            return None;
        }
        let row = self.shape.last().copied().unwrap_or(1);
        if row < SHORTEST_ROW && self.shape.len() > 1 && !self.is_flat() && !kernels.is_eager() {
            return None;
        }
        let spent = self.spent.is_some();
        let kernel = kernels.find(self.program, &self.streams(targets)?, count, spent)?;
        Some(Words::new(kernel, self.program))
    }

    /// Runs over the domain by a compiled loop; false, and nothing was done, if there is none.
    pub(super) fn run_compiled(
        &mut self,
        targets: &mut [Target],
        sink: &mut dyn FnMut(&Self, usize, usize) -> Result<()>,
    ) -> Result<bool> {
        let Some(mut words) = self.words(targets) else {
            return Ok(false);
        };
        let flat = self.is_flat();
        let total: usize = self.shape.iter().product();
        let mut index = vec![0; self.shape.len()];
        let mut start = 0;
        while start < total {
            let part = self.part(&index, total - start, flat, targets.is_empty());
            let len = part.rows * part.length;
            if !self.call(&mut words, (&index, start), &part, flat, targets) {
                let why = "an operand ends before its loop";
                return if start == 0 {
                    Ok(false)
                } else {
                    Err(ArrayError::BadExpr { why })
                };
            }
            sink(self, start, len)?;
            start += len;
            advance(&mut index, &self.shape, len);
        }
        self.program.was_compiled.set(true);
        Ok(true)
    }

    /// The rows of the next call: whole ones, or a part of a long one.
    fn part(&self, index: &[usize], left: usize, flat: bool, in_register: bool) -> Part {
        let limit = if in_register { CHUNK } else { LONGEST };
        let rank = self.shape.len();
        let size = |back: usize| {
            rank.checked_sub(back)
                .and_then(|at| self.shape.get(at).copied())
        };
        let at = |back: usize| rank.checked_sub(back).and_then(|at| index.get(at).copied());
        let row = size(1).unwrap_or(1);
        if row > limit {
            return Part {
                rows: 1,
                length: limit.min(row - at(1).unwrap_or(0)),
            };
        }
        let rows = limit / row.max(1);
        if flat {
            return Part {
                rows: 1,
                length: (rows * row).min(left),
            };
        }
        let plane = size(2).map_or(1, |rows| rows - at(2).unwrap_or(0));
        Part {
            rows: rows.min(plane),
            length: row,
        }
    }

    fn call(
        &mut self,
        words: &mut Words,
        (index, start): (&[usize], usize),
        part: &Part,
        flat: bool,
        targets: &mut [Target],
    ) -> bool {
        let (rows, length) = (part.rows, part.length);
        let mut register = None;
        if let ([step], true) = (self.program.results.as_slice(), targets.is_empty()) {
            let number = self.program.steps.get(*step).map_or(0, |s| s.register);
            let place = self.registers.get_mut(number);
            register = place.map(|place| (number, std::mem::take(place)));
            self.in_register(*step);
        }
        let operand = |k: usize| {
            let operand: &Operand<'_> = self.operands.get(k)?;
            let stride = |back: usize| {
                let at = operand.strides.len().checked_sub(back)?;
                operand.strides.get(at).copied()
            };
            let item = operand.dtype.size();
            let (first, step) = match flat {
                true if operand.linear => (operand.offset + start * item, item as isize),
                true => (operand.offset, 0),
                false => (position(operand, index), stride(1).unwrap_or(0)),
            };
            Some(StridedBytes {
                bytes: operand.block.slice::<u8>(),
                first,
                row: stride(2).unwrap_or(0),
                stride: step,
            })
        };
        let len = rows * length;
        let mut results: Vec<&mut [u8]> = Vec::with_capacity(targets.len() + 1);
        if let Some((_, register)) = &mut register {
            results.push(bytes_of(register.span_mut(len)));
        }
        for target in targets {
            let item = target.dtype.size();
            let bytes = target.block.slice_mut::<u8>();
            results.extend(bytes.get_mut(start * item..(start + len) * item));
        }
        let done = words.run((rows, length), operand, self.spent, &mut results);
        if let Some((number, register)) = register
            && let Some(place) = self.registers.get_mut(number)
        {
            *place = register;
        }
        done
    }
}

/// Whether the operand is one element.
fn stands(operand: &Operand<'_>) -> bool {
    operand.strides.iter().all(|s| *s == 0)
}
