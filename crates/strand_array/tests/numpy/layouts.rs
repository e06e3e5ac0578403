//! Rows 1 and 2: constructions are accepted if every reachable byte lies inside; flags.

use strand_array::{Array, Context};

use crate::common::{cases, descr, finish, sizes, strides};

#[test]
fn row_1_layouts_are_accepted_if_all_bytes_lie_inside_and_row_2_flags_are_numpys() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("layouts") {
        let block = vec![0; case["n"].as_u64().unwrap() as usize];
        let (shape, strides) = (sizes(&case["s"]), strides(&case["t"]));
        let offset = case["o"].as_u64().unwrap() as usize;
        let made = Array::from_bytes(&ctx, &block, offset, &shape, &strides, descr(&case["d"]));
        checked += 1;
        match (made, case["inside"].as_bool().unwrap()) {
            (Ok(array), true) => {
                let flags = array.flags();
                let found = [flags.c_contiguous, flags.f_contiguous, flags.aligned];
                let expected = ["c", "f", "aligned"].map(|name| case[name].as_bool().unwrap());
                if found != expected {
                    complaints.push(format!("{case}: flags are {found:?}"));
                }
            }
            (Err(_), false) => {}
            (made, _) => complaints.push(format!("{case}: {made:?}")),
        }
    }
    finish(checked, 1000, &complaints);
}
