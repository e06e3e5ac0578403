//! Reading an index list: what each item is, whether it fits, and what the list as a whole asks for.

use crate::array::Array;
use crate::cast::{Casting, astype};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::index::IndexItem;
use crate::indexing::mask;
use crate::layout::MAX_RANK;

/// One prepared item.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// One position; its axis goes away.
    Int(i64),
    /// `start:stop:step`.
    Slice {
        start: Option<i64>,
        stop: Option<i64>,
        step: i64,
    },
    /// A new axis of size 1.
    NewAxis,
    /// So many whole axes.
    Whole(usize),
    /// Positions along one axis, in the machine's i64. From a mask, with the size that the axis has to have.
    Places(Array, Option<usize>),
    /// A mask of rank 0: an axis with one position or none, which stands for no axis of the array.
    Flag(bool),
}

/// What kinds of items an index list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) int: bool,
    pub(super) slice: bool,
    pub(super) new_axis: bool,
    pub(super) ellipsis: bool,
    pub(super) places: bool,
    /// One bool array of the array's own shape.
    pub(super) mask: bool,
    /// An integer that came from an array of rank 0, and makes the result a copy.
    pub(super) from_array: bool,
}

impl Kinds {
    /// Whether the list takes integers only, one per axis.
    pub(super) fn is_element(self) -> bool {
        self == Self {
            int: true,
            ..Self::default()
        }
    }
}

/// An index list that was read: valid, but for positions outside their axes and index arrays that
/// don't broadcast together.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) parts: Vec<Part>,
    pub(super) kinds: Kinds,
    /// The mask, if `kinds.mask`.
    pub(super) mask: Option<Array>,
}

/// Reads and checks an index list for an array, and adds an ellipsis where axes are left.
pub(super) fn prepare(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Prepared> {
    if let Some(mask) = whole_mask(array, items) {
        let kinds = Kinds {
            mask: true,
            ..Kinds::default()
        };
        return Ok(Prepared {
            parts: vec![],
            kinds,
            mask: Some(mask.clone()),
        });
    }
    let mut reader = Reader::default();
    for item in items {
        reader.read(ctx, item)?;
    }
    reader.complete(array.rank(), items.is_empty())?;
    let prepared = Prepared {
        parts: reader.parts,
        kinds: reader.kinds,
        mask: None,
    };
    prepared.check(array, reader.made.saturating_add(reader.places_rank))?;
    Ok(prepared)
}

/// The only item, if it is a bool array of the array's shape: its own path.
fn whole_mask<'a>(array: &Array, items: &'a [IndexItem]) -> Option<&'a Array> {
    let [IndexItem::IntArray(mask) | IndexItem::BoolArray(mask)] = items else {
        return None;
    };
    (mask.dtype() == DType::Bool && mask.shape() == array.shape()).then_some(mask)
}

#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    kinds: Kinds,
    /// Where the ellipsis stands.
    ellipsis: Option<usize>,
    /// Axes of the array that items stand for.
    used: usize,
    /// Axes of the result that items other than index arrays give.
    made: usize,
    /// The highest rank of an index array.
    places_rank: usize,
}

impl Reader {
    fn read(&mut self, ctx: &Context, item: &IndexItem) -> Result<()> {
        match item {
            IndexItem::Int(i) => self.add_int(*i),
            IndexItem::Slice { start, stop, step } => {
                self.kinds.slice = true;
                self.take(1);
                self.make(1);
                self.parts.push(Part::Slice {
                    start: *start,
                    stop: *stop,
                    step: *step,
                });
            }
            IndexItem::NewAxis => {
                self.kinds.new_axis = true;
                self.make(1);
                self.parts.push(Part::NewAxis);
            }
            IndexItem::Ellipsis => {
                if self.ellipsis.replace(self.parts.len()).is_some() {
                    return Err(ArrayError::BadIndex {
                        why: "an index can have one `...` only",
                    });
                }
                self.kinds.ellipsis = true;
                self.parts.push(Part::Whole(0));
            }
            IndexItem::IntArray(array) | IndexItem::BoolArray(array) => {
                self.read_array(ctx, array)?;
            }
        }
        Ok(())
    }

    /// Items stand for so many more axes of the array.
    fn take(&mut self, axes: usize) {
        self.used = self.used.saturating_add(axes);
    }

    /// The result has so many more axes.
    fn make(&mut self, axes: usize) {
        self.made = self.made.saturating_add(axes);
    }

    fn add_int(&mut self, i: i64) {
        self.kinds.int = true;
        self.take(1);
        self.parts.push(Part::Int(i));
    }

    fn read_array(&mut self, ctx: &Context, array: &Array) -> Result<()> {
        let is_bool = array.dtype() == DType::Bool;
        if !is_bool && !array.dtype().is_integer() {
            return Err(ArrayError::BadIndex {
                why: "index arrays must hold whole numbers or bools",
            });
        }
        match (is_bool, array.rank()) {
            (true, 0) => {
                self.add_places(1);
                self.parts.push(Part::Flag(mask::is_set(array)));
            }
            (true, _) => {
                self.add_places(1);
                for (places, &size) in mask::positions(ctx, array)?.into_iter().zip(array.shape()) {
                    self.take(1);
                    self.parts.push(Part::Places(places, Some(size)));
                }
            }
            (false, 0) => {
                let whole = as_positions(ctx, array)?;
                self.kinds.from_array = true;
                self.add_int(whole.get(&[])?.to_i64());
            }
            (false, rank) => {
                self.add_places(rank);
                self.take(1);
                self.parts
                    .push(Part::Places(as_positions(ctx, array)?, None));
            }
        }
        Ok(())
    }

    fn add_places(&mut self, rank: usize) {
        self.kinds.places = true;
        self.places_rank = self.places_rank.max(rank);
    }

    /// Gives the axes that are left to the ellipsis, and settles what the list asks for.
    fn complete(&mut self, rank: usize, empty: bool) -> Result<()> {
        let left = rank
            .checked_sub(self.used)
            .ok_or(ArrayError::TooManyIndices {
                found: self.used,
                rank,
            })?;
        if left > 0 && self.ellipsis.is_none() {
            self.ellipsis = Some(self.parts.len());
            self.kinds.ellipsis = true;
            self.parts.push(Part::Whole(0));
        } else if empty {
            // `a[()]` of rank 0 is its element, `a[...]` a view.
            self.kinds.int = true;
        }
        self.make(left);
        if let Some(part) = self.ellipsis.and_then(|at| self.parts.get_mut(at)) {
            *part = Part::Whole(left);
        }
        let kinds = &mut self.kinds;
        let only_ints = !(kinds.slice || kinds.new_axis || kinds.ellipsis);
        if kinds.places || only_ints {
            kinds.from_array = false;
        }
        Ok(())
    }
}

impl Prepared {
    /// Checks the rank of the result, and the shapes of masks now that their axes are known.
    fn check(&self, array: &Array, rank: usize) -> Result<()> {
        if rank > MAX_RANK {
            return Err(ArrayError::BadIndex {
                why: "the indexed array would have more than 64 axes",
            });
        }
        let mut axis = 0_usize;
        for part in &self.parts {
            let size = array.shape().get(axis).copied();
            // An axis of size 0 of a mask chooses nothing, whatever it stands for.
            if let Part::Places(_, wanted @ Some(1..)) = part
                && *wanted != size
            {
                return Err(ArrayError::MaskSize {
                    axis,
                    size: size.unwrap_or(0),
                    mask: wanted.unwrap_or(0),
                });
            }
            axis = axis.saturating_add(match part {
                Part::Whole(count) => *count,
                Part::NewAxis | Part::Flag(_) => 0,
                Part::Int(_) | Part::Slice { .. } | Part::Places(..) => 1,
            });
        }
        Ok(())
    }
}

/// An index array as i64 in the machine's order; itself if it is so already.
pub(super) fn as_positions(ctx: &Context, array: &Array) -> Result<Array> {
    let wanted = Descr::new(DType::I64);
    if array.descr() == &wanted {
        return Ok(array.clone());
    }
    Ok(astype(ctx, array, &wanted, Casting::SameKind)?.0)
}
