//! Arrays put together, cut apart and chosen from: an error, or as many elements as were given.
#![no_main]

mod arrays;
mod numbers;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use numbers::{several, whole};
use strand_array::joining::{self, Cuts, JoinOptions, Nested};
use strand_array::selection::{self, Bounds};
use strand_array::sorting::{self, SortOptions};
use strand_array::{Array, Casting, Context, DType, Descr};

const CASTINGS: [Casting; 5] = [
    Casting::No,
    Casting::Equiv,
    Casting::Safe,
    Casting::SameKind,
    Casting::Unsafe,
];

fn nested(u: &mut Unstructured<'_>, arrays: &[Array], depth: usize) -> arbitrary::Result<Nested> {
    if depth == 0 || u.ratio(1, 8)? {
        return Ok(Nested::Array(u.choose(arrays)?.clone()));
    }
    let count = u.int_in_range(0..=3)?;
    let parts = (0..count).map(|_| nested(u, arrays, depth - 1));
    parts.collect::<Result<_, _>>().map(Nested::List)
}

fn join(u: &mut Unstructured<'_>, ctx: &Context, arrays: &[Array]) -> arbitrary::Result<()> {
    let out = u.ratio(1, 4)?.then(|| arrays.last()).flatten();
    let dtype = u
        .ratio(1, 4)?
        .then(|| u.choose(DType::NUMERIC))
        .transpose()?;
    let options = JoinOptions {
        out,
        dtype: dtype.copied().map(Descr::new),
        casting: *u.choose(&CASTINGS)?,
    };
    let total: usize = arrays.iter().map(Array::len).sum();
    let joined = match u.int_in_range(0..=5)? {
        0 => {
            let axis = u.arbitrary::<bool>()?.then(|| whole(u)).transpose()?;
            joining::concatenate(ctx, arrays, axis, &options)
        }
        1 => joining::stack(ctx, arrays, whole(u)?, &options),
        2 => joining::vstack(ctx, arrays, &options),
        3 => joining::hstack(ctx, arrays, &options),
        4 => joining::dstack(ctx, arrays, &options),
        _ => joining::column_stack(ctx, arrays, &options),
    };
    if let Ok(joined) = joined {
        assert_eq!(joined.len(), total);
    }
    Ok(())
}

fn cut(u: &mut Unstructured<'_>, a: &Array) -> arbitrary::Result<()> {
    let at = several(u, 5)?;
    let cuts = match u.arbitrary()? {
        true => Cuts::Before(&at),
        false => Cuts::Parts(u.int_in_range(-2..=9)?),
    };
    let axis = whole(u)?;
    let parts = match u.int_in_range(0..=5)? {
        0 => joining::split(a, &cuts, axis),
        1 => joining::array_split(a, &cuts, axis),
        2 => joining::hsplit(a, &cuts),
        3 => joining::vsplit(a, &cuts),
        4 => joining::dsplit(a, &cuts),
        _ => joining::unstack(a, axis),
    };
    for part in parts.into_iter().flatten() {
        let _ = part.flags();
        assert!(part.shares_block(a));
    }
    Ok(())
}

fn choose(u: &mut Unstructured<'_>, ctx: &Context, arrays: &[Array]) -> arbitrary::Result<()> {
    let (a, b) = (u.choose(arrays)?, u.choose(arrays)?);
    let c = u.choose(arrays)?;
    let axis = u.ratio(3, 4)?.then(|| whole(u)).transpose()?;
    let bounds = *u.choose(&[Bounds::Raise, Bounds::Wrap, Bounds::Clip])?;
    let Ok(positions) = Array::from_vec(ctx, several(u, 12)?) else {
        return Ok(());
    };
    let at = if u.arbitrary()? { &positions } else { b };
    match u.int_in_range(0..=11)? {
        0 => drop(selection::take(ctx, a, at, axis, bounds)),
        1 => drop(selection::take_into(ctx, a, at, axis, bounds, c)),
        2 => {
            let before = a.block_bytes();
            let failed = selection::put(ctx, a, at, c, bounds).is_err();
            assert!(!failed || a.block_bytes() == before, "a failed `put` wrote");
        }
        3 => drop(selection::take_along_axis(ctx, a, at, axis)),
        4 => drop(selection::put_along_axis(ctx, a, at, c, axis)),
        5 => drop(selection::where_(ctx, a, b, c)),
        6 => drop(selection::compress(ctx, at, a, axis)),
        7 => drop(selection::extract(ctx, b, a)),
        8 => drop(selection::put_mask(ctx, a, b, c)),
        9 => drop(selection::place(ctx, a, b, c)),
        10 => drop(selection::argwhere(ctx, a)),
        _ => drop(selection::argmax(ctx, a, axis, u.arbitrary()?, None)),
    }
    Ok(())
}

fn order(u: &mut Unstructured<'_>, ctx: &Context, arrays: &[Array]) -> arbitrary::Result<()> {
    let (a, b) = (u.choose(arrays)?, u.choose(arrays)?);
    let options = SortOptions {
        axis: u.ratio(3, 4)?.then(|| whole(u)).transpose()?,
        ..SortOptions::default()
    };
    match u.int_in_range(0..=5)? {
        0 => drop(sorting::sort(ctx, a, &options)),
        1 => drop(sorting::argsort(ctx, a, &options)),
        2 => drop(sorting::partition(ctx, a, &several(u, 4)?, &options)),
        3 => drop(sorting::argpartition(ctx, a, &several(u, 4)?, &options)),
        4 => drop(sorting::lexsort(ctx, arrays, whole(u)?)),
        _ => {
            let side = *u.choose(&[sorting::Side::Left, sorting::Side::Right])?;
            let sorter = u.arbitrary::<bool>()?.then(|| arrays.last()).flatten();
            drop(sorting::searchsorted(ctx, a, b, side, sorter));
        }
    }
    Ok(())
}

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let arrays = arrays::some(&mut u, &ctx)?;
    let Some(first) = arrays.first() else {
        return Ok(());
    };
    match u.int_in_range(0..=7)? {
        0 | 1 => join(&mut u, &ctx, &arrays)?,
        2 => cut(&mut u, first)?,
        3 | 4 => choose(&mut u, &ctx, &arrays)?,
        5 => order(&mut u, &ctx, &arrays)?,
        6 => drop(joining::block(&ctx, &nested(&mut u, &arrays, 3)?)),
        _ if u.arbitrary()? => drop(joining::tile(&ctx, first, &several(&mut u, 3)?)),
        _ => {
            let axis = u.ratio(3, 4)?.then(|| whole(&mut u)).transpose()?;
            drop(joining::repeat(&ctx, first, &several(&mut u, 7)?, axis));
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = run(data);
});
