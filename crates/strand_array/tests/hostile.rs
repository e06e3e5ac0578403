//! Numbers at the ends of their types, given to every function that takes sizes, axes or positions:
//! each answers with a value or an error, and none panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strand_array::iter::{Iter, MultiIter};
use strand_array::joining::{self, Cuts, JoinOptions};
use strand_array::selection::{self, Bounds};
use strand_array::ufunc::{
    AlongOptions, Axes, CallOptions, Numerics, Operand, ReduceOptions, Ufunc,
};
use strand_array::*;

const WHOLE: [i64; 9] = [
    0,
    1,
    -1,
    3,
    1 << 31,
    1 << 40,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];
const SIZES: [usize; 7] = [0, 1, 3, 65, 1 << 31, usize::MAX / 2 + 1, usize::MAX];
const STEPS: [isize; 6] = [0, 1, -4, 1 << 40, isize::MAX, isize::MIN];

struct Calls(Vec<String>);

impl Calls {
    fn of<T>(&mut self, name: &str, call: impl FnOnce() -> T) {
        if catch_unwind(AssertUnwindSafe(|| drop(call()))).is_err() {
            self.0.push(name.to_owned());
        }
    }

    fn finish(self) {
        assert!(self.0.is_empty(), "these panic: {:#?}", self.0);
    }
}

fn arrays(ctx: &Context) -> Vec<Array> {
    let x = Array::arange(ctx, 0, 12, 1).unwrap();
    let y = x.reshape(ctx, &[3, 4]).unwrap();
    let empty = Array::zeros(ctx, &[0, 3], DType::F32).unwrap();
    let zero = Array::scalar(ctx, Scalar::F64(2.0)).unwrap();
    let wild = Array::from_bytes(
        ctx,
        &[0; 8],
        4,
        &[0, 3],
        &[isize::MIN, isize::MAX],
        DType::I32,
    );
    let one = Array::from_bytes(
        ctx,
        &[0; 8],
        0,
        &[1, 1],
        &[isize::MIN, isize::MAX],
        DType::I64,
    );
    let far = Array::from_bytes(ctx, &[0; 8], 0, &[1, 2], &[isize::MIN, 0], DType::F32);
    vec![
        x,
        y.flip(1).unwrap(),
        y,
        empty,
        zero,
        wild.unwrap(),
        one.unwrap(),
        far.unwrap(),
    ]
}

#[test]
fn views_take_any_number() {
    let ctx = Context::default();
    let mut calls = Calls(vec![]);
    for a in arrays(&ctx) {
        let at = format!("{a:?}");
        for i in WHOLE {
            for j in WHOLE {
                for k in WHOLE {
                    calls.of(&format!("slice {at} {i} {j} {k}"), || {
                        a.slice(0, Some(i), Some(j), k).map(|b| b.to_vec_f64())
                    });
                }
                calls.of(&format!("get {at} {i} {j}"), || a.get(&[i, j]));
                calls.of(&format!("at {at} {i} {j}"), || a.element_at(&[i, j]));
            }
            calls.of(&format!("get {at} {i}"), || a.get(&[i]));
            calls.of(&format!("select {at} {i}"), || a.select(0, i));
            calls.of(&format!("diagonal {at} {i}"), || a.diagonal(i, 0, 1));
            calls.of(&format!("roll {at} {i}"), || roll(&ctx, &a, i, 0));
            calls.of(&format!("tril {at} {i}"), || tril(&ctx, &a, i));
            calls.of(&format!("triu {at} {i}"), || triu(&ctx, &a, i));
            calls.of(&format!("diag {at} {i}"), || diag(&ctx, &a, i));
        }
        for m in SIZES {
            for n in SIZES {
                calls.of(&format!("windows {at} {m} {n}"), || a.windows(0, m, n));
                calls.of(&format!("merge {at} {m} {n}"), || a.merge_axes(&ctx, m, n));
                calls.of(&format!("expand {at} {m} {n}"), || a.expand(m, n));
                calls.of(&format!("broadcast {at} {m} {n}"), || {
                    a.broadcast_to(&[m, n])
                });
                calls.of(&format!("reshape {at} {m} {n}"), || {
                    a.reshape(&ctx, &[m, n])
                });
                calls.of(&format!("stretched {at} {m} {n}"), || {
                    Iter::stretched(&a, &[m, n, 1, 1])
                });
                calls.of(&format!("move {at} {m} {n}"), || a.move_axis(m, n));
                calls.of(&format!("diagonal {at} {m} {n}"), || a.diagonal(0, m, n));
                calls.of(&format!("topk {at} {m} {n}"), || topk(&ctx, &a, m, n));
                for order in [Order::C, Order::F, Order::K] {
                    calls.of(&format!("over {at} {m} {n}"), || {
                        Loops::over(&[m, n, 3, 4], &[&a], order).map(|l| l.count())
                    });
                    calls.of(&format!("over none {m} {n}"), || {
                        Loops::over(&[m, n], &[], order).map(|l| l.count())
                    });
                }
                for s in STEPS {
                    for t in STEPS {
                        calls.of(&format!("layout {at} {m} {n} {s} {t}"), || {
                            a.with_layout(m, &[n, 2], &[s, t], DType::I64).map(|b| {
                                (
                                    b.flags(),
                                    b.to_bytes(),
                                    b.copy(&ctx),
                                    memory::may_share(&b, &a),
                                )
                            })
                        });
                    }
                }
            }
            calls.of(&format!("insert {at} {m}"), || a.insert_axis(m));
            calls.of(&format!("one_hot {at} {m}"), || {
                one_hot(&ctx, &a, m, DType::I64)
            });
            calls.of(&format!("batched {at} {m}"), || {
                take_batched(&ctx, &a, &a, m)
            });
            calls.of(&format!("search {at} {m}"), || {
                searchsorted(&ctx, &a, &a, m)
            });
            calls.of(&format!("put_at {at} {m}"), || {
                put_at(&ctx, BinaryOp::Add, &a, &a, &a, m)
            });
            calls.of(&format!("all but {at} {m}"), || Iter::all_but_axis(&a, m));
            calls.of(&format!("go_to {at} {m}"), || {
                let mut iter = Iter::new(&a);
                let found = (iter.go_to(&[m, m]), iter.go_to(&[m]), iter.go_to_index(m));
                iter.advance();
                (found, iter.byte())
            });
        }
        calls.of(&format!("past the end {at}"), || {
            let mut iter = Iter::new(&a);
            let mut multi = MultiIter::new(&[&a, &a]).unwrap();
            for _ in 0..30 {
                iter.advance();
                multi.advance();
            }
            (iter.byte(), iter.coords(), multi.positions())
        });
    }
    calls.finish();
}

#[test]
fn functions_take_any_number() {
    let ctx = Context::new(1 << 20);
    let mut calls = Calls(vec![]);
    for m in SIZES {
        for n in SIZES {
            calls.of(&format!("eye {m} {n}"), || {
                Array::eye(&ctx, m, n, DType::F32)
            });
            calls.of(&format!("zeros {m} {n}"), || {
                Array::zeros(&ctx, &[m, n], DType::C128)
            });
            calls.of(&format!("void {m} {n}"), || {
                Array::fresh(&ctx, &[m], &Descr::void(n))
            });
            calls.of(&format!("fortran {m} {n}"), || {
                Array::fresh_fortran(&ctx, &[m, n], &Descr::void(n))
            });
            calls.of(&format!("subarray {m} {n}"), || {
                Descr::subarray(Descr::void(m), &[n, n]).map(|d| Array::fresh(&ctx, &[m], &d))
            });
            calls.of(&format!("fields {m} {n}"), || {
                Descr::with_fields(vec![Field::new("a", Descr::void(m), n)], m)
            });
            calls.of(&format!("structured {m} {n}"), || {
                Descr::structured(&[("a", Descr::void(m)), ("b", Descr::void(n))])
            });
            calls.of(&format!("aligned {m} {n}"), || {
                Descr::aligned(&[("a", Descr::void(m)), ("b", Descr::new(DType::F64))])
            });
            calls.of(&format!("broadcast {m} {n}"), || {
                (
                    broadcast_shapes(&[m, 1], &[n]),
                    multi::broadcast_all(&[&[m, 1], &[n]]),
                )
            });
            for order in [Order::C, Order::F, Order::K] {
                for s in STEPS {
                    for t in STEPS {
                        calls.of(&format!("loops {m} {n} {s} {t} {order:?}"), || {
                            let plan = Loops::new(&[m, n, 2], &[vec![s, t, 8]], &[s], order);
                            let mut walk = plan.walk();
                            for _ in 0..3 {
                                walk.next_row();
                            }
                            (plan.count(), plan.step(7, m))
                        });
                    }
                    calls.of(&format!("short lists {m} {n} {s} {order:?}"), || {
                        let plan = Loops::new(&[m, n, 2], &[vec![s], vec![]], &[], order);
                        (plan.count(), plan.walk().next_row().map(<[isize]>::to_vec))
                    });
                }
            }
            for s in STEPS {
                calls.of(&format!("k_strides {m} {n} {s}"), || {
                    k_strides(&[m, n], &[vec![s, s], vec![s]], n)
                });
                calls.of(&format!("with_strides {m} {n} {s}"), || {
                    Array::with_strides(&ctx, &[m, n], &[s, s], &Descr::new(DType::I16))
                });
            }
        }
        calls.of(&format!("linspace {m}"), || {
            Array::linspace(&ctx, 0.0, 1.0, m, DType::F32)
        });
        calls.of(&format!("linspace {m}"), || {
            Array::linspace(&ctx, 0.0, 1.0, m, DType::F64)
        });
        calls.of(&format!("allocated {m}"), || allocated(m));
    }
    for i in WHOLE {
        for j in WHOLE {
            for k in WHOLE {
                calls.of(&format!("arange {i} {j} {k}"), || {
                    Array::arange(&ctx, i, j, k)
                });
            }
            calls.of(&format!("randint {i} {j}"), || {
                random::Generator::new(1).randint(&ctx, i, j, &[3])
            });
        }
    }
    calls.finish();
}

#[test]
fn axes_and_positions_take_any_number() {
    let ctx = Context::new(1 << 20);
    let mut calls = Calls(vec![]);
    for a in arrays(&ctx) {
        let at = format!("{a:?}");
        for i in WHOLE {
            let item = |i| [IndexItem::Int(i)];
            calls.of(&format!("index {at} {i}"), || {
                (index(&ctx, &a, &item(i)), indexing::get(&ctx, &a, &item(i)))
            });
            let positions = Array::from_vec(&ctx, vec![i]).unwrap();
            let list = [IndexItem::IntArray(positions.clone())];
            calls.of(&format!("positions {at} {i}"), || {
                (index(&ctx, &a, &list), indexing::get(&ctx, &a, &list))
            });
            calls.of(&format!("set {at} {i}"), || {
                (
                    index_set(&ctx, &a, &list, &a),
                    indexing::set(&ctx, &a, &list, &a),
                )
            });
            for j in WHOLE {
                let slice = [IndexItem::Slice {
                    start: Some(i),
                    stop: None,
                    step: j,
                }];
                calls.of(&format!("slice {at} {i} {j}"), || {
                    (index(&ctx, &a, &slice), indexing::get(&ctx, &a, &slice))
                });
                calls.of(&format!("tile {at} {i} {j}"), || {
                    joining::tile(&ctx, &a, &[i, j])
                });
                calls.of(&format!("repeat {at} {i} {j}"), || {
                    joining::repeat(&ctx, &a, &[i], Some(j))
                });
                calls.of(&format!("repeat {at} {i} {j}"), || {
                    joining::repeat(&ctx, &a, &[i, j, 1], None)
                });
                let cuts = [i, j];
                calls.of(&format!("split {at} {i} {j}"), || {
                    joining::array_split(&a, &Cuts::Before(&cuts), i)
                });
                calls.of(&format!("split {at} {i} {j}"), || {
                    joining::array_split(&a, &Cuts::Before(&cuts), 0)
                });
                for bounds in [Bounds::Raise, Bounds::Wrap, Bounds::Clip] {
                    calls.of(&format!("take {at} {i} {j}"), || {
                        selection::take(&ctx, &a, &positions, Some(j), bounds)
                    });
                    calls.of(&format!("take flat {at} {i}"), || {
                        selection::take(&ctx, &a, &positions, None, bounds)
                    });
                    calls.of(&format!("put {at} {i}"), || {
                        selection::put(&ctx, &a, &positions, &a, bounds)
                    });
                }
            }
            for parts in [i, 2] {
                calls.of(&format!("parts {at} {parts} {i}"), || {
                    (
                        joining::split(&a, &Cuts::Parts(parts), 0),
                        joining::array_split(&a, &Cuts::Parts(parts), i),
                    )
                });
            }
            calls.of(&format!("join {at} {i}"), || {
                let both = [a.clone(), a.clone()];
                let options = JoinOptions::default();
                (
                    joining::concatenate(&ctx, &both, Some(i), &options),
                    joining::stack(&ctx, &both, i, &options),
                )
            });
            calls.of(&format!("argmax {at} {i}"), || {
                selection::argmax(&ctx, &a, Some(i), true, None)
            });
            calls.of(&format!("lexsort {at} {i}"), || {
                sorting::lexsort(&ctx, std::slice::from_ref(&a), i)
            });
            calls.of(&format!("partition {at} {i}"), || {
                sorting::partition(&ctx, &a, &[i, 0], &Default::default())
            });
            calls.of(&format!("along {at} {i}"), || {
                (
                    selection::take_along_axis(&ctx, &a, &positions, Some(i)),
                    selection::put_along_axis(&ctx, &a, &positions, &a, None),
                )
            });
        }
    }
    calls.finish();
}

#[test]
fn ufuncs_and_products_take_any_number() {
    let ctx = Context::new(1 << 20);
    let numerics = Numerics::new(&ctx);
    let mut calls = Calls(vec![]);
    let add = Ufunc::named("add").unwrap();
    let names = [
        "add",
        "multiply",
        "left_shift",
        "power",
        "floor_divide",
        "gcd",
        "lcm",
        "ldexp",
    ];
    for name in names.map(|name| Ufunc::named(name).unwrap()) {
        for i in WHOLE {
            let filled = |dtype| {
                Array::full(&ctx, &[3], Scalar::I64(i))
                    .unwrap()
                    .cast(&ctx, dtype)
            };
            for j in WHOLE {
                for dtype in [DType::I8, DType::U32, DType::I64, DType::U64, DType::F32] {
                    let Ok(x) = filled(dtype) else { continue };
                    calls.of(&format!("{} {dtype} {i} {j}", name.name()), || {
                        let operands = [Operand::from(&x), Operand::Int(i128::from(j) * 3)];
                        name.call(&numerics, &operands, &CallOptions::default())
                    });
                    let y = Array::full(&ctx, &[3], Scalar::I64(j)).unwrap();
                    calls.of(&format!("{} {dtype} {i} {j} array", name.name()), || {
                        let operands = [Operand::from(&x), Operand::from(&y)];
                        name.call(&numerics, &operands, &CallOptions::default())
                    });
                }
                let items = [Value::Int(i.into()), Value::Int(j.into())];
                for operator in Operator::ALL {
                    let count = if operator.is_unary() { 1 } else { 2 };
                    let operands: Vec<&Value> = items.iter().take(count).collect();
                    calls.of(&format!("{operator:?} {i} {j}"), || {
                        operate(operator, &operands)
                    });
                }
            }
        }
    }
    for a in arrays(&ctx) {
        let at = format!("{a:?}");
        for i in WHOLE {
            let along = AlongOptions {
                axis: i,
                ..AlongOptions::default()
            };
            for axes in [Axes::One(i), Axes::These(vec![i, 0]), Axes::All] {
                let options = ReduceOptions {
                    axes,
                    ..ReduceOptions::default()
                };
                calls.of(&format!("reduce {at} {i}"), || {
                    add.reduce(&numerics, &a, &options)
                });
            }
            calls.of(&format!("accumulate {at} {i}"), || {
                add.accumulate(&numerics, &a, &along)
            });
            calls.of(&format!("reduceat {at} {i}"), || {
                (
                    add.reduceat(&numerics, &a, &[0, i], &AlongOptions::default()),
                    add.reduceat(&numerics, &a, &[0], &along),
                )
            });
            let places = Array::from_vec(&ctx, vec![i, 0]).unwrap();
            calls.of(&format!("at {at} {i}"), || {
                let value = Operand::Int(i.into());
                add.at(
                    &numerics,
                    &a,
                    &[IndexItem::IntArray(places.clone())],
                    Some(&value),
                )
            });
            let options = cumulative::RunningOptions {
                axis: Some(i),
                ..Default::default()
            };
            calls.of(&format!("cumulative {at} {i}"), || {
                cumulative::cumulative(&ctx, cumulative::Running::Sum, &a, &options)
            });
            for j in WHOLE {
                let two: [&[i64]; 3] = [&[i, j], &[j, i], &[i, i]];
                let one: [&[i64]; 2] = [&[i], &[j]];
                for axes in [&two[..], &one[..], &two[..2], &[]] {
                    let core = linalg::CoreAxes {
                        axes: Some(axes),
                        ..Default::default()
                    };
                    let options = linalg::ProductOptions {
                        core,
                        ..Default::default()
                    };
                    calls.of(&format!("products {at} {i} {j}"), || {
                        (
                            linalg::matmul(&ctx, &a, &a, &options),
                            linalg::vecdot(&ctx, &a, &a, &options),
                            linalg::matvec(&ctx, &a, &a, &options),
                            linalg::vecmat(&ctx, &a, &a, &options),
                        )
                    });
                }
            }
        }
    }
    calls.finish();
}

#[test]
fn printing_and_making_take_any_number() {
    let ctx = Context::new(1 << 20);
    let mut calls = Calls(vec![]);
    for a in arrays(&ctx) {
        let at = format!("{a:?}");
        for m in SIZES {
            for n in SIZES {
                let options = PrintOptions {
                    threshold: 2,
                    edgeitems: m,
                    linewidth: n,
                    ..PrintOptions::default()
                };
                calls.of(&format!("edges {at} {m} {n}"), || array_repr(&a, &options));
                let options = AnyOptions {
                    min_rank: m,
                    max_rank: Some(n),
                    ..AnyOptions::default()
                };
                let list = Value::List([Value::from(1_i64), Value::from(2.0)].into());
                calls.of(&format!("from_any {at} {m} {n}"), || {
                    (
                        from_any(&ctx, &Value::Array(a.clone()), &options),
                        from_any(&ctx, &list, &options),
                    )
                });
            }
            let options = PrintOptions {
                precision: m,
                floatmode: FloatMode::MaxprecEqual,
                ..PrintOptions::default()
            };
            calls.of(&format!("digits {at} {m}"), || array_str(&a, &options));
        }
    }
    calls.finish();
}

#[test]
fn steps_past_an_axis_lead_nowhere() {
    let ctx = Context::default();
    let x = Array::arange(&ctx, 0, 6, 1).unwrap();
    for step in [7, i64::MAX as usize, usize::MAX / 2 + 1, usize::MAX] {
        let windows = x.windows(0, 4, step).unwrap();
        assert_eq!(windows.shape(), [1, 4]);
        assert_eq!(windows.to_vec_i64(), [0, 1, 2, 3]);
    }
    let strides = [isize::MIN, isize::MIN];
    let one = Array::from_bytes(&ctx, &[1; 8], 0, &[1, 1], &strides, DType::I64).unwrap();
    assert_eq!(one.diagonal(0, 0, 1).unwrap().len(), 1);
}

/// Lists within lists, deeper than any stack: they are let go, and have no order.
#[test]
fn sequences_nest_as_deep_as_they_are_made() {
    let nested = || {
        let mut value = Value::from(1_i64);
        for at in 0..200_000 {
            let pair = [value, Value::list([])];
            value = if at % 2 == 0 {
                Value::list(pair)
            } else {
                Value::tuple(pair)
            };
        }
        value
    };
    let ctx = Context::default();
    let (deep, other) = (nested(), nested());
    let held = deep.clone();
    drop(deep);
    let array = from_any(&ctx, &held, &AnyOptions::default());
    drop((array, held, other));
}
