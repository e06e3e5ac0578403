//! Rows 27 and 28: extension functions, and the worked example.

use serde_json::Value as Json;
use strand_array::extend::{Call, Converter, Function, Module, Needs, Parameter, example};
use strand_array::ufunc::MemoryOrder;
use strand_array::{Array, ArrayError, Context, Result, Value};

use crate::common::{array, cases, class_differs, finish};
use crate::making::value;
use crate::values::{differs, plain};

fn text(value: impl std::fmt::Debug) -> Value {
    Value::from(format!("{value:?}").as_str())
}

/// The functions that the script has in Python; each gives its converted arguments.
fn module() -> Module {
    let scale = Function::new(
        "scale",
        "A function with parameters of every kind.",
        vec![
            Parameter::required("x", Converter::Array(Needs::default())),
            Parameter::optional("factor", Converter::Float, 2_i64),
            Parameter::optional("axis", Converter::Axis, -1_i64).keyword_only(),
            Parameter::optional("dtype", Converter::Descr, Value::None).keyword_only(),
            Parameter::optional("casting", Converter::Casting, "same_kind").keyword_only(),
            Parameter::optional("order", Converter::Order, "K").keyword_only(),
            Parameter::optional("mode", Converter::Mode, "warn").keyword_only(),
        ],
        scaled,
    );
    let repeat = Function::new(
        "repeat",
        "By place.",
        vec![
            Parameter::required("text", Converter::Text),
            Parameter::required("times", Converter::Int),
            Parameter::optional("sure", Converter::Bool, true),
        ],
        |call| {
            let times = Value::from(call.int("times")?);
            let text = Value::Text(call.text("text")?.clone());
            Ok(Value::list([text, times, call.boolean("sure")?.into()]))
        },
    );
    let nothing = Function::new("nothing", "Takes nothing.", vec![], |_| Ok(Value::None));
    let module = Module::new("tried", "Functions that the tests call.");
    let module = module.with_function(scale.unwrap()).unwrap();
    let module = module.with_function(repeat.unwrap()).unwrap();
    module.with_function(nothing.unwrap()).unwrap()
}

fn scaled(call: &Call<'_>) -> Result<Value> {
    let sizes = call.array("x")?.shape().iter();
    let mode = format!("{:?}", call.mode("mode")?).to_lowercase();
    let order = match call.order("order")? {
        MemoryOrder::C => "C",
        MemoryOrder::F => "F",
        MemoryOrder::A => "A",
        MemoryOrder::K => "K",
    };
    Ok(Value::list([
        Value::list(sizes.map(|n| Value::from(*n as i64))),
        call.float("factor")?.into(),
        call.axis("axis")?.map_or(Value::None, Value::from),
        call.descr("dtype")?.code().as_str().into(),
        call.casting("casting")?.name().into(),
        order.into(),
        mode.as_str().into(),
    ]))
}

/// Whether a result is the one that Python's JSON says.
fn same(found: &Value, wanted: &Json) -> bool {
    match (found, wanted) {
        (Value::None, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Int(a), Json::Number(b)) => b.as_i64().map(i128::from) == Some(*a),
        (Value::Float(a), Json::Number(b)) => b.as_f64() == Some(*a),
        (Value::Text(a), Json::String(b)) => **a == **b,
        (Value::List(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => false,
    }
}

#[test]
fn row_27_calls_of_every_kind_of_parameter_and_row_28_the_worked_example() {
    let ctx = Context::default();
    let module = module();
    let example = example::function().unwrap();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("extending") {
        checked += 1;
        let why = if case["f"] == "add_product" {
            worked(&ctx, &example, &case)
        } else {
            called(&ctx, &module, &case)
        };
        let faults = ctx.take_faults();
        if let Some(why) = why.or_else(|| (!faults.is_empty()).then(|| format!("{faults:?}"))) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 600, &complaints);
}

fn called(ctx: &Context, module: &Module, case: &Json) -> Option<String> {
    let name = case["f"].as_str().unwrap();
    let args: Vec<Value> = case["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| value(ctx, v))
        .collect();
    let keywords: Vec<(&str, Value)> = case["kw"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), value(ctx, &pair[1])))
        .collect();
    let found = module.call(ctx, name, &args, &keywords);
    if let Err(error) = &found
        && !error.to_string().starts_with(&format!("{name}: "))
    {
        return Some(format!("{error} doesn't name the function"));
    }
    if let Some(why) = class_differs(&found, &case["r"]) {
        return Some(why);
    }
    let found = found.ok()?;
    (!same(&found, &case["r"]["v"])).then(|| format!("{found:?}"))
}

fn worked(ctx: &Context, example: &Function, case: &Json) -> Option<String> {
    let (a, b) = (value(ctx, &case["a"]), value(ctx, &case["b"]));
    if case["out"].get("d").is_none() {
        let found = example.call(ctx, &[a, b, value(ctx, &case["out"])], &[]);
        return class_differs(&found, &case["r"]);
    }
    let own = array(ctx, &case["out"]);
    let locked = case["locked"] == true;
    let out = if locked {
        own.clone().with_writeable(false).unwrap()
    } else {
        own.clone()
    };
    let before = plain(ctx, &own);
    let found = example.call(ctx, &[a, b, out.clone().into()], &[]);
    if let Some(why) = class_differs(&found, &case["r"]) {
        return Some(why);
    }
    if out.flags().writeable == locked {
        return Some("whether it can be written has changed".into());
    }
    match found {
        Ok(_) => differs(ctx, &Ok(own), &case["r"]),
        Err(_) if plain(ctx, &own) == before => None,
        Err(_) => Some("a failure changed the array".into()),
    }
}

#[test]
fn row_27_modules_are_put_together_with_care() {
    let ctx = Context::default();
    let make = |name: &str, parameters: Vec<Parameter>| {
        Function::new(name, "", parameters, |_| Ok(Value::None))
    };
    let needed = || Parameter::required("x", Converter::Int);
    let optional = || Parameter::optional("k", Converter::Int, 3_i64);
    for (why, function) in [
        ("two parameters", make("f", vec![needed(), needed()])),
        ("has to be given", make("f", vec![optional(), needed()])),
        (
            "given by name",
            make("f", vec![optional().keyword_only(), needed()]),
        ),
        ("isn't a name", make("2f", vec![])),
        (
            "isn't a name",
            make("f", vec![Parameter::required("a b", Converter::Any)]),
        ),
    ] {
        let error = function.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let module = module().with_constant("limit", 7_i64).unwrap();
    assert!(matches!(module.constant("limit"), Some(Value::Int(7))));
    assert!(
        module
            .function("scale")
            .unwrap()
            .doc()
            .contains("every kind")
    );
    let signature = module.function("scale").unwrap().signature();
    assert_eq!(
        signature,
        "scale(x, factor=2, *, axis=-1, dtype=None, casting='same_kind', order='K', mode='warn')"
    );
    for twice in ["limit", "scale"] {
        let error = module.clone().with_constant(twice, 1_i64).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("tried has two things named {twice}")
        );
    }
    let error = module.call(&ctx, "absent", &[], &[]).unwrap_err();
    assert_eq!(error.to_string(), "tried has no function absent");
    let named = [("x", Value::from(1_i64)), ("x", Value::from(2_i64))];
    let error = module.call(&ctx, "scale", &[], &named).unwrap_err();
    assert_eq!(error.to_string(), "scale: x is given twice by name");
    let error = module
        .call(&ctx, "scale", &[1_i64.into()], &named[..1])
        .unwrap_err();
    assert_eq!(error.to_string(), "scale: x is given by place and by name");
}

#[test]
fn row_27_a_failing_converter_lets_go_of_those_before_it() {
    let ctx = Context::default();
    let function = Function::new(
        "fill",
        "Fills an array.",
        vec![
            Parameter::required(
                "out",
                Converter::InOut(Needs::written(strand_array::DType::F64)),
            ),
            Parameter::required("value", Converter::Float),
        ],
        |call| {
            let out = call.inout("out")?.array();
            for i in 0..out.len() as i64 {
                out.set_value_at(&[i], call.float("value")?)?;
            }
            match call.float("value")? {
                v if v < 0.0 => Err(ArrayError::Host {
                    why: "negative".into(),
                }),
                v => Ok(Value::tuple([v.into(), text(v)])),
            }
        },
    )
    .unwrap();
    let out = Array::from_slice(&ctx, &[1_i64, 2, 3], &[3])
        .unwrap()
        .cast(&ctx, strand_array::DType::F32)
        .unwrap();
    let call = |value: Value| function.call(&ctx, &[out.clone().into(), value], &[]);
    let error = call("x".into()).unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        ("TypeError", "fill: value: str isn't a number")
    );
    let error = call((-1.0).into()).unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        ("RuntimeError", "fill: negative")
    );
    assert!(out.flags().writeable && ctx.take_faults().is_empty());
    assert_eq!(out.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    assert!(matches!(call(4.5.into()).unwrap(), Value::Tuple(parts) if parts.len() == 2));
    assert_eq!(out.to_vec::<f32>().unwrap(), [4.5; 3]);
}
