//! Row 5: every dtype's table of functions.

use strand_array::{Array, Context, DType, Descr, Value};

use crate::common::{bytes, canonical, cases, descr, finish};

#[test]
fn row_5_the_functions_of_a_descriptor_are_numpys() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("functions") {
        let (descr, plain) = (descr(&case["d"]), descr(&case["p"]));
        let (a, size) = (bytes(&case["a"]), descr.size());
        let functions = descr.functions();
        let mut same = |what: &str, found: String, wanted: String| {
            checked += 1;
            if found != wanted {
                complaints.push(format!("{what} of {descr}: {found}, not {wanted}: {case}"));
            }
        };
        let at = |name: &str| case[name].to_string();
        same(
            "argmax",
            (functions.arg_max)(&descr, &a).to_string(),
            at("argmax"),
        );
        same(
            "argmin",
            (functions.arg_min)(&descr, &a).to_string(),
            at("argmin"),
        );
        let truths = a
            .chunks_exact(size)
            .map(|e| u8::from((functions.nonzero)(&descr, e)));
        let truths: Vec<u8> = truths.collect();
        same(
            "nonzero",
            serde_json::to_string(&truths).unwrap(),
            at("nonzero"),
        );

        let (x, y) = (bytes(&case["x"]), bytes(&case["y"]));
        let mut out = vec![0; size];
        (functions.dot)(&plain, &x, &y, &mut out).unwrap();
        let wanted = canonical(&plain, &bytes(&case["dot"]));
        same(
            "dot",
            format!("{:?}", canonical(&plain, &out)),
            format!("{wanted:?}"),
        );
        let pairs = x.chunks_exact(size).zip(y.chunks_exact(size));
        let less: Vec<u8> = pairs
            .map(|(x, y)| u8::from((functions.compare)(&plain, x, y).is_some_and(|o| o.is_lt())))
            .collect();
        same("less", serde_json::to_string(&less).unwrap(), at("less"));

        let range = bytes(&case["arange"]);
        if plain.dtype() != DType::Bool {
            let mut filled = range.clone();
            filled
                .iter_mut()
                .skip(2 * size)
                .for_each(|byte| *byte = 0xaa);
            (functions.fill)(&plain, &mut filled).unwrap();
            same("fill", format!("{filled:?}"), format!("{range:?}"));
        }
        // Getting and setting, copying and swapping give back what was there.
        let one = a.get(..size).unwrap();
        let mut back = vec![0; size];
        (functions.set)(&descr, &mut back, &(functions.get)(&descr, one)).unwrap();
        let (found, wanted) = (canonical(&descr, &back), canonical(&descr, one));
        same("get and set", format!("{found:?}"), format!("{wanted:?}"));
        let (mut there, mut again) = (vec![0; a.len()], vec![0; a.len()]);
        (functions.copy_swap)(&descr, &mut there, &a, true);
        (functions.copy_swap)(&descr, &mut again, &there, true);
        same("swapped twice", format!("{again:?}"), format!("{a:?}"));
        (functions.fill_with)(&descr, &mut again, one);
        same(
            "fill with",
            format!("{again:?}"),
            format!("{:?}", one.repeat(a.len() / size)),
        );
    }
    finish(checked, 500, &complaints);
}

#[test]
fn row_5_types_resolve_by_every_spelling() {
    for (name, wanted) in [
        ("long", DType::I64),
        ("intc", DType::I32),
        ("float32", DType::F32),
        ("single", DType::F32),
        ("<c8", DType::C64),
        ("?", DType::Bool),
        ("bfloat16", DType::BF16),
        ("O", DType::Object),
    ] {
        assert_eq!(Descr::named(name).unwrap(), Descr::new(wanted), "{name}");
    }
    assert_eq!(
        Descr::named(">i4").unwrap(),
        Descr::new(DType::I32).swapped()
    );
    assert_eq!(Descr::named("V12").unwrap(), Descr::void(12));
    for absent in ["longdouble", "datetime64", "M8[s]", "S5", "<U3", "str", "g"] {
        let error = Descr::named(absent).unwrap_err();
        assert!(
            error.to_string().contains("isn't supported"),
            "{absent}: {error}"
        );
    }
    assert_eq!(Descr::named("flaot32").unwrap_err().class(), "TypeError");
    for dtype in DType::NUMERIC {
        let descr = Descr::new(*dtype);
        if *dtype != DType::BF16 {
            assert_eq!(Descr::named(&descr.code()).unwrap(), descr);
        }
        assert_eq!(Descr::named(&descr.long_name()).unwrap(), descr);
    }
}

#[test]
fn row_5_plain_void_holds_bytes() {
    let ctx = Context::default();
    let array = Array::fresh(&ctx, &[2], &Descr::void(3)).unwrap();
    array
        .set_element(&[0], &Value::Bytes([1, 2].as_slice().into()))
        .unwrap();
    assert_eq!(array.to_string(), r"[b'\x01\x02\x00' b'\x00\x00\x00']");
    assert_eq!(
        array.set_element(&[0], &Value::Int(1)).unwrap_err().class(),
        "TypeError"
    );
}
