//! Methods of any ufunc: `reduce`, `accumulate`, `reduceat`, `at`, `outer`, also into outputs that overlap
//! what is read, with masks, types and small buffers.
#![no_main]

mod arrays;
mod numbers;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use numbers::{several, whole};
use strand_array::ufunc::{
    AlongOptions, Axes, CallOptions, Initial, Numerics, Operand, ReduceOptions, Ufunc,
};
use strand_array::{Array, Context, DType, IndexItem};

fn maybe<T: Clone>(u: &mut Unstructured<'_>, of: &[T]) -> arbitrary::Result<Option<T>> {
    Ok(match u.ratio(1, 3)? {
        true => Some(u.choose(of)?.clone()),
        false => None,
    })
}

fn operand(u: &mut Unstructured<'_>, arrays: &[Array]) -> arbitrary::Result<Operand> {
    Ok(match u.int_in_range(0..=7)? {
        0 => Operand::Bool(u.arbitrary()?),
        1 => Operand::Int(whole(u)?.into()),
        2 => Operand::Float(u.arbitrary()?),
        3 => Operand::Complex(u.arbitrary()?, u.arbitrary()?),
        _ => Operand::Array(u.choose(arrays)?.clone()),
    })
}

fn reduce_options(u: &mut Unstructured<'_>, arrays: &[Array]) -> arbitrary::Result<ReduceOptions> {
    Ok(ReduceOptions {
        axes: match u.int_in_range(0..=3)? {
            0 => Axes::All,
            1 => Axes::One(whole(u)?),
            _ => Axes::These(several(u, 4)?),
        },
        dtype: maybe(u, DType::NUMERIC)?,
        out: maybe(u, arrays)?,
        keepdims: u.arbitrary()?,
        initial: match u.int_in_range(0..=3)? {
            0 | 1 => Initial::Identity,
            2 => Initial::First,
            _ => Initial::Value(operand(u, arrays)?),
        },
        mask: maybe(u, arrays)?,
    })
}

fn along_options(u: &mut Unstructured<'_>, arrays: &[Array]) -> arbitrary::Result<AlongOptions> {
    Ok(AlongOptions {
        axis: whole(u)?,
        dtype: maybe(u, DType::NUMERIC)?,
        out: maybe(u, arrays)?,
    })
}

fn places(u: &mut Unstructured<'_>, ctx: &Context) -> arbitrary::Result<Vec<IndexItem>> {
    let mut items = vec![];
    for _ in 0..u.int_in_range(0..=2)? {
        items.push(match u.int_in_range(0..=3)? {
            0 => IndexItem::Int(whole(u)?),
            1 => IndexItem::Ellipsis,
            _ => {
                let places: Vec<i64> = (0..u.int_in_range(0..=20)?)
                    .map(|_| u.int_in_range(-3..=3))
                    .collect::<Result<_, _>>()?;
                let Ok(places) = Array::from_vec(ctx, places) else {
                    continue;
                };
                IndexItem::IntArray(places)
            }
        });
    }
    Ok(items)
}

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let all: Vec<Ufunc> = Ufunc::all().chain(Ufunc::own()).collect();
    let binary: Vec<Ufunc> = all.iter().copied().filter(|f| f.nin() == 2).collect();
    let arrays = arrays::some(&mut u, &ctx)?;
    let Some(array) = arrays.first() else {
        return Ok(());
    };
    let numerics = Numerics::new(&ctx);
    let _ = numerics.set_bufsize(16 * u.int_in_range(1..=8)?);
    let method = u.int_in_range(0..=4)?;
    let ufunc = match u.ratio(1, 8)? {
        true => *u.choose(&all)?,
        false => *u.choose(&binary)?,
    };
    match method {
        0 => {
            let options = reduce_options(&mut u, &arrays)?;
            let _ = ufunc.reduce(&numerics, array, &options);
        }
        1 => {
            let options = along_options(&mut u, &arrays)?;
            let _ = ufunc.accumulate(&numerics, array, &options);
        }
        2 => {
            let options = along_options(&mut u, &arrays)?;
            let indices = several(&mut u, 12)?;
            let _ = ufunc.reduceat(&numerics, array, &indices, &options);
        }
        3 => {
            let items = places(&mut u, &ctx)?;
            let value = operand(&mut u, &arrays)?;
            let second = (ufunc.nin() == 2 || u.arbitrary()?).then_some(&value);
            let before = array.block_bytes();
            let failed = ufunc.at(&numerics, array, &items, second).is_err();
            assert!(
                !failed || array.block_bytes() == before,
                "a failed `at` wrote"
            );
        }
        _ => {
            let (first, second) = (operand(&mut u, &arrays)?, operand(&mut u, &arrays)?);
            let options = CallOptions {
                out: vec![maybe(&mut u, &arrays)?],
                dtype: maybe(&mut u, DType::NUMERIC)?,
                ..CallOptions::default()
            };
            let _ = ufunc.outer(&numerics, &first, &second, &options);
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = run(data);
});
