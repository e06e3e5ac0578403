//! Any ufunc on any arrays, also with outputs that overlap the inputs, masks, types and castings.
#![no_main]

mod arrays;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use strand_array::ufunc::{CallOptions, Numerics, Operand, Ufunc};
use strand_array::{Casting, Context, DType};

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let all: Vec<Ufunc> = Ufunc::all().collect();
    let ufunc = *u.choose(&all)?;
    let arrays = arrays::some(&mut u, &ctx)?;
    if arrays.is_empty() {
        return Ok(());
    }
    let mut operands = Vec::new();
    for _ in 0..ufunc.nin() {
        operands.push(match u.int_in_range(0..=9)? {
            0 => Operand::Bool(u.arbitrary()?),
            1 => Operand::Int(i128::from(u.arbitrary::<i64>()?)),
            2 => Operand::Float(u.arbitrary()?),
            3 => Operand::Complex(u.arbitrary()?, u.arbitrary()?),
            _ => Operand::Array(u.choose(&arrays)?.clone()),
        });
    }
    let mut options = CallOptions::default();
    for _ in 0..ufunc.nout() {
        let out = if u.ratio(1, 3)? {
            Some(u.choose(&arrays)?.clone())
        } else {
            None
        };
        options.out.push(out);
    }
    if u.ratio(1, 4)? {
        options.mask = Some(u.choose(&arrays)?.clone());
    }
    if u.ratio(1, 4)? {
        options.dtype = Some(*u.choose(DType::NUMERIC)?);
    }
    options.casting = *u.choose(&[
        Casting::No,
        Casting::Equiv,
        Casting::Safe,
        Casting::SameKind,
        Casting::Unsafe,
    ])?;
    let numerics = Numerics::new(&ctx);
    if let Ok(size) = u.int_in_range(1..=8) {
        let _ = numerics.set_bufsize(16 * size);
    }
    let _ = ufunc.call(&numerics, &operands, &options);
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = run(data);
});
