//! Running one loop along a strip: `acc = op(acc, x[k])`.

use super::kernels::sum::{Sum, half_fold, sum_of};
use super::machine::Machine;
use super::resolve::Chosen;
use super::rules::Rule;
use super::table::Def;
use crate::cast::Caster;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::strip::{Cell, Strip};

/// A loop `tt->t` made ready to run along strips of elements of some type in memory.
pub(super) struct Folder {
    chosen: Chosen,
    /// Elements to the loop's type.
    cast: Caster,
    plain: bool,
    size: usize,
    sum: Option<Sum>,
    /// The loop on an accumulator and elements in memory, element by element.
    pub(super) across: Machine,
    /// The same on elements of the loop's type.
    single: Machine,
    watch: (bool, bool),
    room: Vec<Cell>,
    part: usize,
}

impl Folder {
    pub(super) fn new(
        def: &Def,
        chosen: Chosen,
        memory: &Descr,
        watch: (bool, bool),
        bufsize: usize,
    ) -> Result<Self> {
        let dtype = chosen.types.first().copied().unwrap_or(DType::Bool);
        let inside = Descr::new(dtype);
        let machine = |x: &Descr| {
            let descrs = [inside.clone(), x.clone(), inside.clone()];
            Machine::new(&chosen, def.rule, &descrs, 2, watch)
        };
        let (across, single) = (machine(memory)?, machine(&inside)?);
        let plain = *memory == inside;
        // 16 bytes hold the widest element.
        let room = if plain { 0 } else { bufsize };
        Ok(Self {
            sum: match def.name {
                "add" => sum_of(dtype),
                name => half_fold(name, dtype),
            },
            cast: Caster::new(memory, &inside)?,
            plain,
            size: dtype.size(),
            across,
            single,
            watch: (watch.0 && def.rule != Rule::Nothing, watch.1),
            room: vec![Cell::default(); room],
            part: if plain { usize::MAX } else { bufsize },
            chosen,
        })
    }

    /// Whether elements pass through a buffer.
    pub(super) fn is_buffered(&self) -> bool {
        !self.plain
    }

    /// Folds the elements of `x`, of memory's type, into the accumulator, which is one element of the loop's
    /// type. With `out`, as many of the loop's type, every intermediate result is written there. Gives the
    /// findings and the number of inner calls. The result is right if `acc` is apart from both, and `out` from
    /// `x` except element by element.
    ///
    /// # Errors
    /// `OutOfBlock` for other strips than these; what a cast says.
    pub(super) fn run(
        &mut self,
        acc: Strip<'_>,
        x: Strip<'_>,
        out: Option<Strip<'_>>,
    ) -> Result<(u8, usize)> {
        let (mut found, mut calls) = (0, 0_usize);
        for done in (0..x.len()).step_by(self.part.max(1)) {
            let out = out.map(|out| out.part(done, self.part));
            let x = x.part(done, self.part);
            if self.plain {
                found |= self.fold(acc, x, out)?;
            } else {
                let mut room = std::mem::take(&mut self.room);
                let cells = room.get_mut(..x.len()).unwrap_or_default();
                let packed = Strip::cells(cells, self.size);
                let bits = self.cast.convert(x, packed).map(Found::bits);
                let rest = bits.and_then(|bits| Ok(bits | self.fold(acc, packed, out)?));
                self.room = room;
                found |= rest?;
            }
            calls = calls.saturating_add(1);
        }
        Ok((found, calls))
    }

    /// The same for elements of the loop's type.
    #[allow(unsafe_code)]
    fn fold(&self, acc: Strip<'_>, x: Strip<'_>, out: Option<Strip<'_>>) -> Result<u8> {
        let n = x.len();
        let alike = |strip: Strip<'_>, len| strip.size() == self.size && strip.len() >= len;
        if !alike(acc, 1) || !alike(x, n) || !out.is_none_or(|out| alike(out, n)) {
            return Err(ArrayError::OutOfBlock);
        }
        let mut before = Cell::default();
        let kept = Strip::cell(&mut before, self.size);
        acc.copy_to(kept);
        // In place the elements are gone once results are written: they are folded one by one.
        let in_place = out.is_some_and(|out| out.ptr() == x.ptr());
        let (from, step) = (x.ptr().cast_const(), x.step());
        match (self.sum, self.chosen.run.fold, out) {
            (Some(sum), _, None) => {
                // SAFETY: one element and n of them, of the loop's type.
                unsafe { sum(acc.ptr(), from, step, n) };
            }
            (_, Some(fold), _) if !(in_place && self.watch.0) => {
                let (to, out_step) = out.map_or((acc.ptr(), 0), |out| (out.ptr(), out.step()));
                // SAFETY: as above, with n results or, at step 0, the accumulator for all.
                unsafe { fold(acc.ptr(), from, step, to, out_step, n) };
            }
            _ => return self.each(acc, x, out),
        }
        if self.watch.0 && self.single.is_odd(acc) {
            // What went wrong is found by going through the elements again.
            return self.each(kept, x, None);
        }
        Ok(0)
    }

    fn each(&self, acc: Strip<'_>, x: Strip<'_>, out: Option<Strip<'_>>) -> Result<u8> {
        let mut found = 0;
        let acc = acc.part(0, 1);
        for k in 0..x.len() {
            found |= self.single.run(&[acc, x.part(k, 1), acc])?;
            if let Some(out) = out {
                acc.copy_to(out.part(k, 1));
            }
        }
        Ok(found)
    }
}
