//! Rows 17 to 20: calls with out, where, dtype, signature, casting and order.

use serde_json::Value;
use strand_array::ufunc::{
    CallOptions, MemoryOrder, Mode, Modes, Numerics, Operand, Ufunc, parse_signature,
};
use strand_array::{Array, Casting, Context};

use crate::common::{cases, class_differs, finish};
use crate::ufuncs::{first_array, operands, outputs_differ, place};

pub fn options(ctx: &Context, ufunc: Ufunc, case: &Value, inputs: &[Operand]) -> CallOptions {
    let beside = first_array(inputs);
    let mut options = CallOptions::default();
    for out in case["out"].as_array().unwrap() {
        let out = (!out.is_null()).then(|| place(ctx, out, beside.as_ref()));
        options.out.push(out);
    }
    if case["where"].is_object() {
        options.mask = Some(place(ctx, &case["where"], None));
    }
    if let Some(code) = case["dtype"].as_str() {
        options.dtype = parse_signature(code, 0, 1).unwrap()[0];
    }
    if let Some(text) = case["signature"].as_str() {
        options.signature = Some(parse_signature(text, ufunc.nin(), ufunc.nout()).unwrap());
    }
    if let Some(rule) = case["casting"].as_str() {
        options.casting = Casting::named(rule).unwrap();
    }
    options.order = match case["order"].as_str() {
        Some("C") => MemoryOrder::C,
        Some("F") => MemoryOrder::F,
        Some("A") => MemoryOrder::A,
        _ => MemoryOrder::K,
    };
    options
}

/// The kinds of findings in the record, by NumPy's names.
pub fn kinds(numerics: &Numerics) -> Vec<String> {
    let mut found: Vec<String> = numerics
        .take_record()
        .iter()
        .filter_map(|event| Some(event.text.split_once(" encountered")?.0.to_string()))
        .collect();
    found.sort();
    found
}

/// Whether bytes outside the outputs' elements are as they were.
fn stray_writes(before: &[(Array, Vec<u8>)]) -> Option<String> {
    for (out, block) in before {
        let mut mine = vec![false; block.len()];
        let mut index = vec![0_usize; out.rank()];
        for _ in 0..out.len() {
            let at = out.offset() as isize
                + index
                    .iter()
                    .zip(out.strides())
                    .map(|(i, s)| *i as isize * s)
                    .sum::<isize>();
            mine[at as usize..at as usize + out.item_size()].fill(true);
            for (i, size) in index.iter_mut().zip(out.shape()).rev() {
                *i += 1;
                if *i < *size {
                    break;
                }
                *i = 0;
            }
        }
        let after = out.block_bytes();
        let others: Vec<&(Array, Vec<u8>)> =
            before.iter().filter(|(o, _)| o.shares_block(out)).collect();
        let stray = (0..block.len()).any(|i| !mine[i] && block[i] != after[i]);
        if stray && others.len() == 1 {
            return Some("bytes beside the output were written".into());
        }
    }
    None
}

#[test]
fn row_18_and_19_calls_with_every_keyword_equal_numpys() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_calls") {
        let ctx = Context::default();
        let numerics = Numerics::new(&ctx);
        numerics.set_modes(Modes {
            under: Mode::Ignore,
            ..Modes::all(Mode::Warn)
        });
        let name = case["u"].as_str().unwrap();
        let ufunc = Ufunc::named(name).unwrap();
        let inputs = operands(&ctx, &case);
        let options = options(&ctx, ufunc, &case, &inputs);
        let outs = options.out.iter().flatten();
        let before: Vec<(Array, Vec<u8>)> = outs.map(|a| (a.clone(), a.block_bytes())).collect();
        let result = ufunc.call(&numerics, &inputs, &options);
        checked += 1;
        let difference = class_differs(&result, &case)
            .or_else(|| {
                let called = result.as_ref().ok()?;
                if case["loose"].is_number() {
                    return None;
                }
                outputs_differ(name, called, &case)
            })
            .or_else(|| stray_writes(&before))
            .or_else(|| {
                let wanted: Vec<&str> = case["w"]
                    .as_array()?
                    .iter()
                    .filter_map(Value::as_str)
                    .collect();
                let found = kinds(&numerics);
                if case["loose"].is_number() {
                    return None;
                }
                (found != wanted).then(|| format!("found {found:?}, not {wanted:?}"))
            });
        if let Some(difference) = difference {
            let text: String = case.to_string().chars().take(700).collect();
            complaints.push(format!("{name}: {difference}\n    {text}"));
        }
    }
    finish(checked, 1000, &complaints);
}
