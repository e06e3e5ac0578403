//! Rows 2 and 3: views share their block, know their owner and obey its lock; shared memory.

use serde_json::Value;
use strand_array::memory::{self, Overlap};
use strand_array::{Array, ArrayError, Context, DType, Descr};

use crate::common::{cases, descr, finish, sizes, strides};

/// Bytes of the block that `memory.py` lays its views over.
const LENGTH: usize = 160;

fn view(base: &Array, case: &Value) -> Array {
    let (shape, strides) = (sizes(&case["s"]), strides(&case["t"]));
    let offset = case["o"].as_u64().unwrap() as usize;
    base.with_layout(offset, &shape, &strides, descr(&case["d"]))
        .unwrap()
}

#[test]
fn row_3_shared_memory_is_what_numpy_finds() {
    let ctx = Context::default();
    let base = Array::from_bytes(&ctx, &[0; LENGTH], 0, &[LENGTH], &[1], DType::U8).unwrap();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("memory") {
        let (a, b) = (view(&base, &case["a"]), view(&base, &case["b"]));
        let found = (
            memory::may_share(&a, &b),
            memory::shares_memory(&a, &b, None).unwrap(),
            memory::internal_overlap(&a, None) == Overlap::Yes,
        );
        let flag = |name: &str| case[name].as_bool().unwrap();
        let expected = (flag("may"), flag("shares"), flag("itself"));
        // Where the short search gives up it must not deny.
        let denied =
            (expected.1 && !memory::shares(&a, &b)) || (expected.2 && !memory::overlaps_itself(&a));
        if found != expected || denied {
            complaints.push(format!("{case}: {found:?}"));
        }
        checked += 1;
    }
    finish(checked, 1000, &complaints);
}

#[test]
fn row_2_and_3_views_have_the_owners_block_and_lock() {
    let ctx = Context::default();
    let owner = Array::arange(&ctx, 0, 24, 1).unwrap();
    assert!(owner.flags().owndata && owner.flags().writeable);
    let view = owner.reshape_view(&[2, 3, 4]).unwrap();
    let deeper = view.flip(1).unwrap().transpose(0, 2).unwrap();
    for view in [&view, &deeper] {
        assert!(view.shares_block(&owner) && !view.flags().owndata);
        assert!(view.flags().writeable);
    }
    let locked = owner.clone().with_writeable(false).unwrap();
    let part = locked.slice(0, Some(3), None, 2).unwrap();
    assert!(!part.flags().writeable && part.shares_block(&owner));
    assert_eq!(
        part.with_writeable(true).map(|_| ()),
        Err(ArrayError::ReadOnly)
    );
    assert!(locked.with_writeable(true).is_ok());
    let odd = owner
        .with_layout(1, &[2], &[8], Descr::new(DType::C64))
        .unwrap();
    assert!(!odd.flags().aligned);
}
