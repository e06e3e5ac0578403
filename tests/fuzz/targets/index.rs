//! Any index list, read and written: an error as NumPy has it, or elements of the array; a failed
//! assignment changes nothing.
#![no_main]

mod arrays;
mod numbers;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use numbers::whole;
use strand_array::{Array, Context, DType, IndexItem, indexing};

/// Positions of any integer type in one axis or two; those that the type can't hold wrap.
fn positions(u: &mut Unstructured<'_>, ctx: &Context) -> arbitrary::Result<Option<Array>> {
    let values = numbers::several(u, 24)?;
    let columns = u.int_in_range(1..=3)?;
    let rows = values.len() / columns;
    let shape: &[usize] = match columns {
        1 => &[rows],
        _ => &[rows, columns],
    };
    let dtype = *u.choose(&[
        DType::I64,
        DType::U64,
        DType::I32,
        DType::U32,
        DType::I16,
        DType::I8,
        DType::U8,
    ])?;
    let array = Array::from_slice(ctx, &values[..rows * columns], shape);
    Ok(array.and_then(|array| array.cast(ctx, dtype)).ok())
}

/// A mask; of the array's own shape at times, so that it is found.
fn mask(u: &mut Unstructured<'_>, ctx: &Context, of: &Array) -> arbitrary::Result<Option<Array>> {
    let shape = match u.int_in_range(0..=2)? {
        0 => of.shape().to_vec(),
        1 => of.shape().iter().copied().take(1).collect(),
        _ => (0..u.int_in_range(0..=3)?)
            .map(|_| u.int_in_range(0..=7))
            .collect::<Result<_, _>>()?,
    };
    let count = shape.iter().product();
    let bits: Vec<bool> = (0..count)
        .map(|_| u.arbitrary())
        .collect::<Result<_, _>>()?;
    let mask = Array::from_slice(ctx, &bits, &shape).ok();
    Ok(match u.arbitrary()? {
        true => mask,
        false => mask.and_then(|mask| mask.flip(0).ok()),
    })
}

fn item(
    u: &mut Unstructured<'_>,
    ctx: &Context,
    of: &Array,
) -> arbitrary::Result<Option<IndexItem>> {
    let bound = |u: &mut Unstructured<'_>| match u.ratio(1, 3)? {
        true => Ok(None),
        false => whole(u).map(Some),
    };
    Ok(Some(match u.int_in_range(0..=7)? {
        0 => IndexItem::Int(whole(u)?),
        1 => IndexItem::NewAxis,
        2 => IndexItem::Ellipsis,
        3 | 4 => IndexItem::Slice {
            start: bound(u)?,
            stop: bound(u)?,
            step: whole(u)?,
        },
        5 | 6 => return Ok(positions(u, ctx)?.map(IndexItem::IntArray)),
        _ => return Ok(mask(u, ctx, of)?.map(IndexItem::BoolArray)),
    }))
}

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let arrays = arrays::some(&mut u, &ctx)?;
    let Some(array) = arrays.first() else {
        return Ok(());
    };
    let count = u.int_in_range(0..=5)?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.extend(item(&mut u, &ctx, array)?);
    }
    let got = indexing::get(&ctx, array, &items);
    // The language's own indexing, which goes another way.
    let own = strand_array::index(&ctx, array, &items);
    if let (Ok(own), Ok(Some(got))) = (&own, got.as_ref().map(|got| got.array())) {
        assert_eq!(own.shape(), got.shape(), "{items:?}");
    }
    let value = arrays.get(1).unwrap_or(array);
    let before = array.block_bytes();
    let _ = strand_array::index_set(&ctx, array, &items, value);
    assert_eq!(
        array.block_bytes(),
        before,
        "the array that is copied changed"
    );
    if indexing::set(&ctx, array, &items, value).is_err() {
        assert_eq!(array.block_bytes(), before, "a failed assignment wrote");
    } else {
        assert!(got.is_ok(), "written but not read: {items:?}");
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = run(data);
});
