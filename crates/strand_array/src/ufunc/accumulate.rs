//! `ufunc.accumulate` and `ufunc.reduceat`: running results along an axis, and results of its spans.

use super::fold::Folder;
use super::method::{MethodReport, Reduced, Target, accumulating, check_binary, folder, loop_of};
use super::state::Numerics;
use super::table::Def;
use crate::array::Array;
use crate::cast::Caster;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::iter::Iter;
use crate::lanes::axis_of;
use crate::strip::{Cell, Strip};

/// What `accumulate` and `reduceat` may be told.
#[derive(Clone, Debug, Default)]
pub struct AlongOptions {
    /// The axis.
    pub axis: i64,
    /// The type that is computed in.
    pub dtype: Option<DType>,
    /// Where the result goes.
    pub out: Option<Array>,
}

/// A line of each along an axis.
struct Line<'a> {
    input: Strip<'a>,
    output: Strip<'a>,
}

/// Visits every line along `axis`.
fn each_line(
    array: &Array,
    target: &Array,
    axis: usize,
    mut visit: impl FnMut(Line<'_>) -> Result<()>,
) -> Result<()> {
    let (inputs, input) = Iter::all_but_axis(array, axis)?;
    let (outputs, output) = Iter::all_but_axis(target, axis)?;
    for (a, b) in inputs.zip(outputs) {
        visit(Line {
            input: Strip::of(array, a as isize, input.step, input.length)?,
            output: Strip::of(target, b as isize, output.step, output.length)?,
        })?;
    }
    Ok(())
}

fn without_axis(def: &Def) -> ArrayError {
    ArrayError::NoLoop {
        ufunc: def.name.into(),
        types: "an array of rank 0, which has no axis".into(),
    }
}

pub(super) fn accumulate(
    numerics: &Numerics,
    def: &Def,
    array: &Array,
    options: &AlongOptions,
) -> Result<Reduced> {
    check_binary(def, "accumulate")?;
    if array.rank() == 0 {
        return Err(without_axis(def));
    }
    let axis = axis_of(options.axis, array.rank())?;
    let shape = array.shape().to_vec();
    let run = |line: Line<'_>, state: &mut State| {
        let mut cell = Cell::default();
        let acc = Strip::cell(&mut cell, state.size);
        state.start(line.input, acc)?;
        acc.copy_to(line.output);
        let (x, out) = (
            line.input.part(1, usize::MAX),
            line.output.part(1, usize::MAX),
        );
        state.fold(acc, x, Some(out))
    };
    along(numerics, def, array, options, axis, &shape, run)
}

pub(super) fn reduceat(
    numerics: &Numerics,
    def: &Def,
    array: &Array,
    indices: &[i64],
    options: &AlongOptions,
) -> Result<Reduced> {
    check_binary(def, "reduceat")?;
    if array.rank() == 0 {
        return Err(without_axis(def));
    }
    let axis = axis_of(options.axis, array.rank())?;
    let size = array.shape().get(axis).copied().unwrap_or(0);
    let mut places = Vec::with_capacity(indices.len());
    for &index in indices {
        match usize::try_from(index) {
            Ok(place) if place < size => places.push(place),
            _ => return Err(ArrayError::IndexOutOfRange { index, size, axis }),
        }
    }
    let mut shape = array.shape().to_vec();
    if let Some(size) = shape.get_mut(axis) {
        *size = places.len();
    }
    let run = |line: Line<'_>, state: &mut State| {
        for (k, &start) in places.iter().enumerate() {
            let acc = line.output.part(k, 1);
            let rest = line.input.part(start, usize::MAX);
            state.start(rest, acc)?;
            let end = places.get(k.saturating_add(1)).copied();
            let count = end.map_or(usize::MAX, |end| end.saturating_sub(start).max(1));
            state.fold(acc, rest.part(1, count.saturating_sub(1)), None)?;
        }
        Ok(())
    };
    along(numerics, def, array, options, axis, &shape, run)
}

struct State {
    folder: Folder,
    /// Elements of the input become first values of results: cast one by one.
    first: Caster,
    size: usize,
    found: u8,
    calls: usize,
}

impl State {
    /// The first element of `x` as the accumulator.
    fn start(&mut self, x: Strip<'_>, acc: Strip<'_>) -> Result<()> {
        self.found |= self.first.convert(x.part(0, 1), acc)?.bits();
        Ok(())
    }

    fn fold(&mut self, acc: Strip<'_>, x: Strip<'_>, out: Option<Strip<'_>>) -> Result<()> {
        let (found, calls) = self.folder.run(acc, x, out)?;
        self.found |= found;
        self.calls = self.calls.saturating_add(calls);
        Ok(())
    }
}

/// Runs a method over all lines along an axis.
fn along(
    numerics: &Numerics,
    def: &Def,
    array: &Array,
    options: &AlongOptions,
    axis: usize,
    shape: &[usize],
    mut run: impl FnMut(Line<'_>, &mut State) -> Result<()>,
) -> Result<Reduced> {
    let out = options.out.as_ref();
    let chosen = loop_of(def, array.dtype(), out.map(Array::dtype), options.dtype)?;
    let result = chosen.types.first().copied().unwrap_or(DType::Bool);
    let chosen = accumulating(def, chosen);
    let dtype = chosen.types.first().copied().unwrap_or(DType::Bool);
    let target = Target::new(numerics, shape, (dtype, result), out, &[array])?;
    let modes = numerics.modes();
    let mut state = State {
        folder: folder(numerics, modes, def, chosen, array)?,
        first: Caster::new(array.descr(), &dtype.into())?,
        size: dtype.size(),
        found: 0,
        calls: 0,
    };
    let n = array.shape().get(axis).copied().unwrap_or(0);
    if !target.array.is_empty() && n > 0 {
        each_line(array, &target.array, axis, |line| run(line, &mut state))?;
    }
    let empty = target.array.is_empty();
    let report = MethodReport::of(&state.folder, dtype, state.calls, empty);
    target.finish(numerics, def, modes, state.found, report)
}
