//! Row 6: a registered type works at once. The example is a rational number, as NumPy's tests have it.

use std::any::Any;
use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::Value as Json;
use strand_array::{
    Array, ArrayError, Casting, Context, DType, Descr, HostValue, Operator, Result, UserType,
    Value, array_repr, astype, can_cast, compare_arrays, promote_types, register, sorting,
};

use crate::common::{bytes, canonical, cases, class_differs, descr, finish, sizes};

/// A fraction in lowest terms, its denominator positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rational {
    over: i32,
    under: i32,
}

impl Rational {
    /// Of an element: numerator, and denominator less one, so that zeroed memory is 0.
    fn read(element: &[u8]) -> Self {
        let part = |at: usize| i32::from_ne_bytes(element[at..at + 4].try_into().unwrap());
        Self {
            over: part(0),
            under: part(4).wrapping_add(1).max(1),
        }
    }

    fn write(self, element: &mut [u8]) {
        element[..4].copy_from_slice(&self.over.to_ne_bytes());
        element[4..].copy_from_slice(&(self.under - 1).to_ne_bytes());
    }

    fn text(self) -> String {
        match self.under {
            1 => format!("rational({})", self.over),
            under => format!("rational({},{under})", self.over),
        }
    }
}

impl HostValue for Rational {
    fn type_name(&self) -> &str {
        "rational"
    }
    fn repr(&self) -> String {
        self.text()
    }
    fn plain(&self) -> Option<Value> {
        Some(Value::Float(f64::from(self.over) / f64::from(self.under)))
    }
    fn truth(&self) -> bool {
        self.over != 0
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Rationals;

impl UserType for Rationals {
    fn name(&self) -> &str {
        "rational"
    }
    fn size(&self) -> usize {
        8
    }
    fn alignment(&self) -> usize {
        4
    }
    fn get(&self, element: &[u8]) -> Value {
        Value::Host(Rc::new(Rational::read(element)))
    }
    fn set(&self, element: &mut [u8], value: &Value) -> Result<()> {
        let refuse = |value: &Value| ArrayError::BadValue {
            class: "TypeError",
            why: format!("{} is no rational", value.type_name()),
        };
        let number = match value {
            Value::Host(host) => *host.as_any().downcast_ref().ok_or_else(|| refuse(value))?,
            Value::Int(over) => Rational {
                over: i32::try_from(*over).map_err(|_| refuse(value))?,
                under: 1,
            },
            Value::Bool(yes) => Rational {
                over: i32::from(*yes),
                under: 1,
            },
            other => return Err(refuse(other)),
        };
        number.write(element);
        Ok(())
    }
    fn print(&self, element: &[u8]) -> String {
        Rational::read(element).text()
    }
    fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        let (a, b) = (Rational::read(left), Rational::read(right));
        let cross = |x: i32, y: i32| i64::from(x) * i64::from(y);
        Some(cross(a.over, b.under).cmp(&cross(b.over, a.under)))
    }
    fn is_nonzero(&self, element: &[u8]) -> bool {
        Rational::read(element).over != 0
    }
    fn swap(&self, element: &mut [u8]) {
        element.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
    fn casts_to(&self, to: DType) -> Option<Casting> {
        match to {
            DType::F64 => Some(Casting::Safe),
            DType::Bool | DType::F32 => Some(Casting::Unsafe),
            to if to.is_signed() => Some(Casting::Unsafe),
            _ => None,
        }
    }
    fn casts_from(&self, from: DType) -> Option<Casting> {
        (from == DType::Bool || from.is_signed()).then_some(Casting::Safe)
    }
}

fn of(ctx: &Context, descr: &Descr, written: &Json) -> Array {
    Array::from_elements(ctx, &bytes(&written["b"]), &sizes(&written["s"]), descr).unwrap()
}

#[test]
fn row_6_a_registered_types_casting_rules_are_those_it_tells() {
    let rational = register(Rc::new(Rationals)).unwrap();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("rational") {
        if case["k"] != "rules" {
            continue;
        }
        let other = descr(&case["d"]);
        for (i, casting) in Casting::ALL.into_iter().enumerate() {
            checked += 2;
            let found = (
                can_cast(&rational, &other, casting),
                can_cast(&other, &rational, casting),
            );
            let wanted = (case["to"][i] == true, case["from"][i] == true);
            if found != wanted {
                complaints.push(format!("{other} {}: {found:?}", casting.name()));
            }
        }
        let promoted = promote_types(&rational, &other);
        if let Some(why) = class_differs(&promoted, &case["promoted"]) {
            complaints.push(format!("{other}: {why}"));
        } else if let Ok(promoted) = promoted {
            let wanted = match case["promoted"]["v"].as_str() {
                Some("rational") => rational.clone(),
                _ => descr(&case["promoted"]["v"]),
            };
            if promoted != wanted {
                complaints.push(format!("{other}: {promoted}"));
            }
        }
    }
    finish(checked, 100, &complaints);
}

#[test]
fn row_6_a_registered_type_has_elements_printing_comparison_and_casts() {
    let ctx = Context::default();
    let rational = register(Rc::new(Rationals)).unwrap();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("rational") {
        if case["k"] != "array" {
            continue;
        }
        let mut same = |what: &str, found: String, wanted: String| {
            checked += 1;
            if found != wanted {
                complaints.push(format!("{what} of {}: {found}, not {wanted}", case["repr"]));
            }
        };
        let text = |value: &Json| value.as_str().unwrap().to_string();
        let (a, b) = (
            of(&ctx, &rational, &case["a"]),
            of(&ctx, &rational, &case["b"]),
        );
        let print = |array: &Array| array_repr(array, &Default::default());
        same("repr", print(&a), text(&case["repr"]));
        // In the other byte order, off their grid and stepped backwards, elements are the same.
        let swapped = rational.clone().swapped();
        let turned = astype(&ctx, &a, &swapped, Casting::Equiv).unwrap().0;
        let back = astype(&ctx, &turned, &rational, Casting::Equiv).unwrap().0;
        same(
            "swapped twice",
            format!("{:?}", back.to_bytes()),
            format!("{:?}", a.to_bytes()),
        );
        same(
            "printed swapped",
            print(&turned).replace("'|V8'", "rational"),
            text(&case["repr"]),
        );

        let to = descr(&case["to"]);
        for source in [&a, &turned] {
            let cast = astype(&ctx, source, &to, Casting::Unsafe);
            let why = class_differs(&cast, &case["cast"]);
            same("cast", format!("{why:?}"), "None".into());
            if let Ok((cast, _)) = cast {
                let wanted = canonical(&to, &bytes(&case["cast"]["v"]["b"]));
                let found = canonical(&to, &cast.to_bytes());
                same("cast", format!("{found:?}"), format!("{wanted:?}"));
            }
        }
        let whole = of(&ctx, &descr(&case["whole"]["d"]), &case["whole"]);
        let made = astype(&ctx, &whole, &rational, Casting::Safe).unwrap().0;
        let wanted = bytes(&case["made"]["b"]);
        same(
            "made",
            format!("{:?}", made.to_bytes()),
            format!("{wanted:?}"),
        );
        for (name, wanted) in case["compare"].as_object().unwrap() {
            let op = Operator::named(name).unwrap();
            let found = compare_arrays(&ctx, op, &a, &b).unwrap().to_bytes();
            same(
                name,
                format!("{found:?}"),
                format!("{:?}", bytes(&wanted["b"])),
            );
        }
        let functions = rational.functions();
        let elements = a.to_bytes();
        if let Some(wanted) = case["argmax"].as_u64() {
            let found = (functions.arg_max)(&rational, &elements);
            same("argmax", found.to_string(), wanted.to_string());
        }
        let truths = elements
            .chunks_exact(8)
            .map(|e| (functions.nonzero)(&rational, e));
        let truths: Vec<u8> = truths.map(u8::from).collect();
        let wanted: Vec<u8> = serde_json::from_value(case["nonzero"].clone()).unwrap();
        same("nonzero", format!("{truths:?}"), format!("{wanted:?}"));
        let objects = astype(&ctx, &a, &DType::Object.into(), Casting::Safe)
            .unwrap()
            .0;
        same("objects", print(&objects), text(&case["objects"]));
        let flat = a.reshape(&ctx, &[a.len()]).unwrap();
        let sorted = sorting::sort(&ctx, &flat, &Default::default()).unwrap();
        let wanted = bytes(&case["sorted"]["b"]);
        same(
            "sorted",
            format!("{:?}", sorted.to_bytes()),
            format!("{wanted:?}"),
        );
    }
    finish(checked, 500, &complaints);
}

#[test]
fn row_6_elements_are_set_from_values_and_written_as_fields() {
    let ctx = Context::default();
    let rational = register(Rc::new(Rationals)).unwrap();
    let array = Array::fresh(&ctx, &[2], &rational).unwrap();
    array.set_element(&[0], &Value::Int(-2)).unwrap();
    let half: Rc<dyn HostValue> = Rc::new(Rational { over: 1, under: 2 });
    array.set_element(&[1], &Value::from(half)).unwrap();
    assert_eq!(array.to_string(), "[rational(-2) rational(1,2)]");
    assert_eq!(array.element_at(&[1]).unwrap().to_string(), "rational(1,2)");
    for refused in [Value::Float(0.5), Value::from("1/2"), Value::None] {
        assert_eq!(
            array.set_element(&[0], &refused).unwrap_err().class(),
            "TypeError"
        );
    }
    let parts = [("n", Descr::new(DType::U8)), ("q", rational.clone())];
    let record = Descr::structured(&parts).unwrap();
    let records = Array::fresh(&ctx, &[2], &record).unwrap();
    let fields = records.field("q").unwrap();
    strand_array::assign(&ctx, &fields, &array, Casting::No).unwrap();
    assert_eq!(
        records.to_string(),
        "[(0, rational(-2)) (0, rational(1,2))]"
    );
    // Two registrations of one table are two types.
    let other = register(Rc::new(Rationals)).unwrap();
    assert_ne!(other, rational);
    assert!(promote_types(&other, &rational).is_err());
}
