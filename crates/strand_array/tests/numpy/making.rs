//! Rows 24 to 26: arrays from anything, requirements, write-back copies, typed access.

use std::rc::Rc;

use serde_json::Value as Json;
use strand_array::{
    AnyOptions, Array, ArrayError, ArrayInterface, Casting, Context, Copies, DType, Descr,
    HostValue, Item, Requirements, Result, Value, array_repr, astype, from_any, from_any_subtype,
    inout,
};

use crate::common::{
    array, bytes, canonical, cases, class_differs, descr, expected_leaves, finish, leaves, sizes,
    strides,
};

/// A value of the host as the scripts write it.
pub fn value(ctx: &Context, written: &Json) -> Value {
    let (kind, inner) = written.as_object().unwrap().iter().next().unwrap();
    let floats = |hex: &Json| -> Vec<f64> {
        let bytes = bytes(hex);
        let parts = bytes.chunks_exact(8);
        parts
            .map(|c| f64::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    let members = || {
        inner
            .as_array()
            .unwrap()
            .iter()
            .map(|item| value(ctx, item))
    };
    match kind.as_str() {
        "none" => Value::None,
        "bool" => Value::Bool(inner.as_bool().unwrap()),
        "int" => Value::Int(inner.as_str().unwrap().parse().unwrap()),
        "float" => Value::Float(floats(inner)[0]),
        "complex" => Value::Complex(floats(inner)[0], floats(inner)[1]),
        "text" => Value::from(inner.as_str().unwrap()),
        "array" => Value::Array(array(ctx, inner)),
        "item" => {
            let one = Array::from_elements(ctx, &bytes(&inner[1]), &[], &descr(&inner[0]));
            one.unwrap().element().unwrap()
        }
        "tuple" => Value::tuple(members()),
        _ => Value::list(members()),
    }
}

fn wanted_type(written: &Json) -> Option<Descr> {
    match written.as_str() {
        None => None,
        Some("|O") => Some(Descr::new(DType::Object)),
        Some(_) => Some(descr(written)),
    }
}

#[test]
fn row_24_sequences_become_arrays_as_numpys_do() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("making") {
        if case["value"].is_null() {
            continue;
        }
        checked += 1;
        let wanted = wanted_type(&case["dtype"]);
        let options = AnyOptions {
            descr: wanted.as_ref(),
            requirements: Requirements::FORCECAST,
            copies: Copies::Always,
            ..AnyOptions::default()
        };
        let found = from_any(&ctx, &value(&ctx, &case["value"]), &options);
        let written = &case["r"]["v"];
        if written["text"] == 1 {
            assert_eq!(found.unwrap_err().class(), "TypeError", "{case}");
            continue;
        }
        let why = class_differs(&found, &case["r"]).or_else(|| {
            let found = found.as_ref().ok()?;
            let expected = (descr_of(&written["d"]), sizes(&written["s"]));
            let form = (found.descr().clone(), found.shape().to_vec());
            if form != expected {
                return Some(format!("{form:?}, not {expected:?}"));
            }
            if written["repr"].is_string() {
                let text = array_repr(found, &Default::default());
                return (text != written["repr"].as_str()?).then_some(text);
            }
            let expected = canonical(found.descr(), &bytes(&written["b"]));
            let bytes = canonical(found.descr(), &found.to_bytes());
            (bytes != expected).then(|| format!("{bytes:x?}, not {expected:x?}"))
        });
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 200, &complaints);
}

fn descr_of(name: &Json) -> Descr {
    wanted_type(name).unwrap()
}

#[test]
fn row_24_requirements_are_met_with_a_copy_only_where_numpy_copies() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("making") {
        if case["want"].is_null() {
            continue;
        }
        checked += 1;
        let mut source = array(&ctx, &case["array"]);
        if case["readonly"] == true {
            source = source.with_writeable(false).unwrap();
        }
        let mut requirements = Requirements::FORCECAST;
        for one in case["want"].as_array().unwrap() {
            requirements = requirements
                | match one.as_str().unwrap() {
                    "C" => Requirements::C_CONTIGUOUS,
                    "F" => Requirements::F_CONTIGUOUS,
                    "A" => Requirements::ALIGNED,
                    _ => Requirements::WRITEABLE,
                };
        }
        let wanted = wanted_type(&case["dtype"]);
        let options = AnyOptions {
            descr: wanted.as_ref(),
            requirements,
            ..AnyOptions::default()
        };
        let found = from_any(&ctx, &Value::Array(source.clone()), &options).unwrap();
        let expected = canonical(found.descr(), &bytes(&case["r"]["b"]));
        let mut why = None;
        if canonical(found.descr(), &found.to_bytes()) != expected {
            why = Some("other elements".to_string());
        }
        if case["size"].as_u64() != Some(0) {
            if found.shares_block(&source) != (case["shares"] == true) {
                why = Some(format!("copied: {}", !found.shares_block(&source)));
            }
            if found.strides() != strides(&case["t"]) {
                why = Some(format!("strides {:?}", found.strides()));
            }
        }
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 200, &complaints);
}

#[test]
fn row_5_elements_are_set_to_values_by_numpys_rules() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("making") {
        if case["set"].is_null() {
            continue;
        }
        checked += 1;
        let array = Array::fresh(&ctx, &[1], &descr(&case["dtype"])).unwrap();
        let set = array.set_element(&[0], &value(&ctx, &case["set"]));
        let why = class_differs(&set, &case["r"]).or_else(|| {
            let wanted = case["r"]["v"]
                .is_array()
                .then(|| expected_leaves(&array, &case["r"]["v"]))?;
            let found = leaves(&array);
            (found != wanted).then(|| format!("{found:x?}, not {wanted:x?}"))
        });
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 200, &complaints);
}

fn floats(ctx: &Context, values: &[f64]) -> Array {
    Array::from_vec(ctx, values.to_vec()).unwrap()
}

/// A source for an in-out argument of `f64`, and whether it has to be copied.
fn sources(ctx: &Context) -> Vec<(Array, bool)> {
    let plain = floats(ctx, &[1.0, 2.0, 3.0, 4.0]);
    let strided = floats(ctx, &[1.0, 0.0, 2.0, 0.0])
        .slice(0, None, None, 2)
        .unwrap();
    let narrow = astype(ctx, &plain, &DType::F32.into(), Casting::Unsafe)
        .unwrap()
        .0;
    let swapped = Descr::new(DType::F64).swapped();
    let swapped = astype(ctx, &plain, &swapped, Casting::Unsafe).unwrap().0;
    let mut raw = vec![0];
    raw.extend([1.0_f64, 2.0].iter().flat_map(|v| v.to_ne_bytes()));
    let unaligned = Array::from_bytes(ctx, &raw, 1, &[2], &[8], DType::F64).unwrap();
    vec![
        (plain.clone(), false),
        (strided, true),
        (narrow, true),
        (swapped, true),
        (unaligned, true),
        (
            plain
                .reshape_view(&[2, 2])
                .unwrap()
                .transpose(0, 1)
                .unwrap(),
            true,
        ),
    ]
}

fn as_inout(ctx: &Context, array: &Array) -> Result<strand_array::WriteBack> {
    let descr = Descr::new(DType::F64);
    let options = AnyOptions {
        descr: Some(&descr),
        requirements: Requirements::INOUT | Requirements::FORCECAST,
        ..AnyOptions::default()
    };
    inout(ctx, &Value::Array(array.clone()), &options)
}

#[test]
fn row_25_write_back_copies_are_resolved_discarded_or_reported() {
    let ctx = Context::default();
    for (source, copied) in sources(&ctx) {
        let before = source.to_bytes();
        let index = vec![0; source.rank()];
        let copy = as_inout(&ctx, &source).unwrap();
        assert_eq!(copy.is_copy(), copied);
        assert_eq!(source.flags().writeable, !copied);
        copy.array().set_value_at(&index, 7.0_f64).unwrap();
        if copied {
            assert_eq!(source.to_bytes(), before, "nothing is written yet");
            assert_eq!(
                source.set_value_at(&index, 1.0_f64),
                Err(ArrayError::ReadOnly)
            );
            assert!(as_inout(&ctx, &source).is_err(), "locked once already");
        }
        copy.resolve().unwrap();
        assert_eq!(source.value_at::<f64>(&index), Ok(7.0));
        assert!(source.flags().writeable);

        let copy = as_inout(&ctx, &source).unwrap();
        copy.array().set_value_at(&index, 9.0_f64).unwrap();
        copy.discard();
        let kept = if copied { 7.0 } else { 9.0 };
        assert_eq!(source.value_at::<f64>(&index), Ok(kept));
        assert!(source.flags().writeable && ctx.take_faults().is_empty());

        let copy = as_inout(&ctx, &source).unwrap();
        copy.array().set_value_at(&index, 5.0_f64).unwrap();
        drop(copy);
        let reported = if copied {
            vec![ArrayError::UnresolvedWriteback]
        } else {
            vec![]
        };
        assert_eq!(ctx.take_faults(), reported);
        assert!(source.flags().writeable);
    }
}

#[test]
fn row_25_write_back_wants_a_writeable_array() {
    let ctx = Context::default();
    let options = AnyOptions::default();
    let number = inout(&ctx, &Value::Float(1.0), &options);
    assert_eq!(number.err().unwrap().class(), "TypeError");
    let locked = floats(&ctx, &[1.0]).with_writeable(false).unwrap();
    assert_eq!(as_inout(&ctx, &locked).err(), Some(ArrayError::ReadOnly));
    let options = AnyOptions {
        requirements: Requirements::WRITEBACKIFCOPY,
        ..AnyOptions::default()
    };
    let unguarded = from_any(&ctx, &Value::Float(1.0), &options);
    assert_eq!(unguarded.err().unwrap().class(), "ValueError");
}

/// A host value that offers its array, by sharing it or by making one.
struct Offer {
    array: Array,
    shares: bool,
    subtype: bool,
}

impl ArrayInterface for Offer {
    fn share(&self) -> Option<Array> {
        self.shares.then(|| self.array.clone())
    }
    fn is_subtype(&self) -> bool {
        self.subtype
    }
    fn to_array(&self, ctx: &Context) -> Result<Array> {
        astype(ctx, &self.array, self.array.descr(), Casting::No).map(|(copy, _)| copy)
    }
}

#[test]
fn row_24_an_extensions_value_passes_unless_a_plain_array_is_asked_for() {
    let ctx = Context::default();
    for subtype in [true, false] {
        let offer: Rc<dyn HostValue> = Rc::new(Offer {
            array: floats(&ctx, &[1.0]),
            shares: true,
            subtype,
        });
        let value = Value::from(offer);
        let make = |requirements: Requirements| {
            let options = AnyOptions {
                requirements,
                ..AnyOptions::default()
            };
            from_any_subtype(&ctx, &value, &options).unwrap()
        };
        let passes = matches!(make(Requirements::NONE), Value::Host(_));
        assert_eq!(passes, subtype);
        assert!(matches!(make(Requirements::ENSUREARRAY), Value::Array(_)));
        assert!(matches!(make(Requirements::ENSURECOPY), Value::Array(_)));
    }
}

impl HostValue for Offer {
    fn type_name(&self) -> &str {
        "offer"
    }
    fn repr(&self) -> String {
        "<offer>".into()
    }
    fn array(&self) -> Option<&dyn ArrayInterface> {
        Some(self)
    }
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[test]
fn row_24_the_array_interface_is_taken_without_a_copy() {
    let ctx = Context::default();
    let array = floats(&ctx, &[1.0, 2.0]);
    for shares in [true, false] {
        let offer: Rc<dyn HostValue> = Rc::new(Offer {
            array: array.clone(),
            shares,
            subtype: false,
        });
        let found = from_any(&ctx, &Value::from(offer), &AnyOptions::default()).unwrap();
        assert_eq!(found.shares_block(&array), shares);
        assert_eq!(found.to_vec::<f64>().unwrap(), [1.0, 2.0]);
    }
}

#[test]
fn row_24_loss_without_forcecast_is_an_error() {
    let ctx = Context::default();
    let make = |value: Value, dtype: DType| {
        let descr = Descr::new(dtype);
        let options = AnyOptions {
            descr: Some(&descr),
            ..AnyOptions::default()
        };
        from_any(&ctx, &value, &options)
    };
    let item = |dtype: DType, value: i64| {
        Value::Item(Item::new(&Descr::new(dtype), &Value::from(value)).unwrap())
    };
    // By value for numbers of the host, by type for typed elements and arrays.
    for (value, dtype, fits) in [
        (Value::Float(2.0), DType::I32, true),
        (Value::Float(2.5), DType::I32, false),
        (Value::Float(0.1), DType::F32, true),
        (Value::Float(1e300), DType::F32, false),
        (Value::Int(127), DType::I8, true),
        (Value::Int(128), DType::I8, false),
        (Value::Int(-1), DType::U64, false),
        (Value::Int(2), DType::Bool, false),
        (Value::Complex(1.0, 0.0), DType::F64, false),
        (item(DType::I64, 1), DType::I32, false),
        (item(DType::I32, 1), DType::I64, true),
        (Value::Array(floats(&ctx, &[1.0])), DType::F32, false),
        (Value::Array(floats(&ctx, &[1.0])), DType::C128, true),
    ] {
        let list = Value::list([value.clone()]);
        let text = format!("{value} as {dtype}");
        assert_eq!(make(value, dtype).is_ok(), fits, "{text}");
        assert_eq!(make(list, dtype).is_ok(), fits, "[{text}]");
    }
}

#[test]
fn row_24_ranks_and_copies_are_kept_to() {
    let ctx = Context::default();
    let array = Value::Array(floats(&ctx, &[1.0, 2.0]));
    let make = |value: &Value, min_rank, max_rank, copies| {
        let options = AnyOptions {
            min_rank,
            max_rank,
            copies,
            ..AnyOptions::default()
        };
        from_any(&ctx, value, &options)
    };
    assert!(make(&array, 1, Some(1), Copies::Never).is_ok());
    assert_eq!(
        make(&array, 2, None, Copies::IfNeeded)
            .err()
            .unwrap()
            .class(),
        "ValueError"
    );
    assert_eq!(
        make(&array, 0, Some(0), Copies::IfNeeded)
            .err()
            .unwrap()
            .class(),
        "ValueError"
    );
    let list = Value::list([Value::Int(1)]);
    assert_eq!(
        make(&list, 0, None, Copies::Never).err().unwrap().class(),
        "ValueError"
    );
    let mut deep = Value::Int(1);
    for _ in 0..70 {
        deep = Value::list([deep]);
    }
    assert_eq!(
        make(&deep, 0, None, Copies::IfNeeded)
            .err()
            .unwrap()
            .class(),
        "ValueError"
    );
}

#[test]
fn row_26_elements_are_read_and_written_by_rust_type_at_every_rank() {
    let ctx = Context::default();
    for dtype in DType::NUMERIC {
        for descr in [Descr::new(*dtype), Descr::new(*dtype).swapped()] {
            let shape = [2, 1, 2, 2];
            let array = Array::fresh(&ctx, &shape, &descr).unwrap();
            array.set_value_at(&[1, 0, -1, 0], 1_i32).unwrap();
            assert_eq!(array.at4::<f64>(1, 0, 1, 0), Ok(1.0), "{descr}");
            assert_eq!(array.at4::<i64>(-1, 0, 1, -2), Ok(1), "{descr}");
            let inner = array.select(0, 1).unwrap();
            assert_eq!(inner.at3::<f32>(0, 1, 0), Ok(1.0), "{descr}");
            let inner = inner.select(0, 0).unwrap();
            assert_eq!(inner.at2::<u8>(1, 0), Ok(1), "{descr}");
            assert_eq!(inner.select(0, 1).unwrap().at1::<i16>(0), Ok(1), "{descr}");
            assert!(inner.at1::<i16>(0).is_err() && inner.at2::<i16>(2, 0).is_err());
        }
    }
}

#[test]
fn row_26_new_arrays_take_their_layout_from_strides() {
    let ctx = Context::default();
    let descr = Descr::new(DType::I32);
    let array = Array::with_strides(&ctx, &[2, 3], &[4, 16], &descr).unwrap();
    assert_eq!(array.block().len(), 4 * (1 + 1 + 2 * 4));
    assert!(array.flags().owndata && array.flags().writeable);
    assert!(Array::with_strides(&ctx, &[2], &[-4], &descr).is_err());
    assert!(Array::with_strides(&ctx, &[2], &[3], &descr).is_err());
    assert!(
        Array::fresh_fortran(&ctx, &[2, 3], &descr)
            .unwrap()
            .flags()
            .f_contiguous
    );
    let sub = Descr::subarray(descr, &[3]).unwrap();
    assert_eq!(Array::fresh(&ctx, &[2], &sub).unwrap().shape(), [2, 3]);
}
