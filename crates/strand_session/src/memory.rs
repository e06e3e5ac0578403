//! Where a value's elements lie.

use strand_array::Array;
use strand_interp::Value;

/// A block of at most so many items is read item by item.
const MOST_ITEMS: usize = 1024;

/// How the elements of a tensor are found in its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of the block.
    pub bytes: usize,
    /// Bytes of an element.
    pub item: usize,
    /// Byte offset of the first element.
    pub offset: usize,
    /// Sizes of the axes.
    pub shape: Vec<usize>,
    /// Byte strides of the axes.
    pub strides: Vec<isize>,
    /// Elements follow each other in C order.
    pub c_contiguous: bool,
    /// Elements follow each other in Fortran order.
    pub f_contiguous: bool,
    /// The value is a view of elements that another array was made with.
    pub is_view: bool,
}

/// The layout of a value; `None` of one that isn't a tensor.
#[must_use]
pub fn layout(value: &Value) -> Option<Layout> {
    let array = array(value)?;
    let flags = array.flags();
    Some(Layout {
        bytes: array.block().len(),
        item: array.item_size(),
        offset: array.offset(),
        shape: array.shape().to_vec(),
        strides: array.strides().to_vec(),
        c_contiguous: flags.c_contiguous,
        f_contiguous: flags.f_contiguous,
        is_view: !flags.owndata,
    })
}

/// The items of a tensor's block in order; none of a block with too many.
#[must_use]
pub fn block_items(value: &Value) -> Vec<f64> {
    let Some(array) = array(value) else {
        return Vec::new();
    };
    if array.block().len() / array.item_size().max(1) > MOST_ITEMS {
        return Vec::new();
    }
    let items = array.block_items();
    items.map(|items| items.to_vec_f64()).unwrap_or_default()
}

/// Whether both values lie in one block.
#[must_use]
pub fn share_memory(a: &Value, b: &Value) -> bool {
    match (array(a), array(b)) {
        (Some(a), Some(b)) => a.shares_block(b),
        _ => false,
    }
}

fn array(value: &Value) -> Option<&Array> {
    match value {
        Value::Tensor(array) => Some(array),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use strand_array::Context;

    use super::*;

    #[test]
    fn a_view_says_whose_block_it_shows() {
        let ctx = Context::default();
        let base = Array::arange(&ctx, 0, 12, 1).unwrap();
        let view = base.slice(0, Some(9), Some(3), -2).unwrap();
        let (base, view) = (Value::Tensor(base), Value::Tensor(view));
        assert!(share_memory(&base, &view));
        assert!(!share_memory(&base, &Value::Int(3)));
        assert!(!layout(&base).unwrap().is_view);
        let found = layout(&view).unwrap();
        assert_eq!((found.offset, &*found.strides), (72, &[-16_isize][..]));
        assert!(found.is_view && !found.c_contiguous);
        assert_eq!(block_items(&view), block_items(&base));
        assert_eq!(layout(&Value::Bool(true)), None);
    }

    #[test]
    fn results_that_show_their_own_elements_are_no_views() {
        let program = "x = [[1.0, 2.0], [3.0, 4.0]]\nx[x > 1.0]\nx[[0, 1]]\nx[.., [1, 0]]\n\
                       sort(x, over=-2)\nargsort(x, over=-1)\nx @ x\n\
                       x[0]\ntranspose(x)\nreshape(x, 4)\nx[0..0]\n";
        let mut views = Vec::new();
        crate::Document::new(program).run(&crate::RunOptions::default(), &mut |event| {
            if let crate::Event::Value(shown) = event {
                views.extend(layout(&shown.value).map(|found| found.is_view));
            }
        });
        let expected = [[false; 6].as_slice(), &[true; 4]].concat();
        assert_eq!(views, expected);
    }
}
