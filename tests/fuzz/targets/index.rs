//! Any index list, read and written: an error as NumPy has it, or elements of the array; a failed
//! assignment changes nothing.
#![no_main]

mod arrays;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use strand_array::{Array, Context, DType, IndexItem, indexing};

fn item(u: &mut Unstructured<'_>, ctx: &Context) -> arbitrary::Result<Option<IndexItem>> {
    let small = |u: &mut Unstructured<'_>| u.arbitrary::<i8>().map(i64::from);
    Ok(Some(match u.int_in_range(0..=6)? {
        0 => IndexItem::Int(small(u)?),
        1 => IndexItem::NewAxis,
        2 => IndexItem::Ellipsis,
        3 => IndexItem::Slice {
            start: u.arbitrary::<Option<i8>>()?.map(i64::from),
            stop: u.arbitrary::<Option<i8>>()?.map(i64::from),
            step: small(u)?,
        },
        _ => {
            let values: Vec<i8> = u.arbitrary()?;
            let columns = usize::from(u.arbitrary::<u8>()? % 3) + 1;
            let rows = values.len() / columns;
            let values: Vec<i64> = values[..rows * columns]
                .iter()
                .map(|v| i64::from(*v))
                .collect();
            let shape: &[usize] = if columns == 1 {
                &[rows]
            } else {
                &[rows, columns]
            };
            let Ok(array) = Array::from_slice(ctx, &values, shape) else {
                return Ok(None);
            };
            match u.arbitrary()? {
                true => IndexItem::IntArray(array),
                false => match array.cast(ctx, DType::Bool) {
                    Ok(mask) => IndexItem::BoolArray(mask),
                    Err(_) => return Ok(None),
                },
            }
        }
    }))
}

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let count = u.int_in_range(0..=4)?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.extend(item(&mut u, &ctx)?);
    }
    let arrays = arrays::some(&mut u, &ctx)?;
    let Some(array) = arrays.first() else {
        return Ok(());
    };
    let got = indexing::get(&ctx, array, &items);
    let value = arrays.get(1).unwrap_or(array);
    let before = array.block_bytes();
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
