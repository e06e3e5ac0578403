//! What PyTorch and NumPy users write, in Strand's spelling.

mod calls;
mod layers;
mod make;
mod rows;
mod shapes;
mod sizes;
mod spell;

use strand_ir::{Expr, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::{ast, module_dtype};

use crate::calls::{CallArg, path_of};
use crate::context::{Checker, MESSAGE};
use crate::suggest::grouped;

use rows::How;
use spell::Said;
pub(crate) use spell::{Spelled, Spelling, axis_of_one};

/// Modules whose functions Strand has built in.
const FOREIGN: &[&str] = &[
    "torch", "np", "numpy", "F", "nn", "jnp", "jax", "tf", "math", "einops",
];

/// What a fix keeps where PyTorch gives a pair.
const ALONE: &str = "the values alone";

/// What isn't there as it is written.
#[derive(Clone, Copy)]
enum What<'w> {
    /// A tensor's method of this name.
    NoMethod(&'w str),
    /// A method that changes nothing of a value.
    Needless(&'w str),
    Words(&'w str),
}

impl What<'_> {
    fn message(self) -> String {
        match self {
            Self::NoMethod(name) => format!("tensors have no method `{name}`"),
            Self::Needless(name) => format!("`{name}` isn't needed: tensors are values"),
            Self::Words(words) => words.to_owned(),
        }
    }
}

impl Checker<'_> {
    /// `True`, `None` and the like as values; says whether it was one.
    pub(crate) fn foreign_name(&mut self, name: &ast::Name, span: Span) -> bool {
        let finding = |message: &str| Diagnostic::new(Code::E0301, span, message);
        let finding = match &**name {
            "True" => finding("Strand writes `True` as `true`").write(span, "true"),
            "False" => finding("Strand writes `False` as `false`").write(span, "false"),
            "__name__" => finding("a script's statements just stand at the top level"),
            "None" => finding("there's no `None` in Strand")
                .note("An axis of size 1 is `newaxis`; a value that isn't there has no name."),
            module if FOREIGN.contains(&module) => {
                let message = format!("`{module}` isn't needed: its functions are built in");
                finding(&message)
                    .note("Other Python modules come in with `import python \"m\" as m`.")
            }
            _ => return false,
        };
        self.report(finding);
        true
    }

    /// `torch.float32`, `np.pi`: a name of a module that isn't imported.
    pub(crate) fn foreign_field(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        span: Span,
    ) -> bool {
        let Some(path) = path_of(base) else {
            return false;
        };
        if !self.is_foreign(&path) {
            return false;
        }
        let text = span.text(self.text);
        let mut finding = Diagnostic::new(
            Code::E0301,
            span,
            format!(
                "`{text}` isn't known: Strand has no module `{}`",
                path[0].name
            ),
        );
        if &*name.name == "newaxis" {
            finding.message = format!("Strand writes `{text}` as `newaxis`");
            finding = finding.write(span, "newaxis");
        } else if let Some(dtype) = module_dtype(&path[0].name, &name.name) {
            finding.message = format!("Strand writes `{text}` as `{dtype}`, in types");
        } else {
            let number = match &*name.name {
                "pi" => Some("3.141592653589793"),
                "e" => Some("2.718281828459045"),
                _ => None,
            };
            if let Some(number) = number {
                finding = finding.write(span, number);
            }
        }
        self.report(finding);
        true
    }

    fn is_foreign(&self, path: &[ast::Ident]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        FOREIGN.contains(&&*first.name)
            && self.variable(&first.name).is_none()
            && self.symbol(&first.name).is_none()
            && !self.globals.imports.contains_key(&first.name)
    }

    /// A field of a tensor: there are none.
    pub(crate) fn tensor_field(&mut self, base: &Expr, name: &ast::Ident, span: Span) {
        let Some(tensor) = base.ty.tensor() else {
            return;
        };
        let text = grouped(base.span.text(self.text));
        let mut finding = Diagnostic::new(
            Code::E0301,
            name.span,
            format!("tensors have no field `{}`", name.name),
        );
        match &*name.name {
            "T" | "mT" | "H" | "mH" => {
                finding.message = format!("Strand writes `{}` as `to` with the axes", name.name);
                // `T` has all axes in reverse, the others the last two.
                let shape = match &*name.name {
                    "T" => self.distinct_shape(tensor.axes.iter().rev().cloned().collect()),
                    _ => self.swapped_shape(tensor),
                };
                if let Some(shape) = shape.filter(|_| tensor.rank() > 1) {
                    let written = format!("{text} to {shape}");
                    finding = finding.fix(&*written, span, self.as_operand(span, &written));
                } else if tensor.rank() == 2 || (tensor.rank() > 2 && name.name.starts_with('m')) {
                    let written = format!("transpose({})", base.span.text(self.text));
                    finding.message = format!("Strand writes `{}` as `transpose(x)`", name.name);
                    finding = finding.write(span, written);
                }
            }
            "shape" => {
                finding.message = "tensors have no `shape`: sizes are the names of axes".to_owned();
                finding = finding.note("`x as [n D]` states a shape, and is checked.");
            }
            "data" => finding = finding.fix(&*text, span, text.clone()),
            "ndim" => {
                let rank = tensor.rank().to_string();
                finding = finding.write(span, rank);
            }
            "dtype" | "device" | "grad" => {
                finding = finding.note("The type says the dtype; it is known before running.");
            }
            _ => finding = finding.note(format!("Functions stand before it: `f({text})`.")),
        }
        self.report(finding);
    }

    /// A conversion in the place of `span`: in parentheses where something binds tighter.
    fn as_operand(&self, span: Span, text: &str) -> String {
        let after = self.text.get(span.end as usize..).unwrap_or("");
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let tighter = after.starts_with(['[', '.', '(']) || after.trim_start().starts_with("**");
        let signed = before.trim_end().ends_with(['-']);
        if tighter || signed {
            format!("({text})")
        } else {
            text.to_owned()
        }
    }

    /// `x.sum(-1)`, `x.view(…)`: a method of a tensor.
    pub(crate) fn tensor_method(
        &mut self,
        base: &Expr,
        name: &ast::Ident,
        args: &[CallArg<'_>],
        span: Span,
    ) {
        let known = self.take_spelled(base.span);
        let value = match (&base.ty, known) {
            (_, Some(known)) => known.spelling,
            (Type::Tensor(ty), None) => {
                Spelling::new(base.span.text(self.text).to_owned(), Some(ty.clone()))
            }
            _ => return,
        };
        if self.has_wrong_argument(&name.name, args) {
            return;
        }
        let said = self.spell(None, &name.name, Some(&value), &written(args));
        let needless =
            matches!(&said, Some(Said::Written(spelling)) if spelling.text == value.text);
        let what = match needless {
            true => What::Needless(&name.name),
            false => What::NoMethod(&name.name),
        };
        self.say(said, name.span, span, what);
    }

    /// Reports what is spelled otherwise: `what` says what isn't there.
    fn say(&mut self, said: Option<Said>, place: Span, span: Span, what: What<'_>) {
        let mut finding = Diagnostic::new(Code::E0301, place, what.message());
        match said {
            Some(Said::Written(spelling)) => {
                let text = spelling.text.clone();
                let message = match what {
                    What::Needless(_) => None,
                    What::NoMethod(_) => Some(format!("tensors have no methods: write `{text}`")),
                    What::Words(words) => Some(format!("{words}: write `{text}`")),
                };
                let short = message.filter(|message| message.chars().count() <= MESSAGE);
                if let Some(message) = short {
                    finding.message = message;
                }
                let whole = self.as_part_if_open(span, &text);
                finding = finding.fix(&*text, span, whole);
                if spelling.is_pair {
                    finding = finding.meaning(ALONE);
                }
                self.spelled.push(Spelled {
                    span,
                    place,
                    spelling,
                });
            }
            Some(Said::Note(note)) => finding = finding.note(note),
            Some(Said::Hidden(name)) => finding = hides(place, &name),
            None if matches!(what, What::NoMethod(name) if name.ends_with('_')) => {
                finding = finding.note("Tensors are values: bind the name again, `x = x + 1.0`.");
            }
            None if self.body.untyped => {
                finding = finding
                    .note("Give the parameters types, as `x: [n D]`: then it says what to write.");
            }
            None => finding = finding.note("Operations are functions: `sum(x, over=n)`."),
        }
        self.report(finding);
    }

    /// What is spelled otherwise at a place, with the finding about it taken back: the one about
    /// what stands around it says all.
    fn take_spelled(&mut self, span: Span) -> Option<Spelled> {
        let at = self.spelled.iter().rposition(|known| known.span == span)?;
        let known = self.spelled.remove(at);
        let place = known.place;
        let mut found = self.diagnostics.iter();
        if let Some(at) = found.rposition(|one| one.code == Code::E0301 && one.span == place) {
            self.diagnostics.remove(at);
        }
        Some(known)
    }

    /// Whether a value is an error only for its spelling.
    pub(crate) fn is_spelled(&self, span: Span) -> bool {
        self.spelled.iter().any(|known| known.span == span)
    }

    /// Types the arguments that are Strand's too; says whether one is wrong by itself.
    fn has_wrong_argument(&mut self, name: &str, args: &[CallArg<'_>]) -> bool {
        let how = rows::how(name);
        if matches!(
            how,
            Some(How::To | How::Make(_) | How::Join(_) | How::Reshape)
        ) {
            return false;
        }
        let mut wrong = false;
        for arg in args {
            let CallArg::Written(arg) = arg else { continue };
            let is_dim = arg.name.as_ref().is_some_and(|name| {
                matches!(
                    &*name.name,
                    "dim"
                        | "dims"
                        | "axis"
                        | "axes"
                        | "over"
                        | "dtype"
                        | "device"
                        | "keepdim"
                        | "keepdims"
                )
            });
            let is_list = matches!(
                arg.value.kind,
                ast::ExprKind::Tuple(_) | ast::ExprKind::Literal(_)
            );
            let text = arg.value.span.text(self.text);
            if is_dim || is_list || matches!(text, "True" | "False" | "None") {
                continue;
            }
            let found = self.diagnostics.len();
            self.expr(&arg.value, None);
            if self.diagnostics.len() > found && !self.is_spelled(arg.value.span) {
                wrong = true;
            }
        }
        if !wrong {
            // They are part of what is said of the whole.
            for arg in args {
                if let CallArg::Written(arg) = arg
                    && self.is_spelled(arg.value.span)
                    && let Some(known) = self.take_spelled(arg.value.span)
                {
                    self.spelled.push(known);
                }
            }
        }
        wrong
    }

    /// `x.max(1)[0]`, `x.max(1).values`: a part of the pair that PyTorch gives.
    pub(crate) fn part_of_pair(&mut self, base: Span, first: bool, span: Span) -> bool {
        let Some(at) = self.spelled.iter().rposition(|known| known.span == base) else {
            return false;
        };
        let spelling = &self.spelled[at].spelling;
        if !spelling.is_pair {
            return false;
        }
        let text = spelling.text.clone();
        let Some(known) = self.take_spelled(base) else {
            return false;
        };
        let name = text.split('(').next().unwrap_or("");
        let what = format!("`{name}` gives a tensor alone");
        let places = match name {
            _ if first => Some(name),
            "max" => Some("argmax"),
            "min" => Some("argmin"),
            "sort" => Some("argsort"),
            _ => None,
        };
        let said = match places {
            Some(places) if self.is_own(places) => Said::Hidden(places.to_owned()),
            Some(places) => {
                let ty = known.spelling.ty.filter(|_| first);
                Said::Written(Spelling::new(text.replacen(name, places, 1), ty))
            }
            None => Said::Note(format!(
                "Strand has no function for the places of `{name}`."
            )),
        };
        self.say(Some(said), known.place, span, What::Words(&what));
        true
    }

    /// `x[range(n), c]`: beside other positions a range lists them, it is no slice.
    pub(crate) fn range_of_positions(&mut self, items: &[ast::IndexItem]) -> bool {
        let mut positions = items.iter().filter_map(|item| match item {
            ast::IndexItem::Expr(value) => Some(value),
            _ => None,
        });
        let range = positions.clone().find(|value| match &value.kind {
            ast::ExprKind::Call { callee, args, .. } => {
                let is_named = args.iter().any(|arg| arg.name.is_some());
                callee.span.text(self.text) == "range" && !is_named && args.len() < 3
            }
            _ => false,
        });
        let Some(range) = range.filter(|_| positions.nth(1).is_some() && !self.is_own("range"))
        else {
            return false;
        };
        let message = "Strand writes positions beside others as `arange`";
        let mut finding = Diagnostic::new(Code::E0301, range.span, message);
        if self.is_own("arange") {
            finding = hides(range.span, "arange");
        } else {
            let text = range.span.text(self.text);
            finding = finding.write(range.span, format!("a{text}"));
        }
        self.report(finding);
        true
    }

    fn as_part_if_open(&self, span: Span, text: &str) -> String {
        if text.contains(" @ ") || text.contains(" to ") {
            self.as_part(span, text)
        } else {
            text.to_owned()
        }
    }
}

/// The arguments that stand in the text.
fn written<'a>(args: &[CallArg<'a>]) -> Vec<&'a ast::Arg> {
    args.iter()
        .filter_map(|arg| match arg {
            CallArg::Written(arg) => Some(*arg),
            CallArg::Typed(_) | CallArg::Keyed(..) => None,
        })
        .collect()
}

/// Of a built-in that can't be called, since the program declares its name.
fn hides(place: Span, name: &str) -> Diagnostic {
    let message = format!("the program's own `{name}` hides the built-in");
    Diagnostic::new(Code::E0301, place, message).note(format!(
        "Give it another name: `{name}` is then the built-in."
    ))
}
