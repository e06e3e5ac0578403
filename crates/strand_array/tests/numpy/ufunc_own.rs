//! Row 23's second table: clip, and the functions of the language.

use strand_array::ufunc::{CallOptions, Mode, Modes, Numerics, Operand, Ufunc};
use strand_array::{Array, Context, DType};

use crate::common::{bytes, cases, descr, finish, sizes};
use crate::ufuncs::sums_differ;

#[test]
fn row_23_clip_is_numpys_and_the_languages_functions_are_pytorchs() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_own") {
        let numerics = Numerics::new(&Context::default());
        numerics.set_modes(Modes::all(Mode::Ignore));
        let name = case["u"].as_str().unwrap();
        let inputs: Vec<Operand> = case["in"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| {
                let (descr, data) = (descr(&value["d"]), bytes(&value["b"]));
                let strides = [descr.size() as isize];
                let shape = sizes(&value["s"]);
                let array =
                    Array::from_bytes(numerics.context(), &data, 0, &shape, &strides, descr);
                Operand::Array(array.unwrap())
            })
            .collect();
        let ufunc = Ufunc::named(name).unwrap();
        let called = ufunc
            .call(&numerics, &inputs, &CallOptions::default())
            .unwrap();
        checked += 1;
        let out = &called.outputs[0];
        // What cancels is exact to a few units of the operand's own size.
        let (ulps, terms) = match (name, out.dtype()) {
            ("clip" | "relu", _) => (0.0, 0.0),
            ("gelu", _) => (4.0, 1.0),
            ("silu" | "softplus", DType::F32) => (4.0, 1e-3),
            // Results below the normal numbers may be 0.
            (_, DType::F32) => (2.0, 1e-31),
            _ => (4.0, 1e-3),
        };
        if let Some(difference) = sums_differ(out, &case["v"], ulps, out.dtype(), terms) {
            complaints.push(format!("{name} {}: {difference}", out.dtype()));
        }
    }
    finish(checked, 50, &complaints);
}
