//! Constructions are accepted exactly if every byte of every element lies in the block; what is
//! accepted can be read, copied, printed and laid out anew.
#![no_main]

mod arrays;

use libfuzzer_sys::fuzz_target;
use strand_array::{Context, memory};

/// Whether every byte of every element lies in the block, one by one.
fn is_inside(layout: &arrays::Layout) -> bool {
    let (shape, strides) = (layout.shape(), layout.strides());
    let item = layout.descr().size() as isize;
    let mut places = vec![isize::from(layout.offset)];
    for (size, stride) in shape.iter().zip(&strides) {
        let steps = 0..*size as isize;
        places = steps
            .flat_map(|at| places.iter().map(move |p| p + at * stride))
            .collect();
    }
    match places.is_empty() {
        true => usize::from(layout.offset) <= layout.block.len(),
        false => places
            .iter()
            .all(|p| *p >= 0 && p + item <= layout.block.len() as isize),
    }
}

fuzz_target!(|layouts: (arrays::Layout, arrays::Layout)| {
    let ctx = Context::new(1 << 24);
    let (a, b) = layouts;
    let found = a.array(&ctx);
    assert_eq!(found.is_some(), is_inside(&a), "{a:?}");
    let Some(array) = found else { return };
    let copy = array.copy(&ctx).unwrap_or_else(|_| array.clone());
    assert_eq!(copy.shape(), array.shape());
    for axis in 0..array.rank() {
        let _ = array
            .slice(axis, Some(-3), None, -1)
            .map(|view| view.flags());
        let _ = array.flip(axis).map(|view| view.block_bytes().len());
    }
    let _ = strand_array::array_repr(&array, &strand_array::PrintOptions::default());
    if let Some(other) = b.array(&ctx) {
        let _ = memory::may_share(&array, &other);
        let _ = strand_array::promote_types(array.descr(), other.descr());
    }
});
