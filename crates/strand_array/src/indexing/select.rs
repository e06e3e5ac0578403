//! From a prepared index list to a view, with the axes that index arrays walk over kept in place.

use crate::array::{Array, wrap_index};
use crate::error::{ArrayError, Result};
use crate::indexing::prepare::{Part, Prepared};
use crate::layout::slice_range;
use crate::multi::broadcast_all;

/// What an index list chooses: for every position of `places_shape` the elements of `view` at that
/// position of the index arrays.
pub(super) struct Selection {
    /// A view of the indexed array: axes before the index arrays, one axis per index array, axes after.
    pub(super) view: Array,
    /// How many axes stand before the index arrays' axes.
    pub(super) before: usize,
    /// The index arrays, i64, one per axis from `before` on.
    pub(super) places: Vec<Place>,
    /// The shape that the index arrays broadcast to.
    pub(super) places_shape: Vec<usize>,
}

/// An index array and the axis of the indexed array that it chooses from.
pub(super) struct Place {
    pub(super) positions: Option<Array>,
    pub(super) axis: usize,
    /// For a mask of rank 0, whether it is set.
    flag: bool,
}

impl Place {
    /// Positions along an axis.
    pub(super) fn of(positions: &Array, axis: usize) -> Self {
        Self {
            positions: Some(positions.clone()),
            axis,
            flag: true,
        }
    }

    /// The shape of the index array.
    fn shape(&self) -> &[usize] {
        match &self.positions {
            Some(positions) => positions.shape(),
            None if self.flag => &[1],
            None => &[0],
        }
    }
}

impl Selection {
    /// Sizes of the axes that the view has beside those of the index arrays.
    pub(super) fn rest(&self) -> (&[usize], &[usize]) {
        let shape = self.view.shape();
        let (before, others) = shape.split_at(self.before.min(shape.len()));
        let after = others.get(self.places.len()..).unwrap_or_default();
        (before, after)
    }

    /// The shape of the indexed array.
    pub(super) fn shape(&self) -> Vec<usize> {
        let (before, after) = self.rest();
        [before, &self.places_shape, after].concat()
    }
}

/// One axis of the result while the list is read.
#[derive(Clone, Copy)]
struct Axis {
    size: usize,
    stride: isize,
}

/// Follows the items through the array's axes.
struct Follower<'a> {
    array: &'a Array,
    axis: usize,
    offset: isize,
    plain: Vec<Axis>,
    chosen: Vec<Axis>,
    places: Vec<Place>,
    /// Where in `plain` the index arrays' axes stand, once there are any.
    at: Option<usize>,
    /// Whether something else was read after an index array.
    closed: bool,
}

/// Follows a prepared list. Integers beside index arrays count as such for where the axes go.
pub(super) fn select(array: &Array, prepared: &Prepared) -> Result<Selection> {
    let mut follower = Follower {
        array,
        axis: 0,
        offset: array.offset() as isize,
        plain: vec![],
        chosen: vec![],
        places: vec![],
        at: None,
        closed: false,
    };
    for part in &prepared.parts {
        follower.follow(part)?;
    }
    follower.finish()
}

impl Follower<'_> {
    fn follow(&mut self, part: &Part) -> Result<()> {
        match part {
            Part::Int(i) => {
                self.open();
                let (axis, number) = self.next_axis()?;
                let at = wrap_index(*i, axis.size, number)?;
                self.move_by(at, axis.stride);
            }
            Part::Slice { start, stop, step } => {
                self.closed |= self.at.is_some();
                let (axis, _) = self.next_axis()?;
                let (first, count) = slice_range(*start, *stop, *step, axis.size)?;
                if count > 0 {
                    self.move_by(first, axis.stride);
                }
                self.plain.push(Axis {
                    size: count,
                    stride: stepped(axis.stride, *step, count)?,
                });
            }
            Part::NewAxis => {
                self.closed |= self.at.is_some();
                self.plain.push(Axis { size: 1, stride: 0 });
            }
            Part::Whole(count) => {
                self.closed |= self.at.is_some();
                for _ in 0..*count {
                    let (axis, _) = self.next_axis()?;
                    self.plain.push(axis);
                }
            }
            Part::Places(positions, _) => {
                self.open();
                let (axis, number) = self.next_axis()?;
                self.chosen.push(axis);
                self.places.push(Place::of(positions, number));
            }
            Part::Flag(flag) => {
                self.open();
                self.chosen.push(Axis { size: 1, stride: 0 });
                self.places.push(Place {
                    positions: None,
                    axis: self.axis,
                    flag: *flag,
                });
            }
        }
        Ok(())
    }

    /// Notes an index array or an integer: index arrays that stand apart have their axes first.
    fn open(&mut self) {
        if self.at.is_none() {
            self.at = Some(self.plain.len());
        } else if self.closed {
            self.at = Some(0);
        }
    }

    fn next_axis(&mut self) -> Result<(Axis, usize)> {
        let number = self.axis;
        let (shape, strides) = (self.array.shape(), self.array.strides());
        match (shape.get(number), strides.get(number)) {
            (Some(&size), Some(&stride)) => {
                self.axis = number.saturating_add(1);
                Ok((Axis { size, stride }, number))
            }
            _ => Err(ArrayError::NoSuchAxis {
                axis: number,
                rank: self.array.rank(),
            }),
        }
    }

    fn move_by(&mut self, steps: usize, stride: isize) {
        // Without elements nothing is reachable, and the place of the view doesn't matter.
        if !self.array.is_empty() {
            let way = (steps as isize).wrapping_mul(stride);
            self.offset = self.offset.wrapping_add(way);
        }
    }

    fn finish(self) -> Result<Selection> {
        let before = self.at.unwrap_or(self.plain.len()).min(self.plain.len());
        let (head, tail) = self.plain.split_at(before);
        let axes: Vec<Axis> = [head, &self.chosen, tail].concat();
        let shape: Vec<usize> = axes.iter().map(|a| a.size).collect();
        let strides: Vec<isize> = axes.iter().map(|a| a.stride).collect();
        let shapes: Vec<&[usize]> = self.places.iter().map(Place::shape).collect();
        let places_shape = broadcast_all(&shapes).map_err(as_index_error)?;
        let offset = if shape.contains(&0) {
            self.array.offset()
        } else {
            self.offset as usize
        };
        Ok(Selection {
            view: self.array.relayout(offset, &shape, &strides)?,
            before,
            places: self.places,
            places_shape,
        })
    }
}

/// A slice's stride: the axis' own times the step; without elements, or if it doesn't fit, its own.
fn stepped(stride: isize, step: i64, count: usize) -> Result<isize> {
    let product = isize::try_from(step)
        .ok()
        .and_then(|s| stride.checked_mul(s));
    match product {
        _ if count == 0 => Ok(stride),
        Some(product) => Ok(product),
        None if count == 1 => Ok(stride),
        None => Err(ArrayError::TooLarge { what: "a stride" }),
    }
}

/// Index arrays that don't broadcast are an error of the index.
fn as_index_error(error: ArrayError) -> ArrayError {
    match error {
        ArrayError::Broadcast { left, right } => ArrayError::IndexShapes { left, right },
        other => other,
    }
}
