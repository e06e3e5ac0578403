//! Rows 17 and 23: the ufuncs, their loops, and which loop each combination of types finds.

use strand_array::ufunc::{CallOptions, Identity, Numerics, Operand, Ufunc};
use strand_array::{Array, Context, DType, Scalar};

use crate::common::{cases, finish};

const CODES: &str = "?bBhHiIlLefdFD123";

fn dtype(code: char) -> Option<DType> {
    let place = CODES.find(code)?;
    let without_bf16 = DType::NUMERIC.iter().filter(|d| **d != DType::BF16);
    without_bf16.copied().nth(place)
}

fn code(dtype: DType) -> char {
    let mut codes = CODES.chars();
    codes.find(|c| self::dtype(*c) == Some(dtype)).unwrap()
}

fn operand(ctx: &Context, code: char) -> Operand {
    match (code, dtype(code)) {
        ('1', _) => Operand::Int(1),
        ('2', _) => Operand::Float(1.0),
        ('3', _) => Operand::Complex(0.0, 1.0),
        (_, Some(dtype)) => {
            let one = Array::full(ctx, &[1], Scalar::I64(1)).unwrap();
            let one = strand_array::astype(ctx, &one, &dtype.into(), strand_array::Casting::Unsafe);
            Operand::Array(one.unwrap().0)
        }
        _ => unreachable!("{code}"),
    }
}

fn resolved(ufunc: Ufunc, numerics: &Numerics, codes: &[char]) -> String {
    let operands: Vec<Operand> = codes
        .iter()
        .map(|c| operand(numerics.context(), *c))
        .collect();
    match ufunc.call(numerics, &operands, &CallOptions::default()) {
        Ok(called) => called.outputs.iter().map(|a| code(a.dtype())).collect(),
        Err(error) if error.class() == "TypeError" => "T".into(),
        Err(error) => error.class().into(),
    }
}

#[test]
fn row_17_each_combination_of_types_finds_numpys_loop() {
    let numerics = Numerics::new(&Context::default());
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_types") {
        let (Some(first), Some(name)) = (case["first"].as_str(), case["name"].as_str()) else {
            continue;
        };
        let Some(ufunc) = Ufunc::named(name) else {
            complaints.push(format!("no ufunc {name}"));
            continue;
        };
        let first = first.chars().next().unwrap();
        let expected: Vec<&str> = case["found"].as_str().unwrap().split(' ').collect();
        for (k, wanted) in expected.iter().enumerate() {
            let mut codes = vec![first];
            if ufunc.nin() == 2 {
                codes.push(CODES.chars().nth(k).unwrap());
            }
            let found = resolved(ufunc, &numerics, &codes);
            checked += 1;
            if found != *wanted {
                complaints.push(format!("{name} of {codes:?}: {found}, not {wanted}"));
            }
        }
    }
    finish(checked, 10_000, &complaints);
}

#[test]
fn row_23_every_ufunc_has_numpys_properties() {
    let (mut complaints, mut ufuncs, mut loops) = (vec![], 0, 0);
    for case in cases("ufunc_types") {
        if let Some(aliases) = case["aliases"].as_array() {
            for alias in aliases {
                let name = |i: usize| Ufunc::named(alias[i].as_str().unwrap()).map(Ufunc::name);
                if name(0) != name(1) || name(0).is_none() {
                    complaints.push(format!("{alias}: {:?}", name(0)));
                }
            }
        }
        let (Some(types), Some(name)) = (case["types"].as_array(), case["name"].as_str()) else {
            continue;
        };
        let Some(ufunc) = Ufunc::named(name) else {
            continue;
        };
        let expected: Vec<&str> = types.iter().map(|t| t.as_str().unwrap()).collect();
        let found: Vec<String> = ufunc
            .types()
            .filter(|t| !t.contains(['E', 'O']))
            .map(|t| t.replace('q', "l").replace('Q', "L"))
            .collect();
        ufuncs += 1;
        loops += found.len();
        if found != expected {
            complaints.push(format!("{name}: {found:?}, not {expected:?}"));
        }
        let identity = match ufunc.identity() {
            Identity::None | Identity::Reorderable => None,
            Identity::Int(value) => Some(value.to_string()),
            Identity::NegInfinity => Some("-inf".into()),
            Identity::Bool(value) => Some(if value { "True" } else { "False" }.into()),
        };
        let arity = (
            case["nin"].as_u64().unwrap(),
            case["nout"].as_u64().unwrap(),
        );
        if (ufunc.nin() as u64, ufunc.nout() as u64) != arity
            || identity.as_deref() != case["identity"].as_str()
        {
            complaints.push(format!("{case}: {identity:?}"));
        }
    }
    finish(ufuncs, 85, &complaints);
    assert_eq!((ufuncs, loops), (85, 721));
    assert_eq!(Ufunc::all().count(), 85);
}
