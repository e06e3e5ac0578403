//! Row 21: sums are NumPy's to the bit, so that they are as exact.

use strand_array::ufunc::{Axes, Numerics, ReduceOptions, Ufunc};
use strand_array::{Array, Casting, Context, astype};

use crate::common::{cases, descr, differs, finish, sizes};

#[test]
fn row_21_sums_are_numpys_to_the_bit() {
    let numerics = Numerics::new(&Context::default());
    let ctx = numerics.context();
    let add = Ufunc::named("add").unwrap();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_sums") {
        let (seed, shape) = (case["seed"].as_u64().unwrap(), sizes(&case["s"]));
        let count: usize = shape.iter().product();
        let value = |i: u64| {
            let mixed = (i * 2_654_435_761 + seed) & 0xffff_ffff;
            mixed as f64 / f64::from(1_u32 << 31) - 1.0
        };
        let values: Vec<f64> = (1..=count as u64).map(value).collect();
        let array = Array::from_slice(ctx, &values, &shape).unwrap();
        let mut array = astype(ctx, &array, &descr(&case["d"]), Casting::Unsafe)
            .unwrap()
            .0;
        if case["layout"] == "strided" {
            array = array.slice(0, None, None, 2).unwrap();
        }
        let options = ReduceOptions {
            axes: Axes::One(case["axis"].as_i64().unwrap()),
            ..ReduceOptions::default()
        };
        let reduced = add.reduce(&numerics, &array, &options).unwrap();
        checked += 1;
        if let Some(difference) = differs(&reduced.output, &case["v"]) {
            complaints.push(format!(
                "{} {} {}: {difference}",
                case["layout"], case["d"], case["s"]
            ));
        }
    }
    finish(checked, 100, &complaints);
}
