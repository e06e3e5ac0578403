//! The imports on top of a module, in the order that isort and ruff keep: Python's own modules, then
//! the others, each with `import` before `from`.

use strand_ir::ItemRef;
use strand_source::Span;

use crate::context::Context;
use crate::py::Py;
use crate::rows::{Code, Remark, Row};

/// Modules of Python's own library that programs are likely to import.
const STANDARD: &[&str] = &[
    "base64",
    "bisect",
    "calendar",
    "collections",
    "copy",
    "csv",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "glob",
    "gzip",
    "heapq",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "random",
    "re",
    "statistics",
    "string",
    "struct",
    "sys",
    "time",
    "typing",
    "uuid",
    "zipfile",
];

/// A name that an import binds: as its module has it, as the text has it, where the program says it.
type Bound = (String, String, Option<Span>);

/// One statement.
struct Import {
    /// Whether it is `from module import …` rather than `import module`.
    is_from: bool,
    module: String,
    names: Vec<Bound>,
    /// What of the program it stands for.
    spans: Vec<Span>,
    word: Option<Span>,
    leading: Vec<Row>,
    remark: Option<Remark>,
}

impl Import {
    fn is_standard(&self) -> bool {
        let top = self.module.split('.').next().unwrap_or_default();
        STANDARD.contains(&top)
    }

    fn code(&self) -> Code {
        let path = Py::path(&self.module, None);
        let code = if self.is_from {
            let items = self.names.iter().map(|(name, own, at)| {
                let py = Py::name(name.as_str()).at(*at);
                if name == own {
                    py
                } else {
                    py.renamed(own, *at)
                }
            });
            Code::default()
                .word("from", self.word)
                .add(path)
                .word("import", None)
                .add(Py::bare_tuple(items.collect()).softly_bracketed())
        } else {
            let code = Code::default().word("import", self.word).add(path);
            match self.names.first() {
                Some((module, own, at)) if module != own => code.word("as", None).word(own, *at),
                _ => code,
            }
        };
        self.spans
            .iter()
            .fold(code, |code, span| code.tagged(*span))
    }
}

/// The statements so far.
#[derive(Default)]
struct Imports {
    found: Vec<Import>,
    /// Comments beside declarations whose import isn't needed.
    strays: Vec<Row>,
}

impl Imports {
    /// The place of `import module`, or of the `from module import` that takes a name: one that is
    /// renamed stands alone.
    fn statement(&mut self, module: &str, name: Option<(&str, &str)>) -> &mut Import {
        let is_from = name.is_some();
        let is_renamed = |(name, own): (&str, &str)| name != own;
        let alone = !is_from || name.is_some_and(is_renamed);
        let fits = |import: &Import| {
            let has_renamed = import.names.iter().any(|(name, own, _)| name != own);
            import.is_from && import.module == module && !has_renamed
        };
        let at = match self.found.iter().position(fits) {
            Some(at) if !alone => at,
            _ => {
                self.found.push(Import {
                    is_from,
                    module: module.to_owned(),
                    names: Vec::new(),
                    spans: Vec::new(),
                    word: None,
                    leading: Vec::new(),
                    remark: None,
                });
                self.found.len() - 1
            }
        };
        &mut self.found[at]
    }

    fn name(&mut self, module: &str, name: &str, own: &str, at: Option<Span>) -> &mut Import {
        let import = self.statement(module, Some((name, own)));
        if !import.names.iter().any(|(other, ..)| other == name) {
            import.names.push((name.to_owned(), own.to_owned(), at));
        }
        import
    }

    fn rows(mut self) -> Vec<Row> {
        for import in &mut self.found {
            strand_source::sort_by_key(&mut import.names, |(name, ..)| name.clone());
        }
        strand_source::sort_by_key(&mut self.found, |import| {
            let first = import.names.first().map(|(name, ..)| name.clone());
            (
                !import.is_standard(),
                import.is_from,
                import.module.clone(),
                first,
            )
        });
        let mut rows = Vec::new();
        let mut before = None;
        for import in self.found {
            let is_standard = import.is_standard();
            if before.is_some_and(|before| before != is_standard) {
                rows.push(Row::Blank);
            }
            before = Some(is_standard);
            let code = import.code();
            rows.extend(import.leading);
            rows.push(Row::Code {
                depth: 0,
                code,
                remark: import.remark,
            });
        }
        rows.extend(self.strays);
        rows
    }
}

/// The imports; `modules` are those of the text's own. `comments` gives the comments before a
/// declaration and on its line.
pub(crate) fn import_rows<'a>(
    cx: &Context<'a>,
    modules: &[&str],
    comments: &dyn Fn(usize) -> (Vec<Row>, Option<Remark>),
) -> Vec<Row> {
    let mut imports = Imports::default();
    for module in modules {
        if *module == "nn" {
            imports.name("torch", "nn", "nn", None);
        } else {
            imports.statement(module, None);
        }
    }
    for name in cx.needs.functional.iter() {
        imports.name("torch.nn.functional", name, name, None);
    }
    for (at, item) in cx.program.order.iter().enumerate() {
        if let ItemRef::Import(_) | ItemRef::Extern(_) = item {
            let (leading, remark) = comments(at);
            declared(cx, *item, leading, remark, &mut imports);
        }
    }
    imports.rows()
}

/// The import of a module or extern function that the program declares, where the text uses it.
fn declared(
    cx: &Context<'_>,
    item: ItemRef,
    leading: Vec<Row>,
    remark: Option<Remark>,
    imports: &mut Imports,
) {
    let import = match item {
        ItemRef::Import(id) if cx.needs.imports.contains(&id.0) => {
            let found = &cx.program.imports[id.0 as usize];
            let own = &cx.names.imports[id.0 as usize];
            let at = cx.source.within(found.span).last().map(|token| token.span);
            let import = match found.module.rsplit_once('.') {
                Some((parent, last)) if last == own => imports.name(parent, last, own, at),
                _ => {
                    let import = imports.statement(&found.module, None);
                    import
                        .names
                        .push((found.module.to_string(), own.clone(), at));
                    import
                }
            };
            import.word = cx.source.find(found.span, "import");
            import.spans.push(found.span);
            import
        }
        ItemRef::Extern(id) if cx.needs.externs.contains(&id.0) => {
            let found = cx.program.external(id);
            let own = &cx.names.externs[id.0 as usize];
            let at = cx.source.find(found.span, &found.name);
            let import = imports.name(&found.module, &found.name, own, at);
            import.spans.push(found.span);
            import
        }
        _ => {
            imports.strays.extend(leading);
            imports
                .strays
                .extend(remark.map(|remark| Row::Remark { depth: 0, remark }));
            return;
        }
    };
    import.leading.extend(leading);
    match (&import.remark, remark) {
        (None, Some(remark)) => import.remark = Some(remark),
        (Some(_), Some(remark)) => import.leading.push(Row::Remark { depth: 0, remark }),
        _ => {}
    }
}

/// Whether the rows of the text name a module.
pub(crate) fn is_named<'r>(mut rows: impl Iterator<Item = &'r Row>, module: &str) -> bool {
    rows.any(|row| match row {
        Row::Verbatim(text) => text.contains(&format!("{module}.")),
        row => row.times_named(module) > 0,
    })
}
