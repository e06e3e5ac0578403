//! Indexing of arrays of any dtype and layout: `array[items]` and `array[items] = value`.
//!
//! A list of items is prepared, which classifies it; then one of seven paths is taken, and the
//! trace names it.

#[allow(unsafe_code)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions of elements that were checked"
)]
mod gather;
pub(crate) mod mask;
mod prepare;
mod select;

use crate::array::Array;
use crate::assign::{assign, copied, unfilled};
use crate::cast::{Casting, astype};
use crate::context::{Context, IndexPath, LoopKind, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::index::IndexItem;
use crate::layout::is_c_contiguous;
use crate::memory;
use crate::value::Value;
pub(crate) use gather::each_position;
use gather::{Places, Way};
use prepare::{Part, Prepared, prepare};
use select::{Place, Selection, select};

/// What indexing gives.
#[derive(Clone, Debug)]
pub enum Indexed {
    /// One element: every axis had an integer.
    Element(Value),
    /// A view of the indexed array.
    View(Array),
    /// A fresh array.
    Copy(Array),
}

impl Indexed {
    /// The array, if it isn't one element.
    #[must_use]
    pub fn array(&self) -> Option<&Array> {
        match self {
            Self::Element(_) => None,
            Self::View(array) | Self::Copy(array) => Some(array),
        }
    }
}

/// `array[items]`.
///
/// # Errors
/// `IndexOutOfRange`, `TooManyIndices`, `MaskSize`, `IndexShapes`, `ZeroStep`,
/// `BadIndex`, `OutOfMemory`.
pub fn get(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Indexed> {
    let prepared = prepare(ctx, array, items)?;
    if let Some(mask) = &prepared.mask {
        let out = unfilled(ctx, &[mask::count(mask)], array.descr())?;
        mask::exchange(array, mask, &out, Way::Get)?;
        report(ctx, "index", IndexPath::Mask, &out, out.block().len());
        return Ok(Indexed::Copy(out));
    }
    if let Some((positions, axis)) = only_positions(array, &prepared) {
        let out = unfilled(ctx, positions.shape(), array.descr())?;
        gather::take_one(array, positions, axis, &out)?;
        report(ctx, "index", IndexPath::OneArray, &out, out.block().len());
        return Ok(Indexed::Copy(out));
    }
    let selection = select(array, &prepared)?;
    if !prepared.kinds.places {
        return view_or_copy(ctx, selection.view, &prepared);
    }
    let places = Places::new(ctx, &selection)?;
    let out = unfilled(ctx, &selection.shape(), array.descr())?;
    gather::exchange(&selection, &places, &out, Way::Get)?;
    report(ctx, "index", path_of(&selection), &out, out.block().len());
    Ok(Indexed::Copy(out))
}

fn view_or_copy(ctx: &Context, view: Array, prepared: &Prepared) -> Result<Indexed> {
    if prepared.kinds.is_element() {
        report(ctx, "index", IndexPath::Element, &view, 0);
        return Ok(Indexed::Element(view.element()?));
    }
    if prepared.kinds.from_array {
        let copy = copied(ctx, &view)?;
        report(ctx, "index", IndexPath::View, &copy, copy.block().len());
        return Ok(Indexed::Copy(copy));
    }
    report(ctx, "index", IndexPath::View, &view, 0);
    Ok(Indexed::View(view))
}

/// `array[items] = value`: the value is converted to the array's dtype and stretched. Where a
/// position occurs twice the last value stays. Nothing is written if there is an error. With it
/// come the numeric findings of the conversion.
///
/// # Errors
/// `ReadOnly`; as [`get`]; `Broadcast` if the value doesn't stretch to the indexed array,
/// `MaskValues` and `MaskValueRank` for those of a mask, `BadValue` for that of an element.
pub fn set(ctx: &Context, array: &Array, items: &[IndexItem], value: &Array) -> Result<Found> {
    if !array.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    let prepared = prepare(ctx, array, items)?;
    if let Some(mask) = &prepared.mask {
        return set_masked(ctx, array, mask, value);
    }
    let selection = select(array, &prepared)?;
    if !prepared.kinds.places {
        return set_view(ctx, &selection.view, value, &prepared);
    }
    let shape = selection.shape();
    let value = without_leading_axes(value, shape.len())?.broadcast_to(&shape)?;
    let places = Places::new(ctx, &selection)?;
    let (value, found) = as_source(ctx, array, value)?;
    gather::exchange(&selection, &places, &value, Way::Set)?;
    let path = match only_positions(array, &prepared) {
        Some((positions, _)) if positions.shape() == value.shape() => IndexPath::OneArray,
        _ => path_of(&selection),
    };
    report(ctx, "index_set", path, &value, 0);
    Ok(found)
}

fn set_view(ctx: &Context, view: &Array, value: &Array, prepared: &Prepared) -> Result<Found> {
    let path = if prepared.kinds.is_element() {
        if value.rank() > 0 {
            return set_element(view, value);
        }
        IndexPath::Element
    } else {
        IndexPath::View
    };
    let found = ctx
        .quietly(|| assign(ctx, view, value, Casting::Unsafe))
        .0?;
    report(ctx, "index_set", path, view, 0);
    Ok(found)
}

/// One element from an array with axes: an object array takes the array itself, a bool its truth.
fn set_element(view: &Array, value: &Array) -> Result<Found> {
    let truth = view.dtype() == DType::Bool && value.len() == 1;
    let value = if truth {
        value.squeeze()?
    } else {
        value.clone()
    };
    view.assign_value(&Value::Array(value))
}

fn set_masked(ctx: &Context, array: &Array, mask: &Array, value: &Array) -> Result<Found> {
    if value.rank() > 1 {
        return Err(ArrayError::MaskValueRank { rank: value.rank() });
    }
    let places = mask::count(mask);
    let value = value
        .broadcast_to(&[places])
        .map_err(|_| ArrayError::MaskValues {
            found: value.len(),
            places,
        })?;
    let (value, found) = as_source(ctx, array, value)?;
    let mask = apart(ctx, array, mask.clone())?;
    mask::exchange(array, &mask, &value, Way::Set)?;
    report(ctx, "index_set", IndexPath::Mask, &value, 0);
    Ok(found)
}

/// A value in the array's own dtype and in memory apart from it, with its broadcast axes kept.
fn as_source(ctx: &Context, array: &Array, value: Array) -> Result<(Array, Found)> {
    if value.descr() == array.descr() {
        return Ok((apart(ctx, array, value)?, Found::NONE));
    }
    // What is stretched is converted once.
    let (shape, strides) = (value.shape().to_vec(), value.strides());
    let sizes = shape.iter().zip(strides);
    let core: Vec<usize> = sizes
        .map(|(&n, &s)| if s == 0 && n > 1 { 1 } else { n })
        .collect();
    let narrow = value.relayout(value.offset(), &core, strides)?;
    let (made, found) = astype(ctx, &narrow, array.descr(), Casting::Unsafe)?;
    Ok((made.broadcast_to(&shape)?, found))
}

/// The array, or a copy if it shares memory with the one that is written.
fn apart(ctx: &Context, written: &Array, array: Array) -> Result<Array> {
    if !memory::shares(written, &array) {
        return Ok(array);
    }
    copied(ctx, &array)
}

/// The value without axes of size 1 that are more than its target has.
pub(crate) fn without_leading_ones(value: &Array, rank: usize) -> Result<Array> {
    let mut value = value.clone();
    while value.rank() > rank && value.shape().first() == Some(&1) {
        value = value.drop_axis(0)?;
    }
    Ok(value)
}

/// The slices of an axis at checked positions, whose axes take its place.
///
/// # Errors
/// `IndexOutOfRange`, `OutOfMemory`.
pub(crate) fn take_slices(
    ctx: &Context,
    array: &Array,
    axis: usize,
    positions: &Array,
) -> Result<Array> {
    let selection = Selection {
        view: array.clone(),
        before: axis,
        places: vec![Place::of(positions, axis)],
        places_shape: positions.shape().to_vec(),
    };
    let places = Places::new(ctx, &selection)?;
    let out = unfilled(ctx, &selection.shape(), array.descr())?;
    gather::exchange(&selection, &places, &out, Way::Get)?;
    report(ctx, "take", path_of(&selection), &out, out.block().len());
    Ok(out)
}

/// The value of an index with arrays without the axes that are more than its target has: those of
/// size 1, and any if it has no elements.
fn without_leading_axes(value: &Array, rank: usize) -> Result<Array> {
    match value.rank().checked_sub(rank) {
        Some(extra @ 1..) if value.is_empty() => {
            let (shape, strides) = (value.shape().get(extra..), value.strides().get(extra..));
            let shape = shape.unwrap_or_default();
            if shape.contains(&0) {
                return value.relayout(value.offset(), shape, strides.unwrap_or_default());
            }
            without_leading_ones(value, rank)
        }
        _ => without_leading_ones(value, rank),
    }
}

/// The byte positions in the array's block of all elements that `items` choose, in C order, and
/// their shape: what `ufunc.at` goes through.
///
/// # Errors
/// As [`get`].
pub(crate) fn elements(
    ctx: &Context,
    array: &Array,
    items: &[IndexItem],
) -> Result<(Vec<usize>, Vec<usize>)> {
    let mut prepared = prepare(ctx, array, items)?;
    if let Some(mask) = prepared.mask.take() {
        let axes = mask::positions(ctx, &mask)?.into_iter();
        prepared.parts = axes.map(|p| Part::Places(p, None)).collect();
    }
    let selection = select(array, &prepared)?;
    let places = Places::new(ctx, &selection)?;
    Ok((selection.shape(), gather::all_bytes(&selection, &places)))
}

/// The index array and its axis, if it is the only item, the array has rank 1 and the index array can be
/// walked through in one stride.
fn only_positions<'a>(array: &Array, prepared: &'a Prepared) -> Option<(&'a Array, usize)> {
    let [Part::Places(positions, None)] = prepared.parts.as_slice() else {
        return None;
    };
    let simple = positions.rank() <= 1
        || is_c_contiguous(
            positions.shape(),
            positions.strides(),
            positions.item_size(),
        );
    (array.rank() == 1 && simple).then_some((positions, 0))
}

/// How an index with arrays is walked through.
fn path_of(selection: &Selection) -> IndexPath {
    let (before, after) = selection.rest();
    let each: usize = before.iter().chain(after).product();
    match (before.len().saturating_add(after.len()), each) {
        (0, _) => IndexPath::Arrays,
        (_, 1) => IndexPath::OneElementEach,
        _ => IndexPath::Subspace,
    }
}

fn report(ctx: &Context, op: &'static str, path: IndexPath, array: &Array, bytes: usize) {
    ctx.report(|| Report {
        ops: vec![op],
        kind: LoopKind::Index(path),
        shape: array.shape().to_vec(),
        strides: vec![array.strides().to_vec()],
        bytes,
    });
}
