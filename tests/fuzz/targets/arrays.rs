//! Arrays of any dtype and layout over a small block, out of the fuzzer's bytes.

use arbitrary::{Arbitrary, Unstructured};
use strand_array::{Array, Context, DType, Descr};

/// How an array is laid out; most of these lie outside their block, and are refused.
#[derive(Arbitrary, Debug)]
pub struct Layout {
    dtype: u8,
    swapped: bool,
    pub block: Vec<u8>,
    pub offset: u8,
    axes: Vec<(u8, i8)>,
}

impl Layout {
    pub fn descr(&self) -> Descr {
        let dtypes = DType::NUMERIC;
        let dtype = dtypes[usize::from(self.dtype) % dtypes.len()];
        let descr = Descr::new(dtype);
        if self.swapped { descr.swapped() } else { descr }
    }

    pub fn shape(&self) -> Vec<usize> {
        self.axes
            .iter()
            .take(6)
            .map(|(size, _)| usize::from(size % 7))
            .collect()
    }

    pub fn strides(&self) -> Vec<isize> {
        self.axes
            .iter()
            .take(6)
            .map(|(_, stride)| isize::from(*stride))
            .collect()
    }

    /// The array, where every element lies inside the block.
    pub fn array(&self, ctx: &Context) -> Option<Array> {
        let (shape, strides) = (self.shape(), self.strides());
        let offset = usize::from(self.offset);
        let found = Array::from_bytes(ctx, &self.block, offset, &shape, &strides, self.descr());
        found.ok()
    }
}

/// As many arrays as the bytes give, at most four.
#[allow(dead_code, reason = "one of the targets takes its layouts as they are")]
pub fn some(u: &mut Unstructured<'_>, ctx: &Context) -> arbitrary::Result<Vec<Array>> {
    let count = u.int_in_range(1..=4)?;
    let layouts: Vec<Layout> = (0..count)
        .map(|_| u.arbitrary())
        .collect::<Result<_, _>>()?;
    Ok(layouts
        .iter()
        .filter_map(|layout| layout.array(ctx))
        .collect())
}
