//! `ufunc.reduce`: an operation over one axis or several.

use super::call::check_mask;
use super::fold::Folder;
use super::method::{
    MethodReport, Reduced, Target, accumulating, check_binary, folder, identity_of, loop_of,
};
use super::operand::Operand;
use super::state::Numerics;
use super::table::Def;
use crate::array::Array;
use crate::assign::copy_into;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::axis_of;
use crate::plan::{Loops, Order, k_order, pick};
use crate::strip::{Strip, Strips};

/// Which axes are reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// All of them; `axis=None`.
    All,
    /// One, which an array of rank 0 needn't have if it is 0 or -1; `axis=1`.
    One(i64),
    /// These; `axis=(…)`.
    These(Vec<i64>),
}

/// What a reduction starts from.
#[derive(Clone, Debug)]
pub enum Initial {
    /// The identity, if the operation has one.
    Identity,
    /// The first element; `initial=None`.
    First,
    /// A value.
    Value(Operand),
}

/// What a reduction may be told.
#[derive(Clone, Debug)]
pub struct ReduceOptions {
    /// The axes; 0 by default.
    pub axes: Axes,
    /// The type that is computed in.
    pub dtype: Option<DType>,
    /// Where the result goes.
    pub out: Option<Array>,
    /// Whether reduced axes stay, with size 1.
    pub keepdims: bool,
    /// What is started from.
    pub initial: Initial,
    /// Elements where it is false are left out; `where=`.
    pub mask: Option<Array>,
}

impl Default for ReduceOptions {
    fn default() -> Self {
        Self {
            axes: Axes::One(0),
            dtype: None,
            out: None,
            keepdims: false,
            initial: Initial::Identity,
            mask: None,
        }
    }
}

pub(super) fn reduce(
    numerics: &Numerics,
    def: &Def,
    array: &Array,
    options: &ReduceOptions,
) -> Result<Reduced> {
    check_binary(def, "reduce")?;
    let mask = options.mask.as_ref().map(check_mask).transpose()?;
    let reduced = reduced_axes(array, &options.axes)?;
    let out = options.out.as_ref();
    let chosen = loop_of(def, array.dtype(), out.map(Array::dtype), options.dtype)?;
    check_order(def, &reduced)?;
    let result = chosen.types.first().copied().unwrap_or(DType::Bool);
    let chosen = accumulating(def, chosen);
    let dtype = chosen.types.first().copied().unwrap_or(DType::Bool);
    let mask = match mask {
        Some(mask) => Some(mask.broadcast_to(array.shape())?),
        None => None,
    };
    let shape = result_shape(array.shape(), &reduced, options.keepdims);
    let inputs: Vec<&Array> = std::iter::once(array).chain(&mask).collect();
    let target = Target::new(numerics, &shape, (dtype, result), out, &inputs)?;
    let modes = numerics.modes();
    let mut work = Work {
        folder: folder(numerics, modes, def, chosen, array)?,
        // In index order where the order of operands matters.
        order: if def.identity.is_reorderable() {
            Order::K
        } else {
            Order::C
        },
        sums: matches!(def.name, "add" | "multiply" | "subtract" | "divide")
            && (dtype.is_float() || dtype.is_complex()),
        found: 0,
        calls: 0,
    };
    let under = over_input(&target.array, array.rank(), &reduced, options.keepdims)?;
    let start = match &options.initial {
        Initial::Value(value) => Some(value.clone()),
        Initial::First => None,
        Initial::Identity => identity_of(def, dtype),
    };
    let rest = match start {
        Some(value) => {
            let (value, found) = value.to_array(numerics.context(), dtype)?;
            work.found |= found.bits();
            copy_into(&value.broadcast_to(&shape)?, &target.array)?;
            vec![array.clone()]
        }
        None if mask.is_some() => {
            let why = "a mask needs an initial value, as there is no identity".into();
            return Err(ArrayError::BadArgument { op: def.name, why });
        }
        None => first_elements(def, array, &reduced, &target.array, &under)?,
    };
    for part in &rest {
        work.run(part, &under, mask.as_ref())?;
    }
    let report = MethodReport::of(&work.folder, dtype, work.calls, array.is_empty());
    target.finish(numerics, def, modes, work.found, report)
}

/// Per axis whether it is reduced.
fn reduced_axes(array: &Array, axes: &Axes) -> Result<Vec<bool>> {
    let rank = array.rank();
    let mut flags = vec![matches!(axes, Axes::All); rank];
    let list = match axes {
        Axes::One(0 | -1) if rank == 0 => &[],
        Axes::One(axis) => std::slice::from_ref(axis),
        Axes::These(list) => list.as_slice(),
        Axes::All => &[],
    };
    for axis in list {
        let place = axis_of(*axis, rank)?;
        if let Some(flag) = flags.get_mut(place)
            && std::mem::replace(flag, true)
        {
            return Err(ArrayError::RepeatedAxis { axis: place });
        }
    }
    Ok(flags)
}

/// Several axes need an operation whose operands can be reordered.
fn check_order(def: &Def, reduced: &[bool]) -> Result<()> {
    if reduced.iter().filter(|f| **f).count() > 1 && !def.identity.is_reorderable() {
        let why = "its operands can't be reordered, so that one axis at most is reduced".into();
        return Err(ArrayError::BadArgument { op: def.name, why });
    }
    Ok(())
}

fn result_shape(shape: &[usize], reduced: &[bool], keepdims: bool) -> Vec<usize> {
    let axes = shape.iter().zip(reduced);
    axes.filter(|(_, gone)| keepdims || !**gone)
        .map(|(&size, gone)| if *gone { 1 } else { size })
        .collect()
}

/// The target with the input's rank, an axis of size 1 for each that is reduced.
fn over_input(target: &Array, rank: usize, reduced: &[bool], keepdims: bool) -> Result<Array> {
    let mut view = target.clone();
    if !keepdims {
        for axis in 0..rank {
            if reduced.get(axis) == Some(&true) {
                view = view.insert_axis(axis)?;
            }
        }
    }
    Ok(view)
}

/// Starts from the elements at index 0 of the reduced axes, and gives the views of all others.
fn first_elements(
    def: &Def,
    array: &Array,
    reduced: &[bool],
    target: &Array,
    under: &Array,
) -> Result<Vec<Array>> {
    let axes = || (0..array.rank()).filter(|a| reduced.get(*a) == Some(&true));
    if axes().any(|axis| array.shape().get(axis) == Some(&0)) {
        return Err(ArrayError::EmptyReduction { op: def.name });
    }
    if target.is_empty() {
        return Ok(vec![]);
    }
    let mut first = array.clone();
    let mut rest = vec![];
    for axis in axes() {
        rest.push(first.slice(axis, Some(1), None, 1)?);
        first = first.slice(axis, Some(0), Some(1), 1)?;
    }
    copy_into(&first, under)?;
    Ok(rest)
}

/// Loops in NumPy's order: axes by stride, none turned around, since NumPy turns none around in a reduction;
/// the innermost is the inner loop however short it is.
fn loops_of_sums(shape: &[usize], strides: &[Vec<isize>], starts: &[isize]) -> Loops {
    let mut axes: Vec<usize> = (0..shape.len())
        .filter(|a| shape.get(*a) != Some(&1))
        .collect();
    k_order(&mut axes, strides);
    let strides: Vec<Vec<isize>> = strides.iter().map(|s| pick(&axes, s)).collect();
    Loops::new(&pick(&axes, shape), &strides, starts, Order::C)
}

struct Work {
    folder: Folder,
    order: Order,
    /// Whether the order of steps is NumPy's, so that sums and products of floats are as exact.
    sums: bool,
    found: u8,
    calls: usize,
}

impl Work {
    /// Folds the elements of `part` into the accumulators of `under`, which stretches over them.
    fn run(&mut self, part: &Array, under: &Array, mask: Option<&Array>) -> Result<()> {
        if part.is_empty() {
            return Ok(());
        }
        let under = under.broadcast_to(part.shape())?;
        let mut arrays = vec![&under, part];
        arrays.extend(mask);
        let loops = if self.sums {
            let strides: Vec<Vec<isize>> = arrays.iter().map(|a| a.strides().to_vec()).collect();
            let starts: Vec<isize> = arrays.iter().map(|a| a.offset() as isize).collect();
            loops_of_sums(part.shape(), &strides, &starts)
        } else {
            Loops::over(part.shape(), &arrays, self.order)?
        };
        let mut rows = Strips::new(&loops, &arrays)?;
        while let Some(row) = rows.next_row() {
            match *row {
                [acc, x] => self.span(acc, x)?,
                [acc, x, mask] => {
                    for (start, length) in mask.set_runs() {
                        self.span(acc.part(start, length), x.part(start, length))?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn span(&mut self, acc: Strip<'_>, x: Strip<'_>) -> Result<()> {
        let (found, calls) = if acc.step() == 0 {
            self.folder.run(acc, x, None)?
        } else {
            (self.folder.across.run(&[acc, x, acc])?, 1)
        };
        self.found |= found;
        self.calls = self.calls.saturating_add(calls);
        Ok(())
    }
}
