//! The tables of `www/reference/08-built-ins.md` are those of the operations.
//!
//! `STRAND_UPDATE=1 cargo test -p strand_ops` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use strand_ops::{Class, DTypeRule, Default, OPS, Op, Param, ParamKind, STAGES, ValueRule};

const PAGE: &str = "../../www/reference/08-built-ins.md";

/// A table's name on the page, and whether an operation stands in it.
type Table = (&'static str, fn(&Op) -> bool);

const TABLES: [Table; 9] = [
    ("operators", |op| op.operator.is_some()),
    ("one", |op| is_elementwise(op, 1)),
    ("several", |op| {
        is_elementwise(op, 2) || is_elementwise(op, 3)
    }),
    ("reductions", |op| {
        matches!(op.class, Class::Reduce { .. } | Class::ArgReduce)
    }),
    ("along", |op| matches!(op.class, Class::Along)),
    ("makers", |op| {
        matches!(op.class, Class::Construct | Class::Arange | Class::Square)
    }),
    ("random", |op| {
        matches!(op.class, Class::Draw | Class::Dropout)
    }),
    ("methods", |op| matches!(op.class, Class::Method)),
    ("others", |op| {
        let mut tables = TABLES.iter().filter(|(name, _)| *name != "others");
        !matches!(op.class, Class::Effect(_)) && !tables.any(|(_, holds)| holds(op))
    }),
];

fn is_elementwise(op: &Op, tensors: u8) -> bool {
    op.operator.is_none() && op.class == (Class::Elementwise { arity: tensors })
}

/// `std(x, over=n, correction=1)`
fn call(op: &Op) -> String {
    let mut args: Vec<String> = match op.class {
        Class::Elementwise { arity } | Class::Special { arity } => {
            let names = match (op.name, arity) {
                ("clamp", _) => &["x", "low", "high"][..],
                (_, 0) => &[],
                (_, 1) => &["x"],
                (_, 2) => &["a", "b"],
                _ => &["c", "a", "b"],
            };
            names.iter().map(|name| (*name).to_owned()).collect()
        }
        Class::Construct | Class::Draw => vec!["T".to_owned()],
        Class::Arange | Class::Square => vec!["n".to_owned()],
        Class::Join | Class::Loss | Class::IndexLoss => vec!["a".to_owned(), "b".to_owned()],
        Class::Method => vec!["f".to_owned(), "x".to_owned()],
        _ => vec!["x".to_owned()],
    };
    if matches!(op.name, "reshape" | "expand") {
        args.push("sizes".to_owned());
    }
    args.extend(op.params.iter().map(parameter));
    format!("`{}({})`", op.name, args.join(", "))
}

fn parameter(param: &Param) -> String {
    let name = param.name;
    match (param.kind, param.default) {
        (ParamKind::Over, _) => "over=n".to_owned(),
        (_, Default::Number(value)) => format!("{name}={value}"),
        (_, Default::Required) => name.to_owned(),
        (_, Default::Absent) => format!("{name}="),
    }
}

fn dtypes(op: &Op) -> &'static str {
    match op.dtype {
        DTypeRule::Number => "numbers",
        DTypeRule::Float => "floats",
        DTypeRule::Bits => "whole numbers, bool",
        DTypeRule::Bool => "bool",
        DTypeRule::AnyToBool => "any → bool",
        DTypeRule::Order => "numbers → bool",
        DTypeRule::FloatToBool => "floats → bool",
        DTypeRule::Sum => "any; whole numbers → i64",
        DTypeRule::AnyToI64 => "any → i64",
        DTypeRule::Any | DTypeRule::Where | DTypeRule::FromType => "any",
    }
}

fn domain(op: &Op) -> &'static str {
    match op.domain {
        ValueRule::Plain => "",
        ValueRule::Prob => " Prob",
        ValueRule::NonNegative => " NonNegative",
        ValueRule::Index => " Index",
        ValueRule::Kept => " the argument's",
    }
}

fn table(holds: fn(&Op) -> bool) -> String {
    let mut out = String::from(
        "| call | gives | dtypes | domain | PyTorch |\n| --- | --- | --- | --- | --- |\n",
    );
    for op in OPS.iter().filter(|op| holds(op)) {
        let call = match op.operator {
            Some("not") => "`not x`".to_owned(),
            Some(operator) if is_word(op.name) && op.name != operator => {
                format!("`a {operator} b`, `{}(a, b)`", op.name)
            }
            Some(operator) => format!("`a {operator} b`"),
            None => call(op),
        };
        let (dtypes, domain) = (dtypes(op), domain(op).trim());
        let row = format!(
            "| {call} | {} | {dtypes} | {domain} | `{}` |\n",
            op.doc, op.torch
        );
        out.push_str(&row.replace("|  |", "| |"));
    }
    out
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
}

fn stages() -> String {
    let mut out = String::from("| stage | gives |\n| --- | --- |\n");
    for stage in &STAGES {
        let _ = writeln!(out, "| `{}` | {} |", stage.name, stage.doc);
    }
    out
}

/// The page with every table between its marks written anew.
fn rewritten(page: &str) -> String {
    let mut out = page.to_owned();
    let mut tables: Vec<(&str, String)> = TABLES
        .iter()
        .map(|(name, holds)| (*name, table(*holds)))
        .collect();
    tables.push(("stages", stages()));
    for (name, text) in tables {
        let open = format!("<!-- table: {name} -->\n");
        let start = out.find(&open).map(|at| at + open.len());
        let start = start.unwrap_or_else(|| panic!("the page has no table {name}"));
        let end = out[start..].find("<!-- end -->").expect("a table ends") + start;
        out.replace_range(start..end, &format!("\n{text}\n"));
    }
    out
}

#[test]
fn the_reference_has_the_table_of_operations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is text");
    let wanted = rewritten(&page);
    if std::env::var_os("STRAND_UPDATE").is_some() {
        fs::write(&path, wanted).expect("the page can be written");
    } else {
        assert!(
            page == wanted,
            "run `STRAND_UPDATE=1 cargo test -p strand_ops`"
        );
    }
}
