//! Rows 17, 19, 20 and 22: loops that a program makes, reports, error modes, extension arrays.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use strand_array::ufunc::{
    Argument, Call, CallOptions, Extension, HostUfunc, MethodLoop, Mode, Modes, Numerics, Operand,
    Output, ReduceOptions, Ufunc, defers,
};
use strand_array::{
    AnyOptions, Array, ArrayError, Casting, Context, DType, Descr, IndexItem, LoopKind, Operator,
    UserType, Value, astype, inout, register,
};

fn numerics() -> Numerics {
    Numerics::new(&Context::default())
}

fn f64s(n: &Numerics, values: &[f64]) -> Array {
    Array::from_slice(n.context(), values, &[values.len()]).unwrap()
}

fn ufunc(name: &str) -> Ufunc {
    Ufunc::named(name).unwrap()
}

fn call(n: &Numerics, name: &str, inputs: &[Operand]) -> strand_array::Result<Array> {
    let called = ufunc(name).call(n, inputs, &CallOptions::default())?;
    Ok(called.outputs[0].clone())
}

#[test]
fn row_17_from_function_makes_a_ufunc_of_any_function() {
    let n = numerics();
    let both = HostUfunc::from_function("both", (2, 2), |values| match values {
        [Value::Float(a), Value::Float(b)] => {
            Ok(vec![Value::Float(a + b), Value::Text("x".into())])
        }
        other => Err(ArrayError::Host {
            why: format!("{other:?}"),
        }),
    })
    .unwrap();
    let column = f64s(&n, &[1.0, 2.0]).insert_axis(1).unwrap();
    let row = f64s(&n, &[10.0, 20.0, 30.0]);
    let options = CallOptions::default();
    let called = both
        .call(&n, &[column.into(), (&row).into()], &options)
        .unwrap();
    assert_eq!(called.outputs[0].shape(), [2, 3]);
    assert_eq!(called.outputs[0].dtype(), DType::Object);
    assert!(matches!(called.outputs[0].element_at(&[1, 2]).unwrap(), Value::Float(v) if v == 32.0));
    assert!(matches!(
        called.outputs[1].element_at(&[0, 0]).unwrap(),
        Value::Text(_)
    ));
    // An error of the function is the call's, whatever was written until then.
    let error = both
        .call(&n, &[(&row).into(), Operand::Int(1)], &options)
        .unwrap_err();
    assert_eq!(error.class(), "RuntimeError");
    let short = HostUfunc::from_function("short", (1, 2), |_| Ok(vec![Value::None])).unwrap();
    assert!(short.call(&n, &[(&row).into()], &options).is_err());
    let types = [DType::F64, DType::F64, DType::F32].map(Descr::new);
    let typed = HostUfunc::typed("typed", 2, &types, |values| match values {
        [Value::Item(a), Value::Item(b)] => {
            let number = |v: &strand_array::Item| match v.value() {
                Value::Float(v) => v,
                _ => f64::NAN,
            };
            Ok(vec![Value::Float(number(a) * number(b))])
        }
        _ => Ok(vec![Value::Float(f64::NAN)]),
    })
    .unwrap();
    let called = typed
        .call(&n, &[(&row).into(), Operand::Float(0.5)], &options)
        .unwrap();
    assert_eq!(
        called.outputs[0].to_vec::<f32>().unwrap(),
        [5.0, 10.0, 15.0]
    );
}

/// Whole numbers modulo 7, in one byte.
struct Modular;

impl UserType for Modular {
    fn name(&self) -> &str {
        "mod7"
    }
    fn size(&self) -> usize {
        1
    }
    fn get(&self, element: &[u8]) -> Value {
        Value::Int(i128::from(element[0] % 7))
    }
    fn set(&self, element: &mut [u8], value: &Value) -> strand_array::Result<()> {
        let number = match value {
            Value::Int(v) => *v,
            Value::Item(item) => match item.value() {
                Value::Int(v) => v,
                _ => 0,
            },
            _ => {
                return Err(ArrayError::Host {
                    why: "no whole number".into(),
                });
            }
        };
        element[0] = number.rem_euclid(7) as u8;
        Ok(())
    }
    fn print(&self, element: &[u8]) -> String {
        format!("{}", element[0])
    }
    fn compare(&self, left: &[u8], right: &[u8]) -> Option<std::cmp::Ordering> {
        Some(left[0].cmp(&right[0]))
    }
}

fn whole(value: &Value) -> i128 {
    match value {
        Value::Int(v) => *v,
        Value::Item(item) => whole(&item.value()),
        _ => -1,
    }
}

#[test]
fn row_17_user_loops_are_found_by_dtype() {
    let n = numerics();
    let descr = register(Rc::new(Modular)).unwrap();
    let array = Array::fresh(n.context(), &[3], &descr).unwrap();
    for i in 0..3 {
        array
            .set_element(&[i], &Value::Int(i128::from(i) + 4))
            .unwrap();
    }
    let error = call(&n, "add", &[(&array).into(), (&array).into()]).unwrap_err();
    assert_eq!(error.class(), "TypeError");
    let types = [descr.clone(), descr.clone(), descr.clone()];
    n.register_loop("add", &types, |v| {
        Ok(vec![Value::Int(whole(&v[0]) + whole(&v[1]))])
    })
    .unwrap();
    assert!(n.register_loop("add", &types[..2], |_| Ok(vec![])).is_err());
    let sum = call(&n, "add", &[(&array).into(), (&array).into()]).unwrap();
    assert_eq!(sum.descr(), &descr);
    let found: Vec<i128> = (0..3)
        .map(|i| whole(&sum.element_at(&[i]).unwrap()))
        .collect();
    assert_eq!(found, [1, 3, 5]);
}

#[test]
fn row_17_objects_use_their_own_operations() {
    let n = numerics();
    let objects = Array::fresh(n.context(), &[2], &Descr::new(DType::Object)).unwrap();
    objects.set_element(&[0], &Value::Int(3)).unwrap();
    objects.set_element(&[1], &Value::Float(0.5)).unwrap();
    let sum = call(&n, "add", &[(&objects).into(), Operand::Int(1)]).unwrap();
    assert!(matches!(sum.element_at(&[0]).unwrap(), Value::Int(4)));
    assert!(matches!(sum.element_at(&[1]).unwrap(), Value::Float(v) if v == 1.5));
    let less = call(&n, "less", &[(&objects).into(), Operand::Int(2)]).unwrap();
    assert_eq!(less.to_vec::<bool>().unwrap(), [false, true]);
    let live = strand_array::live_objects();
    drop((sum, objects, less));
    assert!(strand_array::live_objects() <= live);
}

#[test]
fn row_19_the_report_counts_inner_calls_of_buffers() {
    let n = numerics();
    n.set_bufsize(16).unwrap();
    assert!(n.set_bufsize(17).is_err() && n.set_bufsize(0).is_err());
    for size in [0_usize, 1, 15, 16, 17, 100, 8191, 8192, 8193] {
        let ints = Array::arange(n.context(), 0, size as i64, 1).unwrap();
        let floats = f64s(&n, &vec![1.0; size]);
        let inputs = [ints.into(), (&floats).into()];
        let called = ufunc("add")
            .call(&n, &inputs, &CallOptions::default())
            .unwrap();
        let report = &called.report;
        assert_eq!(report.types, "dd->d");
        if size < 16 {
            // Small inputs are cast whole.
            assert_eq!(
                (report.kind, report.copied.as_slice()),
                (LoopKind::One, [0].as_slice())
            );
            assert_eq!(report.inner_calls, usize::from(size > 0));
        } else {
            assert_eq!(
                (report.kind, report.buffered.as_slice()),
                (LoopKind::Buffered, [0].as_slice())
            );
            assert_eq!(report.inner_calls, size.div_ceil(16));
        }
        let wanted: Vec<f64> = (0..size).map(|i| i as f64 + 1.0).collect();
        assert_eq!(called.outputs[0].to_vec::<f64>().unwrap(), wanted);
    }
    // Rows that don't join: one inner call each, cut into buffers.
    let grid = Array::zeros(n.context(), &[5, 60], DType::F64).unwrap();
    let part = grid.slice(1, None, Some(40), 1).unwrap();
    let called = ufunc("negative")
        .call(&n, &[(&part).into()], &CallOptions::default())
        .unwrap();
    assert_eq!(
        (called.report.kind, called.report.inner_calls),
        (LoopKind::Strided, 5)
    );
    assert_eq!(
        (called.report.inner, called.report.outer.as_slice()),
        (40, [5].as_slice())
    );
    let out = Array::zeros(n.context(), &[5, 40], DType::F32).unwrap();
    let options = CallOptions {
        out: vec![Some(out)],
        ..CallOptions::default()
    };
    let called = ufunc("negative")
        .call(&n, &[(&part).into()], &options)
        .unwrap();
    assert_eq!(called.report.buffered, [1]);
    assert_eq!(called.report.inner_calls, 5 * 40_usize.div_ceil(16));
}

#[test]
fn row_20_modes_hold_within_their_scope_and_findings_are_reported_once() {
    let n = numerics();
    let (ones, zeros) = (f64s(&n, &[1.0, 1.0, 0.0]), f64s(&n, &[0.0, 0.0, 0.0]));
    let divide = || call(&n, "divide", &[(&ones).into(), (&zeros).into()]);
    divide().unwrap();
    let texts: Vec<String> = n
        .take_record()
        .into_iter()
        .map(|event| event.text)
        .collect();
    assert_eq!(
        texts,
        [
            "divide by zero encountered in divide",
            "invalid value encountered in divide"
        ]
    );
    {
        let _scope = n.scope(Modes {
            divide: Mode::Raise,
            ..Modes::all(Mode::Ignore)
        });
        let out = Array::zeros(n.context(), &[3], DType::F64).unwrap();
        let options = CallOptions {
            out: vec![Some(out.clone())],
            ..CallOptions::default()
        };
        let error = ufunc("divide").call(&n, &[(&ones).into(), (&zeros).into()], &options);
        assert_eq!(error.unwrap_err().class(), "FloatingPointError");
        // The output is complete before the error.
        assert_eq!(out.to_vec::<f64>().unwrap()[0], f64::INFINITY);
    }
    assert_eq!(n.modes(), Modes::default());
    let seen = Rc::new(RefCell::new(vec![]));
    let sink = Rc::clone(&seen);
    n.on_call(move |text, found| sink.borrow_mut().push((text.to_string(), found.bits())));
    let _scope = n.scope(Modes {
        invalid: Mode::Log,
        ..Modes::all(Mode::Call)
    });
    divide().unwrap();
    assert_eq!(
        seen.borrow().as_slice(),
        [("divide by zero encountered in divide".to_string(), 9)]
    );
    assert_eq!(n.take_record()[0].mode, Mode::Log);
    n.set_modes(Modes::all(Mode::Ignore));
    divide().unwrap();
    assert!(n.take_record().is_empty());
}

#[test]
fn row_21_the_styles_of_methods() {
    let n = numerics();
    let style = |values: &Array| {
        let reduced = ufunc("maximum").reduce(&n, values, &ReduceOptions::default());
        reduced.map(|r| r.report.style)
    };
    assert_eq!(style(&f64s(&n, &[])).unwrap_err().class(), "ValueError");
    assert_eq!(style(&f64s(&n, &[1.0])), Ok(MethodLoop::One));
    assert_eq!(style(&f64s(&n, &[1.0, 2.0])), Ok(MethodLoop::Strided));
    let ints = Array::arange(n.context(), 0, 9, 1).unwrap();
    let small = astype(n.context(), &ints, &DType::I16.into(), Casting::Unsafe)
        .unwrap()
        .0;
    let sum = ufunc("add")
        .reduce(&n, &small, &ReduceOptions::default())
        .unwrap();
    assert_eq!(
        (sum.report.style, sum.report.dtype),
        (MethodLoop::Buffered, DType::I64)
    );
    assert!(sum.scalar);
    let empty = ufunc("add")
        .reduce(&n, &f64s(&n, &[]), &ReduceOptions::default())
        .unwrap();
    assert_eq!(empty.report.style, MethodLoop::None);
    assert_eq!(empty.output.to_vec::<f64>().unwrap(), [0.0]);
}

/// A quantity with a unit, which wraps results; what it does otherwise is chosen per test.
#[derive(Clone)]
struct Quantity {
    array: Array,
    name: &'static str,
    priority: f64,
    note: String,
    refuses: bool,
    declines: bool,
    takes: bool,
    needs_plain: bool,
}

impl Quantity {
    fn new(array: &Array, name: &'static str, priority: f64) -> Self {
        Self {
            array: array.clone(),
            name,
            priority,
            note: String::new(),
            refuses: false,
            declines: false,
            takes: false,
            needs_plain: false,
        }
    }
}

impl Extension for Quantity {
    fn type_name(&self) -> &str {
        self.name
    }
    fn array(&self) -> Array {
        self.array.clone()
    }
    fn priority(&self) -> f64 {
        self.priority
    }
    fn refuses(&self) -> bool {
        self.refuses
    }
    fn derives_from(&self, other: &dyn Extension) -> bool {
        self.name == "derived" && other.type_name() == "base"
    }
    fn takes_over(&self) -> bool {
        self.takes || self.declines
    }
    fn take_over(&self, _: &Call<'_>) -> Option<strand_array::Result<Vec<Output>>> {
        self.takes.then(|| {
            Ok(vec![Output::Extension(Rc::new(Self {
                note: "taken".into(),
                ..self.clone()
            }))])
        })
    }
    fn wrap(&self, array: &Array, context: Option<&Call<'_>>) -> Option<Output> {
        if self.needs_plain && context.is_some() {
            return None;
        }
        let note = context.map_or("plain".into(), |call| {
            format!(
                "{} of {}, output {}",
                call.ufunc.name(),
                call.inputs.len(),
                call.output
            )
        });
        Some(Output::Extension(Rc::new(Self {
            array: array.clone(),
            note,
            ..self.clone()
        })))
    }
    fn has_reversed(&self, operator: Operator) -> bool {
        operator == Operator::Add
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn note(output: &Output) -> (String, String) {
    match output {
        Output::Extension(extension) => {
            let quantity = extension.as_any().downcast_ref::<Quantity>().unwrap();
            (quantity.name.into(), quantity.note.clone())
        }
        _ => ("array".into(), String::new()),
    }
}

#[test]
fn row_22_results_are_wrapped_by_priority_with_their_context() {
    let n = numerics();
    let x = f64s(&n, &[7.0, -3.0]);
    let low = || Argument::Extension(Rc::new(Quantity::new(&x, "low", 1.0)));
    let high = || Argument::Extension(Rc::new(Quantity::new(&x, "high", 2.0)));
    let run = |inputs: &[Argument], options: &CallOptions| {
        ufunc("divmod")
            .call_extended(&n, inputs, &[], options)
            .unwrap()
    };
    let outputs = run(&[low(), high()], &CallOptions::default());
    let notes: Vec<_> = outputs.iter().map(note).collect();
    assert_eq!(notes[0], ("high".into(), "divmod of 2, output 0".into()));
    assert_eq!(notes[1], ("high".into(), "divmod of 2, output 1".into()));
    // A given output is never wrapped.
    let out = Array::zeros(n.context(), &[2], DType::F64).unwrap();
    let options = CallOptions {
        out: vec![Some(out)],
        ..CallOptions::default()
    };
    let outputs = run(&[low(), Argument::Plain((&x).into())], &options);
    assert_eq!(note(&outputs[0]).0, "array");
    assert_eq!(note(&outputs[1]).0, "low");
    // A type that doesn't understand the context is asked without.
    let simple = Quantity {
        needs_plain: true,
        ..Quantity::new(&x, "simple", 0.0)
    };
    let outputs = run(
        &[
            Argument::Extension(Rc::new(simple)),
            Argument::Plain((&x).into()),
        ],
        &CallOptions::default(),
    );
    assert_eq!(note(&outputs[0]).1, "plain");
    let sum = ufunc("add")
        .reduce_extended(&n, &low(), &ReduceOptions::default())
        .unwrap();
    assert_eq!(note(&sum), ("low".into(), "plain".into()));
    assert!(defers(Operator::Add, &low(), &high()) && !defers(Operator::Add, &high(), &low()));
    assert!(!defers(Operator::Sub, &low(), &high()));
}

#[test]
fn row_22_types_take_calls_over_decline_or_refuse() {
    let n = numerics();
    let x = f64s(&n, &[1.0]);
    let run = |inputs: Vec<Quantity>| {
        let inputs: Vec<Argument> = inputs
            .into_iter()
            .map(|q| Argument::Extension(Rc::new(q)))
            .collect();
        ufunc("add").call_extended(&n, &inputs, &[], &CallOptions::default())
    };
    let plain = Quantity::new(&x, "plain", 0.0);
    let base = Quantity {
        takes: true,
        ..Quantity::new(&x, "base", 0.0)
    };
    let derived = Quantity {
        takes: true,
        ..Quantity::new(&x, "derived", 0.0)
    };
    let outputs = run(vec![base.clone(), derived]).unwrap();
    assert_eq!(note(&outputs[0]), ("derived".into(), "taken".into()));
    let declining = Quantity {
        declines: true,
        ..Quantity::new(&x, "declining", 0.0)
    };
    assert_eq!(
        note(&run(vec![declining.clone(), base]).unwrap()[0]).0,
        "base"
    );
    assert_eq!(
        run(vec![declining, plain.clone()]).err().unwrap().class(),
        "TypeError"
    );
    let refusing = Quantity {
        refuses: true,
        ..Quantity::new(&x, "refusing", 0.0)
    };
    assert_eq!(
        run(vec![plain, refusing]).err().unwrap().class(),
        "TypeError"
    );
}

#[test]
fn row_25_nothing_writes_past_a_write_back_copy() {
    let n = numerics();
    let base = Array::from_slice(n.context(), &[1.0_f32, 2.0], &[2]).unwrap();
    let (x, one) = (f64s(&n, &[3.0, 4.0]), Operand::Float(1.0));
    let descr = Descr::new(DType::F64);
    let options = AnyOptions {
        descr: Some(&descr),
        ..AnyOptions::default()
    };
    let copy = inout(n.context(), &Value::Array(base.clone()), &options).unwrap();
    let out = CallOptions {
        out: vec![Some(base.clone())],
        ..CallOptions::default()
    };
    let reduced = ReduceOptions {
        out: Some(base.select(0, 0).unwrap()),
        ..ReduceOptions::default()
    };
    let host = HostUfunc::typed("same", 1, &[descr.clone(), descr.clone()], |v| {
        Ok(v.to_vec())
    });
    let writes = || {
        let inputs = [Operand::from(&x), one.clone()];
        [
            ufunc("add").call(&n, &inputs, &out).map(drop),
            ufunc("add").at(&n, &base, &[IndexItem::Int(0)], Some(&one)),
            ufunc("add").reduce(&n, &x, &reduced).map(drop),
            host.as_ref()
                .unwrap()
                .call(&n, &inputs[..1], &out)
                .map(drop),
        ]
    };
    for written in writes() {
        assert_eq!(written, Err(ArrayError::ReadOnly));
    }
    copy.resolve().unwrap();
    assert_eq!(base.to_vec_f64(), [1.0, 2.0]);
    for written in writes() {
        assert_eq!(written, Ok(()));
    }
}

#[test]
fn row_17_a_host_ufunc_has_at_most_64_operands() {
    for counts in [
        (64, 1),
        (1, 64),
        (usize::MAX, 1),
        (usize::MAX, usize::MAX),
        (1, 0),
    ] {
        assert!(HostUfunc::from_function("f", counts, |v| Ok(v.to_vec())).is_err());
    }
    assert!(HostUfunc::from_function("f", (63, 1), |v| Ok(v.to_vec())).is_ok());
}
