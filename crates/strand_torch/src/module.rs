//! A whole module: imports, constants, functions in the program's order, the script in `main`.

use strand_ir::{Comment, FnId, Function, ItemRef, LocalId, Program, SymbolId, Type};
use strand_source::{Set, Span};

use crate::aliases::changed_locals;
use crate::context::Context;
use crate::helpers;
use crate::imports::{import_rows, is_named};
use crate::layout::WIDTH;
use crate::linear::binds;
use crate::py::{Arg, Py};
use crate::rows::{Code, Remark, Row};
use crate::writer::{Writer, remark, shape_of};

/// The oldest PyTorch that has all that the text may use.
pub(crate) const OLDEST_TORCH: &str = "2.2";

/// Rows that belong together.
struct Chunk {
    rows: Vec<Row>,
    /// A definition, which stands between two empty lines.
    is_block: bool,
    /// The lines of the source it comes from.
    lines: Option<(u32, u32)>,
}

/// Where a comment belongs.
#[derive(Default)]
struct Comments<'a> {
    /// Before each declaration of the program's order.
    leading: Vec<Vec<&'a Comment>>,
    /// On a declaration's line.
    trailing: Vec<Option<&'a Comment>>,
    /// In each declaration.
    inside: Vec<Vec<&'a Comment>>,
    script: Vec<&'a Comment>,
    tail: Vec<&'a Comment>,
}

/// The rows of a program's module.
pub(crate) fn module<'a>(cx: &mut Context<'a>) -> Vec<Row> {
    let program = cx.program;
    let comments = assign_comments(cx);
    let mut chunks = Vec::new();
    for (at, item) in program.order.iter().enumerate() {
        let (apart, near) = split_at_gap(cx, &comments.leading[at], item_span(program, *item));
        let has_chunk = matches!(
            item,
            ItemRef::Dim(_) | ItemRef::Function(_) | ItemRef::Model(_)
        );
        if has_chunk && let (Some(first), Some(last)) = (apart.first(), apart.last()) {
            chunks.push(Chunk {
                rows: remarks(apart),
                is_block: false,
                lines: Some((cx.source.line(first.span), cx.source.line(last.span))),
            });
        }
        chunks.extend(item_chunk(cx, *item, at, near, &comments));
    }
    if !comments.tail.is_empty() {
        chunks.push(Chunk {
            rows: remarks(&comments.tail),
            is_block: true,
            lines: None,
        });
    }
    if !program.script.stmts.is_empty() {
        chunks.extend(script_chunks(cx, &comments));
    }
    let first_block = chunks.iter().position(|chunk| chunk.is_block);
    let helpers = helper_chunks(cx);
    let at = first_block.unwrap_or(chunks.len());
    chunks.splice(at..at, helpers);
    let header = format!(
        "# Written by Strand {} for PyTorch {OLDEST_TORCH} or newer.",
        env!("CARGO_PKG_VERSION")
    );
    let mut rows = vec![Row::Remark {
        depth: 0,
        remark: Remark {
            text: header,
            span: None,
        },
    }];
    let text_rows = || chunks.iter().flat_map(|chunk| &chunk.rows);
    let mut modules = vec!["copy", "math", "torch", "nn"];
    modules.retain(|module| is_named(text_rows(), module));
    let imports = import_rows(cx, &modules, &|at| {
        (
            remarks(&comments.leading[at]),
            comments.trailing[at].map(remark),
        )
    });
    let has_imports = !imports.is_empty();
    if has_imports {
        rows.push(Row::Blank);
        rows.extend(imports);
    }
    join_chunks(&mut rows, chunks);
    rows
}

fn join_chunks(rows: &mut Vec<Row>, chunks: Vec<Chunk>) {
    let mut previous: Option<(bool, Option<(u32, u32)>)> = None;
    for chunk in chunks {
        let blanks = match previous {
            _ if chunk.is_block => 2,
            None => 1,
            Some((true, _)) => 2,
            Some((false, lines)) => {
                let apart = lines.zip(chunk.lines).is_some_and(|(a, b)| b.0 > a.1 + 1);
                usize::from(apart)
            }
        };
        rows.extend((0..blanks).map(|_| Row::Blank));
        previous = Some((chunk.is_block, chunk.lines));
        rows.extend(chunk.rows);
    }
}

fn item_span(program: &Program, item: ItemRef) -> Span {
    match item {
        ItemRef::Dim(at) => program.dims[at].span,
        ItemRef::Function(id) => program.function(id).span,
        ItemRef::Extern(id) => program.external(id).span,
        ItemRef::Import(id) => program.imports[id.0 as usize].span,
        ItemRef::Model(id) => program.model(id).span,
    }
}

/// A declaration by its place in the order, or the script.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Item(usize),
    Script,
}

fn assign_comments<'a>(cx: &Context<'a>) -> Comments<'a> {
    let program = cx.program;
    let count = program.order.len();
    let mut comments = Comments {
        leading: vec![Vec::new(); count],
        trailing: vec![None; count],
        inside: vec![Vec::new(); count],
        ..Comments::default()
    };
    let mut events: Vec<(Span, Owner)> = program
        .order
        .iter()
        .enumerate()
        .map(|(at, item)| (item_span(program, *item), Owner::Item(at)))
        .collect();
    let script = program.script.stmts.iter();
    events.extend(script.map(|stmt| (stmt.span, Owner::Script)));
    strand_source::sort_by_key(&mut events, |(span, _)| span.start);
    for comment in &program.comments {
        let next = events.partition_point(|(span, _)| span.start <= comment.span.start);
        let previous = next.checked_sub(1).map(|at| events[at]);
        let is_deeper = cx.source.lines.position(comment.span.start).column > 1;
        let belongs = previous.filter(|(span, owner)| {
            let is_block = match owner {
                Owner::Item(at) => {
                    matches!(program.order[*at], ItemRef::Function(_) | ItemRef::Model(_))
                }
                Owner::Script => true,
            };
            let on_line =
                !comment.own_line && cx.source.last_line(*span) == cx.source.line(comment.span);
            span.contains(comment.span) || on_line || (is_block && is_deeper && comment.own_line)
        });
        match (belongs, events.get(next)) {
            (Some((_, Owner::Script)), _) => comments.script.push(comment),
            (Some((_, Owner::Item(at))), _) => match program.order[at] {
                ItemRef::Function(_) | ItemRef::Model(_) => comments.inside[at].push(comment),
                _ => comments.trailing[at] = Some(comment),
            },
            (None, Some((_, Owner::Item(at)))) => comments.leading[*at].push(comment),
            (None, Some((_, Owner::Script))) => comments.script.push(comment),
            (None, None) => match previous {
                Some((_, Owner::Script)) => comments.script.push(comment),
                _ => comments.tail.push(comment),
            },
        }
    }
    comments
}

/// Comments before a declaration: those with an empty line after them, and those right above it.
fn split_at_gap<'c, 'a>(
    cx: &Context<'a>,
    comments: &'c [&'a Comment],
    span: Span,
) -> (&'c [&'a Comment], &'c [&'a Comment]) {
    let mut below = cx.source.line(span);
    let mut at = comments.len();
    while at > 0 && cx.source.line(comments[at - 1].span) + 1 == below {
        at -= 1;
        below -= 1;
    }
    comments.split_at(at)
}

fn remarks(comments: &[&Comment]) -> Vec<Row> {
    let row = |comment: &&Comment| Row::Remark {
        depth: 0,
        remark: remark(comment),
    };
    comments.iter().map(row).collect()
}

fn item_chunk<'a>(
    cx: &mut Context<'a>,
    item: ItemRef,
    at: usize,
    near: &[&'a Comment],
    comments: &Comments<'a>,
) -> Option<Chunk> {
    let span = item_span(cx.program, item);
    let first = near.first().map_or(span, |comment| comment.span);
    let lines = Some((cx.source.line(first), cx.source.last_line(span)));
    let mut rows = remarks(near);
    match item {
        ItemRef::Dim(dim) => {
            let dim = &cx.program.dims[dim];
            let name = cx.names.dims.get(&dim.symbol).cloned().unwrap_or_default();
            let at_name = cx.source.find(span, cx.program.symbols.name(dim.symbol));
            let script = &cx.program.script;
            let value = Writer::new(cx, script).size(&dim.definition);
            let value = with_places(value, cx, span);
            let code = Code::assign(Py::name(name).at(at_name), value).tagged(span);
            rows.push(Row::Code {
                depth: 0,
                code,
                remark: comments.trailing[at].map(remark),
            });
            Some(Chunk {
                rows,
                is_block: false,
                lines,
            })
        }
        ItemRef::Function(id) => {
            if cx.program.function(id).is_method() {
                return None;
            }
            rows.extend(function_rows(cx, id, &comments.inside[at]));
            Some(Chunk {
                rows,
                is_block: true,
                lines,
            })
        }
        ItemRef::Model(id) => {
            rows.extend(crate::models::class_rows(cx, id, &comments.inside[at]));
            Some(Chunk {
                rows,
                is_block: true,
                lines,
            })
        }
        ItemRef::Extern(_) | ItemRef::Import(_) => None,
    }
}

/// Gives the names and numbers of a size their places in its declaration.
fn with_places(py: Py, cx: &Context<'_>, span: Span) -> Py {
    let mut py = py;
    let tokens = cx.source.within(span);
    let equals = tokens.iter().position(|t| cx.source.spelling(*t) == "=");
    let mut rest = tokens[equals.map_or(0, |at| at + 1)..].to_vec();
    for leaf in &mut py.leaves {
        let found = rest
            .iter()
            .position(|t| cx.source.spelling(*t) == leaf.text);
        if let Some(at) = found {
            leaf.span = Some(rest.remove(at).span);
        }
    }
    py
}

/// A function: its header, its signature as docstring, sizes that it uses, its statements.
pub(crate) fn function_rows<'a>(
    cx: &mut Context<'a>,
    id: FnId,
    comments: &[&'a Comment],
) -> Vec<Row> {
    let function = cx.program.function(id);
    let Some(body) = function.written_body() else {
        return Vec::new();
    };
    let first = body
        .stmts
        .first()
        .map_or(function.span.end, |stmt| stmt.span.start);
    let header = Span::new(function.span.start, first);
    let (header_remark, comments) = match comments.split_first() {
        Some((comment, rest))
            if !comment.own_line && !body.is_expression && comment.span.start < first =>
        {
            (Some(remark(comment)), rest)
        }
        _ => (None, comments),
    };
    let (mut known, mut seldom) = (Set::new(), Set::new());
    let mut rows = Vec::new();
    // The first pass finds the sizes that are used, the second binds them, the third all but those
    // that turned out not to be read.
    for pass in 0..3 {
        let mut writer = Writer::new(cx, body);
        writer.in_chain = function.in_chain;
        writer.function = Some(id);
        writer.known_sizes = known.clone();
        writer.seldom_sizes = seldom.clone();
        writer.comments = comments.to_vec();
        writer.changed = changed_locals(body);
        writer.lent = writer.cx.lent.in_body(writer.cx.program, Some(id), body);
        if pass > 0 {
            header_rows(&mut writer, id, header, header_remark.clone());
        }
        writer.top_block(&body.stmts);
        writer.comments_before(u32::MAX);
        if pass == 0 {
            known.extend(writer.used_sizes.keys().copied());
            let at_most_twice = writer.used_sizes.iter().filter(|(_, uses)| **uses <= 2);
            seldom.extend(at_most_twice.map(|(symbol, _)| *symbol));
        }
        rows = std::mem::take(&mut writer.rows);
        if pass > 0 && !forget_unread(&mut writer, &rows, &mut known) {
            break;
        }
    }
    let is_code = |row: &Row| matches!(row, Row::Code { .. } | Row::Doc { .. });
    if rows.iter().filter(|row| is_code(row)).count() < 2 {
        rows.push(Row::Code {
            depth: 1,
            code: Code::default().word("pass", None),
            remark: None,
        });
    }
    rows
}

/// Takes the sizes that the rows name only where they bind them out of `known`; whether there were
/// any.
fn forget_unread(writer: &mut Writer<'_, '_>, rows: &[Row], known: &mut Set<SymbolId>) -> bool {
    let before = known.len();
    let mut read = known.clone();
    read.retain(|symbol| {
        let name = writer.size_name(*symbol);
        let named = rows.iter().map(|row| row.times_named(&name));
        named.sum::<usize>() != 1
    });
    *known = read;
    known.len() < before
}

fn header_rows<'a>(
    writer: &mut Writer<'_, 'a>,
    id: FnId,
    header: Span,
    header_remark: Option<Remark>,
) {
    let function = writer.cx.program.function(id);
    let name = if function.is_method() {
        crate::models::attribute(&function.name, true)
    } else {
        writer.cx.names.functions[id.0 as usize].clone()
    };
    let mut params: Vec<Arg> = Vec::new();
    for (param, local) in function.params.iter().zip(&writer.body.params) {
        let name = writer.names.local(*local).to_owned();
        params.push(match &param.default {
            Some(default) => {
                let value = writer.expr(default);
                Arg::keyword(&name, value).at(Some(param.span))
            }
            None => Arg::from(Py::name(name).at(Some(param.span))),
        });
    }
    if writer.cx.takes_mode(id) {
        params.push(Arg::from(Py::name("*")));
        params.push(Arg::from(Py::name("training")));
    }
    let at = writer.cx.source.find(header, "fn");
    let call = Py::name(name).at(Some(function.name_span)).call(params);
    let code = Code::default().word("def", at).add(call).colon();
    writer.rows.push(Row::Code {
        depth: 0,
        code,
        remark: header_remark,
    });
    writer.rows.push(Row::Doc {
        depth: 1,
        text: function.signature.clone(),
        header: Some(header),
    });
    bind_sizes(writer, function);
}

/// `n = x.shape[0]` for the axis names whose sizes the body uses. One that is used at most twice
/// stands there as `x.shape[0]` where `x` is the parameter throughout and gives no other size.
fn bind_sizes(writer: &mut Writer<'_, '_>, function: &Function) {
    let mut left: Set<SymbolId> = writer
        .known_sizes
        .iter()
        .copied()
        .filter(|symbol| function.axis_names.contains(symbol))
        .collect();
    let mut bound: Vec<(Py, Py)> = Vec::new();
    for local in writer.body.params.clone() {
        let Some(ty) = writer.body.local(local).ty.tensor() else {
            continue;
        };
        let symbols: Vec<Option<SymbolId>> =
            ty.axes.iter().map(|axis| axis.size.as_symbol()).collect();
        let found: Vec<(usize, SymbolId)> = symbols
            .iter()
            .enumerate()
            .filter_map(|(at, symbol)| Some((at, (*symbol)?)))
            .filter(|(at, symbol)| {
                left.contains(symbol) && !symbols[..*at].contains(&Some(*symbol))
            })
            .collect();
        let tensor = Py::name(writer.names.local(local));
        if found.len() > 1 && found.len() == symbols.len() {
            let names = found
                .iter()
                .map(|(_, symbol)| Py::name(writer.size_name(*symbol)));
            let names = Py::bare_tuple(names.collect());
            writer.code(Code::assign(names, tensor.attr("shape", None)));
        } else if let [(at, symbol)] = found.as_slice()
            && writer.seldom_sizes.contains(symbol)
            && keeps_name(writer.body, local, writer.cx.program)
        {
            let size = shape_of(tensor, *at);
            writer.inline_sizes.insert(*symbol, size);
        } else {
            for (at, symbol) in &found {
                let name = Py::name(writer.size_name(*symbol));
                bound.push((name, shape_of(tensor.clone(), *at)));
            }
        }
        for (_, symbol) in found {
            left.remove(&symbol);
        }
    }
    bind_together(writer, bound);
    for local in writer.body.params.clone() {
        bind_model_sizes(writer, local, &mut left);
    }
}

/// `n, m = x.shape[0], y.shape[0]` where that fits on a line, else a line for each.
fn bind_together(writer: &mut Writer<'_, '_>, bound: Vec<(Py, Py)>) {
    let (names, sizes) = bound.iter().cloned().unzip();
    let together = Code::assign(Py::bare_tuple(names), Py::bare_tuple(sizes));
    if bound.len() > 1 && together.columns(writer.depth) <= WIDTH {
        writer.code(together);
        return;
    }
    for (name, size) in bound {
        writer.code(Code::assign(name, size));
    }
}

/// `I = m.I` for the sizes that only a model has.
fn bind_model_sizes(writer: &mut Writer<'_, '_>, local: LocalId, left: &mut Set<SymbolId>) {
    let Type::Model(id) = writer.body.local(local).ty else {
        return;
    };
    let program = writer.cx.program;
    let model = program.model(id);
    let declared = &program.model(model.declaration).sizes;
    for (own, given) in declared.iter().zip(&model.sizes) {
        let (Some(own), Some(symbol)) = (own.name, given.size.as_symbol()) else {
            continue;
        };
        let name = writer.cx.names.model_sizes.get(&own);
        let Some(attr) = name.map(|name| crate::models::attribute(name, false)) else {
            continue;
        };
        if !left.remove(&symbol) {
            continue;
        }
        writer.cx.needs.model_sizes.insert(own);
        let size = Py::name(writer.names.local(local)).attr(&attr, None);
        if writer.seldom_sizes.contains(&symbol) && keeps_name(writer.body, local, program) {
            writer.inline_sizes.insert(symbol, size);
        } else {
            let name = Py::name(writer.size_name(symbol));
            writer.code(Code::assign(name, size));
        }
    }
}

/// Whether a parameter's name stands for its value in the whole body.
fn keeps_name(body: &strand_ir::Body, param: LocalId, program: &Program) -> bool {
    let name = &body.local(param).name;
    let others = body.locals.iter().filter(|local| local.name == *name);
    others.count() == 1 && !body.stmts.iter().any(|stmt| binds(stmt, param, program))
}

fn script_chunks<'a>(cx: &mut Context<'a>, comments: &Comments<'a>) -> Vec<Chunk> {
    let body = &cx.program.script;
    let mut known = Set::new();
    let mut rows = Vec::new();
    for pass in 0..3 {
        let mut writer = Writer::new(cx, body);
        writer.is_script = true;
        writer.mode = crate::writer::Mode::Eval;
        writer.known_sizes = known.clone();
        writer.comments = comments.script.clone();
        writer.changed = changed_locals(body);
        let main = Py::name("main").call(Vec::new());
        writer.depth = 0;
        writer.code(Code::default().word("def", None).add(main).colon());
        writer.depth = 1;
        writer.top_block(&body.stmts);
        writer.comments_before(u32::MAX);
        if pass == 0 {
            known.extend(writer.used_sizes.keys().copied());
        }
        rows = std::mem::take(&mut writer.rows);
        if pass > 0 && !forget_unread(&mut writer, &rows, &mut known) {
            break;
        }
    }
    if rows
        .iter()
        .filter(|row| matches!(row, Row::Code { .. }))
        .count()
        < 2
    {
        return vec![Chunk {
            rows: only_remarks(rows),
            is_block: true,
            lines: None,
        }];
    }
    let call = Row::Verbatim("if __name__ == \"__main__\":\n    main()");
    [rows, vec![call]]
        .into_iter()
        .map(|rows| Chunk {
            rows,
            is_block: true,
            lines: None,
        })
        .collect()
}

/// The comments of a script that does nothing else in Python.
fn only_remarks(rows: Vec<Row>) -> Vec<Row> {
    let outer = |row| match row {
        Row::Remark { remark, .. } => Some(Row::Remark { depth: 0, remark }),
        Row::Blank => Some(Row::Blank),
        _ => None,
    };
    rows.into_iter().filter_map(outer).collect()
}

fn helper_chunks(cx: &mut Context<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut add = |text| {
        chunks.push(Chunk {
            rows: vec![Row::Verbatim(text)],
            is_block: true,
            lines: None,
        });
    };
    if cx.needs.fail {
        add(helpers::FAIL);
    }
    if cx.needs.check {
        add(helpers::CHECK);
    }
    if cx.needs.reduceat {
        add(helpers::REDUCEAT);
    }
    chunks
}
