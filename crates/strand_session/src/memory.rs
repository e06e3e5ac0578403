//! Where a value's elements lie.

use strand_array::Array;
use strand_interp::Value;

/// A block of at most so many items is read item by item.
const MOST_ITEMS: usize = 1024;

/// The memory of a tensor: its block, and how the elements are found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
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
    /// The block's items in order; none of a block with too many.
    pub items: Vec<f64>,
}

/// The memory of a value; `None` of one that isn't a tensor.
#[must_use]
pub fn memory(value: &Value) -> Option<Memory> {
    let Value::Tensor(array) = value else {
        return None;
    };
    let flags = array.flags();
    let (bytes, item) = (array.block().len(), array.item_size());
    let items = if bytes / item.max(1) > MOST_ITEMS {
        Vec::new()
    } else {
        array
            .block_items()
            .map(|items| items.to_vec_f64())
            .unwrap_or_default()
    };
    Some(Memory {
        bytes,
        item,
        offset: array.offset(),
        shape: array.shape().to_vec(),
        strides: array.strides().to_vec(),
        c_contiguous: flags.c_contiguous,
        f_contiguous: flags.f_contiguous,
        is_view: !flags.owndata,
        items,
    })
}

/// Whether both values lie in one block.
#[must_use]
pub fn share_memory(a: &Value, b: &Value) -> bool {
    fn array(value: &Value) -> Option<&Array> {
        match value {
            Value::Tensor(array) => Some(array),
            _ => None,
        }
    }
    match (array(a), array(b)) {
        (Some(a), Some(b)) => a.shares_block(b),
        _ => false,
    }
}
