//! Arrays and elements as text, as NumPy prints them.

mod digits;
mod element;
mod float;
mod format;

pub(crate) use element::{quoted, repr, text_of};
pub use format::FloatMode;

use crate::array::Array;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::item::Item;
use crate::value::Value;
use format::{Elements, Format};

/// How arrays are printed; `np.printoptions`.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: usize,
    /// Elements from which on the middle of an array is left out.
    pub threshold: usize,
    /// Elements that stay at each end of an axis.
    pub edgeitems: usize,
    /// Characters per line.
    pub linewidth: usize,
    /// Whether small values are written without an exponent.
    pub suppress: bool,
    /// `-` for minus signs only, `+` for both signs, a space in place of plus.
    pub sign: char,
    /// How many digits floats get.
    pub floatmode: FloatMode,
    /// The text of NaN.
    pub nan: String,
    /// The text of infinity.
    pub inf: String,
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self {
            precision: 8,
            threshold: 1000,
            edgeitems: 3,
            linewidth: 75,
            suppress: false,
            sign: '-',
            floatmode: FloatMode::Maxprec,
            nan: "nan".into(),
            inf: "inf".into(),
        }
    }
}

/// The elements without the array's type; `np.array_str`.
#[must_use]
pub fn array_str(array: &Array, options: &PrintOptions) -> String {
    if array.rank() > 0 {
        return array_text(array, options, options.linewidth, " ", 0);
    }
    match array.element() {
        Ok(Value::Item(item)) => item.to_string(),
        Ok(Value::Text(text)) => text.to_string(),
        Ok(other) => repr(&other),
        Err(error) => error.to_string(),
    }
}

/// The elements and what a reader can't tell from them; `np.array_repr`.
#[must_use]
pub fn array_repr(array: &Array, options: &PrintOptions) -> String {
    let prefix = "array(";
    let width = options.linewidth.saturating_sub(1);
    let list = array_text(array, options, width, ", ", prefix.len());
    let mut extras = vec![];
    let long = array.len() > options.threshold;
    if array.is_empty() && array.shape() != [0] || long {
        extras.push(format!("shape={}", tuple(array.shape())));
    }
    if array.is_empty() || !is_implied(array.descr()) {
        extras.push(format!("dtype={}", array.descr().short_repr()));
    }
    if extras.is_empty() {
        return format!("{prefix}{list})");
    }
    let text = format!("{prefix}{list},");
    let extra = format!("{})", extras.join(", "));
    let last = text.rsplit('\n').next().unwrap_or_default();
    let fits = last.chars().count() + extra.chars().count() < options.linewidth;
    let spacer = if fits {
        " ".into()
    } else {
        format!("\n{}", " ".repeat(prefix.len()))
    };
    format!("{text}{spacer}{extra}")
}

/// Types that the text of their elements tells.
fn is_implied(descr: &Descr) -> bool {
    let known = [DType::Bool, DType::I64, DType::F64, DType::C128];
    known.contains(&descr.dtype()) && !descr.is_swapped()
}

/// A shape as a tuple: `(2, 3)`, `(2,)`, `()`.
pub(crate) fn tuple(sizes: &[usize]) -> String {
    let texts: Vec<String> = sizes.iter().map(usize::to_string).collect();
    match texts.as_slice() {
        [only] => format!("({only},)"),
        texts => format!("({})", texts.join(", ")),
    }
}

fn truth_text(yes: bool) -> &'static str {
    if yes { "True" } else { "False" }
}

/// An element's bytes in the machine's order.
fn native(descr: &Descr, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    crate::item::to_native(descr, &mut bytes);
    bytes
}

/// A structured scalar: fields as they print alone.
fn structured_text(descr: &Descr, bytes: &[u8]) -> String {
    let options = PrintOptions::default();
    let data = Elements {
        list: vec![bytes.to_vec()],
        axes: false,
    };
    Format::alone(descr, &data, &options).write(descr, bytes, &options)
}

fn array_text(
    array: &Array,
    options: &PrintOptions,
    width: usize,
    separator: &str,
    prefix: usize,
) -> String {
    if array.is_empty() {
        return "[]".into();
    }
    let summary = array.len() > options.threshold;
    let mut shown = vec![];
    corners(array, &mut vec![], summary, options, &mut shown);
    let data = Elements {
        list: shown,
        axes: array.rank() > 0,
    };
    let printer = Printer {
        array,
        format: Format::new(array.descr(), &data, options),
        options,
        separator,
        indent: " ".repeat(prefix + 1),
        summary,
    };
    printer.nested(&mut vec![], &printer.indent, width)
}

/// The bytes of an element.
fn bytes_at(array: &Array, index: &[i64]) -> Vec<u8> {
    array
        .at(index)
        .map(|one| one.to_bytes())
        .unwrap_or_default()
}

/// Indices of an axis that are shown, and where others are left out.
fn shown_of(size: usize, summary: bool, edge: usize) -> (Vec<i64>, Option<usize>) {
    if !summary || size <= edge.saturating_mul(2) {
        return ((0..size as i64).collect(), None);
    }
    let (first, last) = (0..edge as i64, (size - edge) as i64..size as i64);
    (first.chain(last).collect(), Some(edge))
}

fn corners(
    array: &Array,
    index: &mut Vec<i64>,
    summary: bool,
    options: &PrintOptions,
    out: &mut Vec<Vec<u8>>,
) {
    let Some(&size) = array.shape().get(index.len()) else {
        out.push(bytes_at(array, index));
        return;
    };
    for i in shown_of(size, summary, options.edgeitems).0 {
        index.push(i);
        corners(array, index, summary, options, out);
        index.pop();
    }
}

struct Printer<'a> {
    array: &'a Array,
    format: Format,
    options: &'a PrintOptions,
    separator: &'a str,
    indent: String,
    summary: bool,
}

impl Printer<'_> {
    fn nested(&self, index: &mut Vec<i64>, indent: &str, width: usize) -> String {
        let axis = index.len();
        let Some(&size) = self.array.shape().get(axis) else {
            let bytes = bytes_at(self.array, index);
            return self.format.write(self.array.descr(), &bytes, self.options);
        };
        let (inner, narrower) = (format!("{indent} "), width.saturating_sub(1));
        let (shown, gap) = shown_of(size, self.summary, self.options.edgeitems);
        let left = self.array.rank() - axis;
        let mut lines = Lines {
            done: String::new(),
            line: indent.to_string(),
            width: width.saturating_sub(self.separator.trim_end().len().max(1)),
            indent,
        };
        let between = format!("{}{}", self.separator.trim_end(), "\n".repeat(left - 1));
        let last = shown.len().saturating_sub(1);
        for (at, i) in shown.into_iter().enumerate() {
            if gap == Some(at) {
                if left == 1 {
                    lines.add("...");
                    lines.line.push_str(self.separator);
                } else {
                    lines.done.push_str(&format!("{indent}...{between}"));
                }
            }
            index.push(i);
            let word = self.nested(index, &inner, narrower);
            index.pop();
            if left == 1 {
                lines.add_word(&word);
                if at < last {
                    lines.line.push_str(self.separator);
                }
            } else {
                let end = if at < last { between.as_str() } else { "" };
                lines.done.push_str(&format!("{indent}{word}{end}"));
            }
        }
        if left == 1 {
            let line = std::mem::take(&mut lines.line);
            lines.done.push_str(&line);
        }
        let body = lines.done.get(indent.len()..).unwrap_or_default();
        format!("[{body}]")
    }
}

/// Words put into lines of a width.
struct Lines<'a> {
    done: String,
    line: String,
    width: usize,
    indent: &'a str,
}

impl Lines<'_> {
    fn wrap(&mut self) {
        self.done.push_str(self.line.trim_end());
        self.done.push('\n');
        self.line = self.indent.to_string();
    }

    fn add(&mut self, word: &str) {
        let have = self.line.chars().count();
        if have + word.chars().count() > self.width && have > self.indent.len() {
            self.wrap();
        }
        self.line.push_str(word);
    }

    /// A word that may have several lines of its own, which stay below each other.
    fn add_word(&mut self, word: &str) {
        let parts: Vec<&str> = word.lines().collect();
        let [first, rest @ ..] = parts.as_slice() else {
            return self.add(word);
        };
        if rest.is_empty() {
            return self.add(word);
        }
        let widest = parts.iter().map(|part| part.chars().count()).max();
        let widest = widest.unwrap_or(0);
        let have = self.line.chars().count();
        let mut indent = " ".repeat(have);
        if have + widest > self.width && have > self.indent.len() {
            self.wrap();
            indent = self.indent.to_string();
        }
        self.line.push_str(first);
        let mut last = first;
        for part in rest {
            self.done.push_str(self.line.trim_end());
            self.done.push('\n');
            self.line = format!("{indent}{part}");
            last = part;
        }
        let missing = widest - last.chars().count();
        self.line.push_str(&" ".repeat(missing));
    }
}

impl std::fmt::Display for Item {
    /// As `str` of a NumPy scalar: `0.5`, `True`, `(1+2j)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text_of(self.descr(), &self.to_bytes()))
    }
}

impl std::fmt::Display for Array {
    /// As `str` of a NumPy array.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&array_str(self, &PrintOptions::default()))
    }
}

impl std::fmt::Display for Value {
    /// As `repr` of a Python value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&repr(self))
    }
}
