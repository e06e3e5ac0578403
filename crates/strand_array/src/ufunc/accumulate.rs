//! `ufunc.accumulate` and `ufunc.reduceat`: running results along an axis, and results of its spans.

#![allow(unsafe_code)]

use super::fold::first_of;
use super::found::NEGATIVE_POWER;
use super::method::{
    MethodLoop, MethodReport, Reduced, Target, accumulating, check_binary, folder, loop_of,
};
use super::state::Numerics;
use super::table::Def;
use crate::array::Array;
use crate::cast::Caster;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::lanes::axis_of;
use crate::walk::Walk;

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

/// The lines of a method: positions of their starts in input and output, and the steps along them.
struct Lines<'a> {
    input: Walk<'a>,
    output: Walk<'a>,
}

/// The shape or strides without one axis.
fn without<T: Copy>(list: &[T], axis: usize) -> Vec<T> {
    let kept = list.iter().enumerate().filter(|(i, _)| *i != axis);
    kept.map(|(_, item)| *item).collect()
}

/// A line of each: the first elements of input and output, at their steps.
struct Line {
    input: (*mut u8, isize),
    output: (*mut u8, isize),
}

/// Visits every line along `axis`.
fn each_line(
    array: &Array,
    target: &Array,
    axis: usize,
    mut visit: impl FnMut(Line) -> Result<()>,
) -> Result<()> {
    let shape = without(array.shape(), axis);
    let (from, to) = (
        without(array.strides(), axis),
        without(target.strides(), axis),
    );
    let mut lines = Lines {
        input: Walk::new(&shape, &from, 0),
        output: Walk::new(&shape, &to, 0),
    };
    let step = |a: &Array| a.strides().get(axis).copied().unwrap_or(0);
    while let (Some(a), Some(b)) = (lines.input.next_offset(), lines.output.next_offset()) {
        // Positions are kept modulo 2ⁿ: a line may start before the first element.
        visit(Line {
            input: (first_of(array).wrapping_add(a), step(array)),
            output: (first_of(target).wrapping_add(b), step(target)),
        })?;
    }
    Ok(())
}

/// Elements of the input become first values of results: cast one by one.
struct Starter {
    cast: Caster,
}

impl Starter {
    fn new(array: &Array, dtype: DType) -> Result<Self> {
        let cast = Caster::new(array.descr(), &dtype.into())?;
        Ok(Self { cast })
    }

    /// # Safety
    /// Both are one element, of memory's type and of the loop's, and apart.
    unsafe fn start(&self, x: *const u8, acc: *mut u8) -> Result<u8> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.cast.run((x, 0), (acc, 0), 1)? }.bits())
    }
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
    let run = |line: Line, n: usize, state: &mut State| {
        let mut acc = Cell([0; 16]);
        let acc = acc.0.as_mut_ptr();
        let size = state.size;
        // SAFETY: a line of n > 0 elements of input and output, as their constructors proved; `acc` has
        // room for any element.
        unsafe {
            state.found |= state.starter.start(line.input.0, acc)?;
            line.output.0.copy_from(acc, size);
            let x = (
                line.input.0.wrapping_offset(line.input.1).cast_const(),
                line.input.1,
            );
            let out = (line.output.0.wrapping_offset(line.output.1), line.output.1);
            let (found, calls) = state.folder.run(acc, x, Some(out), n - 1)?;
            state.found |= found;
            state.calls += calls;
        }
        Ok(())
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
    let run = |line: Line, n: usize, state: &mut State| {
        for (k, &start) in places.iter().enumerate() {
            let end = match places.get(k + 1) {
                Some(&next) => next.max(start + 1),
                None => n,
            };
            let acc = line.output.0.wrapping_offset(line.output.1 * k as isize);
            let x = |i: usize| line.input.0.wrapping_offset(line.input.1 * i as isize);
            // SAFETY: start < end <= n, all of them elements of the line; the k-th result is one of the
            // output's line, in the loop's type, and apart from the input.
            unsafe {
                state.found |= state.starter.start(x(start), acc)?;
                let rest = (x(start + 1).cast_const(), line.input.1);
                let (found, calls) = state.folder.run(acc, rest, None, end - start - 1)?;
                state.found |= found;
                state.calls += calls;
            }
        }
        Ok(())
    };
    along(numerics, def, array, options, axis, &shape, run)
}

/// Room for one element.
#[repr(align(16))]
struct Cell([u8; 16]);

struct State {
    folder: super::fold::Folder,
    starter: Starter,
    size: usize,
    found: u8,
    calls: usize,
}

/// Runs a method over all lines along an axis.
fn along(
    numerics: &Numerics,
    def: &Def,
    array: &Array,
    options: &AlongOptions,
    axis: usize,
    shape: &[usize],
    mut run: impl FnMut(Line, usize, &mut State) -> Result<()>,
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
        starter: Starter::new(array, dtype)?,
        size: dtype.size(),
        found: 0,
        calls: 0,
    };
    let n = array.shape().get(axis).copied().unwrap_or(0);
    if !target.array.is_empty() && n > 0 {
        each_line(array, &target.array, axis, |line| run(line, n, &mut state))?;
    }
    if state.found & NEGATIVE_POWER != 0 {
        return Err(ArrayError::NegativePower);
    }
    let style = match (target.array.is_empty(), state.calls) {
        (true, _) => MethodLoop::None,
        (_, 0) => MethodLoop::One,
        _ if state.folder.is_buffered() => MethodLoop::Buffered,
        _ => MethodLoop::Strided,
    };
    let (output, scalar, written) = target.finish(numerics)?;
    numerics.handle(modes, Found::from_bits(state.found) | written, def.name)?;
    Ok(Reduced {
        output,
        scalar,
        report: MethodReport {
            dtype,
            style,
            inner_calls: state.calls,
        },
    })
}
