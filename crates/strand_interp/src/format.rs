//! Values as text: PyTorch's `tolist()` form, and NumPy's abbreviated form.

use strand_array::{Array, Scalar};
use strand_source::{float_fixed, float_scientific};

use crate::python;
use crate::value::Value;

/// A tensor of more elements than this is abbreviated.
pub const MAX_ELEMENTS: usize = 1000;
/// So many elements are kept at either end of an abbreviated axis.
const EDGE: usize = 3;

/// What `print` writes: numbers as Python does, tensors in PyTorch's `tolist()` form, abbreviated
/// past 1,000 elements.
pub fn printed(value: &Value) -> String {
    match value {
        Value::Tensor(array) => tolist(array),
        Value::Int(v) => v.to_string(),
        Value::Float(v) => python::float(*v),
        Value::Bool(v) => python::boolean(*v).to_owned(),
        Value::Str(text) => text.clone(),
        Value::Nothing => "None".to_owned(),
        Value::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(printed).collect();
            format!("({})", parts.join(", "))
        }
        Value::Model(name, fields) => {
            let fields = fields.iter();
            let fields: Vec<_> = fields
                .map(|(name, value)| format!("{name}={}", printed(value)))
                .collect();
            format!("{name}({})", fields.join(", "))
        }
    }
}

/// `x.tolist()` as Python prints it: `[[0.0, 1.0], [2.0, 3.0]]`.
pub fn tolist(array: &Array) -> String {
    let mut out = String::new();
    let form = Form {
        abbreviated: array.len() > MAX_ELEMENTS,
        separator: ", ",
        lines: false,
    };
    nested(array, &form, 0, &mut out, &mut |value, out| {
        out.push_str(&python_element(value));
    });
    out
}

/// NumPy's form: columns of one width, a row a line, `...` in axes of abbreviated arrays; floats
/// with 4 digits after the point, as PyTorch shows them.
pub fn table(array: &Array) -> String {
    let abbreviated = array.len() > MAX_ELEMENTS;
    let mut shown = Vec::new();
    let form = Form {
        abbreviated,
        separator: " ",
        lines: true,
    };
    nested(array, &form, 0, &mut String::new(), &mut |value, _| {
        shown.push(value)
    });
    let numbers = Numbers::of(&shown);
    let width = shown
        .iter()
        .map(|v| numbers.text(*v).len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    nested(array, &form, 0, &mut out, &mut |value, out| {
        let text = numbers.text(value);
        out.extend(std::iter::repeat_n(' ', width.saturating_sub(text.len())));
        out.push_str(&text);
    });
    out
}

struct Form {
    abbreviated: bool,
    separator: &'static str,
    /// Whether the rows of a matrix stand on lines of their own.
    lines: bool,
}

fn nested(
    array: &Array,
    form: &Form,
    depth: usize,
    out: &mut String,
    element: &mut dyn FnMut(Scalar, &mut String),
) {
    let Some(size) = array.shape().first().copied() else {
        if let Ok(value) = array.get(&[]) {
            element(value, out);
        }
        return;
    };
    out.push('[');
    let cut = form.abbreviated && size > 2 * EDGE;
    let mut at = 0;
    while at < size {
        if at > 0 {
            separate(array.rank(), form, depth, out);
        }
        if cut && at == EDGE {
            out.push_str("...");
            at = size - EDGE;
            continue;
        }
        if let Ok(part) = array.select(0, at as i64) {
            nested(&part, form, depth + 1, out, element);
        }
        at += 1;
    }
    out.push(']');
}

fn separate(rank: usize, form: &Form, depth: usize, out: &mut String) {
    if !form.lines || rank == 1 {
        out.push_str(form.separator);
        return;
    }
    // NumPy leaves a blank line per axis beyond the second.
    out.extend(std::iter::repeat_n('\n', rank - 1));
    out.extend(std::iter::repeat_n(' ', depth + 1));
}

fn python_element(value: Scalar) -> String {
    match value {
        Scalar::Bool(v) => python::boolean(v).to_owned(),
        Scalar::I64(v) | Scalar::Int(_, v) => v.to_string(),
        other => python::float(other.to_f64()),
    }
}

/// How the numbers of a table are written.
enum Numbers {
    /// Whole numbers, bools, and floats that are all whole: `2.`.
    Plain {
        point: bool,
    },
    Fixed,
    Scientific,
}

impl Numbers {
    fn of(shown: &[Scalar]) -> Self {
        let float = shown.iter().any(|v| v.dtype().is_float());
        let finite = shown.iter().map(|v| v.to_f64()).filter(|v| v.is_finite());
        let sizes = finite.clone().map(f64::abs).filter(|v| *v != 0.0);
        let largest = sizes.clone().fold(0.0, f64::max);
        let least = sizes.fold(f64::INFINITY, f64::min);
        if !float {
            return Self::Plain { point: false };
        }
        if largest >= 1e8
            || (largest > 0.0 && (least < 1e-4 || largest / least > 1e3 && least < 1e-3))
        {
            return Self::Scientific;
        }
        if finite.clone().all(|v| v == v.trunc()) {
            return Self::Plain { point: true };
        }
        Self::Fixed
    }

    fn text(&self, value: Scalar) -> String {
        let v = value.to_f64();
        match (self, value) {
            (Self::Plain { point: false }, _) => python_element(value),
            _ if !v.is_finite() => python::float(v),
            (Self::Plain { .. }, _) => format!("{}.", float_fixed(v, 0)),
            (Self::Fixed, _) => float_fixed(v, 4),
            (Self::Scientific, _) => {
                let text = float_scientific(v, 4);
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                python::exponential(digits, exponent)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strand_array::Context;

    fn array(data: &[f32], shape: &[usize]) -> Array {
        Array::from_slice(&Context::default(), data, shape).unwrap()
    }

    #[test]
    fn tolist_is_python_s() {
        let x = array(&[0.0, 1.5, -2.0, 0.1], &[2, 2]);
        // torch.tensor([[0, 1.5], [-2, 0.1]]).tolist()
        assert_eq!(tolist(&x), "[[0.0, 1.5], [-2.0, 0.10000000149011612]]");
        assert_eq!(tolist(&array(&[], &[2, 0])), "[[], []]");
        assert_eq!(tolist(&array(&[1.0], &[])), "1.0");
    }

    #[test]
    fn past_the_limit_axes_are_cut() {
        let x = Array::arange(&Context::default(), 0, 2000, 1).unwrap();
        assert_eq!(tolist(&x), "[0, 1, 2, ..., 1997, 1998, 1999]");
    }

    #[test]
    fn a_table_lines_columns_up() {
        let x = array(&[0.0, 1.5, -2.0, 10.0], &[2, 2]);
        assert_eq!(table(&x), "[[ 0.0000  1.5000]\n [-2.0000 10.0000]]");
    }
}
