//! What PyTorch and NumPy users write, in Strand's spelling.

mod layers;
mod make;
mod shapes;
mod spell;

use strand_ir::{Expr, Size, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::{CallArg, path_of};
use crate::context::{Checker, MESSAGE};
use crate::over::place_of;
use crate::rearrange::swap_last;
use crate::suggest::grouped;
use crate::types::torch_dtype;

use layers::Layer;
use spell::{How, Said};
pub(crate) use spell::{Spelled, Spelling, axis_of_one};

/// Modules whose functions Strand has built in.
const FOREIGN: &[&str] = &[
    "torch", "np", "numpy", "F", "nn", "jnp", "jax", "tf", "math", "einops",
];

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
        if self.globals.unavailable.contains(name) {
            return true;
        }
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
        } else if let Some(dtype) = torch_dtype(&name.name) {
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

    /// `x.shape[0]`
    pub(crate) fn shape_item(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        items: &[ast::IndexItem],
        span: Span,
    ) -> Option<Expr> {
        if &*name.name != "shape" {
            return None;
        }
        let base = self.expr(base, None);
        let Type::Tensor(tensor) = &base.ty else {
            return base.ty.is_error().then(|| self.wrong(span));
        };
        let mut finding = Diagnostic::new(
            Code::E0301,
            name.span,
            "tensors have no `shape`: sizes are the names of their axes",
        );
        if let [ast::IndexItem::Expr(at)] = items
            && let Some(text) = self.size_text(tensor, at)
        {
            finding = finding.write(span, text);
        }
        self.report(finding);
        Some(self.wrong(span))
    }

    /// `n, d = x.shape`: one finding for all of the line; says whether it was that.
    pub(crate) fn sizes_unpacked(
        &mut self,
        parts: &[ast::Target],
        target: Span,
        value: &ast::Expr,
    ) -> bool {
        let field = match &value.kind {
            ast::ExprKind::Call { callee, args, .. } if args.is_empty() => callee,
            _ => value,
        };
        let ast::ExprKind::Field { base, name } = &field.kind else {
            return false;
        };
        if !matches!(&*name.name, "shape" | "size") {
            return false;
        }
        let typed = self.silently(|checker| checker.expr(base, None));
        let Some(tensor) = typed.ty.tensor() else {
            return false;
        };
        let shape = tensor.display_shape(&self.program.symbols);
        let message = "tensors have no `shape`: sizes are the names of axes";
        let finding = Diagnostic::new(Code::E0301, name.span, message);
        let text = self.name_of(base.span);
        let mut finding = finding.note(format!("{text} is {shape}."));
        let mut lines = Some(Vec::new());
        let column = self.lines.position(target.start).column.saturating_sub(1) as usize;
        for (part, axis) in parts.iter().zip(&tensor.axes) {
            let ast::Target::Name(name) = part else {
                continue;
            };
            let size = self.known_size(&axis.size);
            if size.as_deref() == Some(&*name.name) {
                continue;
            }
            match (&mut lines, size) {
                (Some(lines), Some(size)) => lines.push(format!("{} = {size}", name.name)),
                _ => lines = None,
            }
            if self.symbol(&name.name).is_none() {
                self.bind_typed(name, Type::Error, strand_ir::LocalKind::Variable, false);
            }
        }
        if let Some(lines) = lines.filter(|_| parts.len() == tensor.rank()) {
            let gap = format!("\n{}", " ".repeat(column));
            let whole = target.to(value.span);
            let title = match lines.as_slice() {
                [] => "leave it out".to_owned(),
                lines => lines.join("; "),
            };
            let text = match lines.as_slice() {
                [] => "pass".to_owned(),
                lines => lines.join(&gap),
            };
            finding = finding.fix(title, whole, text);
        }
        self.report(finding);
        true
    }

    /// The size of the axis at a position, as an expression.
    fn size_text(&self, tensor: &TensorType, position: &ast::Expr) -> Option<String> {
        let at = place_of(position, tensor.rank())?;
        self.known_size(&tensor.axes[at].size)
    }

    fn known_size(&self, size: &Size) -> Option<String> {
        let symbols = &self.program.symbols;
        let known = |symbol| self.symbol(symbols.name(symbol)) == Some(symbol);
        let all = size.symbols().into_iter().all(known);
        all.then(|| grouped(&size.display(symbols)))
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
                if let Some(shape) = self.swapped_shape(tensor) {
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

    /// The shape with its last two axes swapped, where names say it.
    pub(crate) fn swapped_shape(&self, tensor: &TensorType) -> Option<String> {
        let rank = tensor.rank();
        if rank < 2 {
            return None;
        }
        let mut axes = tensor.axes.clone();
        swap_last(&mut axes);
        self.distinct_shape(axes)
    }

    /// A shape as `to` takes it: each size is known by name, and none stands twice.
    pub(crate) fn distinct_shape(&self, axes: Vec<strand_ir::Axis>) -> Option<String> {
        let distinct = axes
            .iter()
            .enumerate()
            .all(|(at, axis)| axes[..at].iter().all(|other| other.size != axis.size));
        let known = axes
            .iter()
            .all(|axis| self.known_size(&axis.size).is_some());
        let shape = TensorType::new(axes, strand_ops::DType::F32);
        (distinct && known).then(|| shape.display_shape(&self.program.symbols))
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
                self.spelled.push(Spelled {
                    span,
                    place,
                    spelling,
                });
            }
            Some(Said::Note(note)) => finding = finding.note(note),
            None if matches!(what, What::NoMethod(name) if name.ends_with('_')) => {
                finding = finding.note("Tensors are values: bind the name again, `x = x + 1.0`.");
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
        self.diagnostics
            .retain(|found| found.code != Code::E0301 || found.span != place);
        Some(known)
    }

    /// Whether a value is an error only for its spelling.
    pub(crate) fn is_spelled(&self, span: Span) -> bool {
        self.spelled.iter().any(|known| known.span == span)
    }

    /// Types the arguments that are Strand's too; says whether one is wrong by itself.
    fn has_wrong_argument(&mut self, name: &str, args: &[CallArg<'_>]) -> bool {
        let how = spell::how(name);
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
        let text = self.spelled[at].spelling.text.clone();
        let pairs = [
            ("max(", "argmax("),
            ("min(", "argmin("),
            ("sort(", "argsort("),
        ];
        let Some((values, places)) = pairs.iter().find(|(values, _)| text.starts_with(values))
        else {
            return false;
        };
        if !text.contains("over=") {
            return false;
        }
        let Some(known) = self.take_spelled(base) else {
            return false;
        };
        let text = match first {
            true => text,
            false => text.replacen(values, places, 1),
        };
        let what = format!("`{}` gives a tensor alone", values.trim_end_matches('('));
        let ty = known.spelling.ty.filter(|_| first);
        self.say(
            Some(Said::Written(Spelling::new(text, ty))),
            known.place,
            span,
            What::Words(&what),
        );
        true
    }

    /// `torch.softmax(x, 1)`, `np.exp(x)`, `range(n)`, `cat([x, y])`: says whether it was one.
    pub(crate) fn foreign_call(
        &mut self,
        path: &[ast::Ident],
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
        if self.globals.unavailable.contains(&path[0].name) {
            self.type_anyway(args);
            return true;
        }
        let list = written(args);
        let place = path[0].span.to(path[path.len() - 1].span);
        let name = path[path.len() - 1].name.clone();
        if path.len() == 1 {
            return self.python_call(&path[0], &list, span)
                || self.plain_foreign_call(&name, place, args, span);
        }
        if !self.is_foreign(path) {
            return false;
        }
        if is_literal_call(&name) {
            self.literal_call(place, &list, span);
            return true;
        }
        if let Some(layer) = layers::of(&name) {
            self.layer(layer, &name, place);
            return true;
        }
        let what = |label: Option<&str>, module: &str| match label {
            Some(label) if label == &*name => {
                format!("`{name}` is built in, without `{module}.`")
            }
            Some(label) => format!("Strand writes `{}` as `{label}`", place.text(self.text)),
            None => format!("Strand has no module `{module}`"),
        };
        let how = spell::how(&name);
        let what = what(how.and_then(How::label), &path[0].name);
        if self.not_available(&name, place, args) {
            return true;
        }
        if self.has_wrong_argument(&name, args) {
            return true;
        }
        let module = path[0].name.clone();
        let what = match how {
            Some(How::Op(op)) if spell::differs(&module, op, &list).is_some() => {
                let written = place.text(self.text);
                format!("Strand's `{}` isn't `{written}`", op.name())
            }
            _ => what,
        };
        let said = self.spell_call(Some(&module), &name, args);
        if said.is_none()
            && let Some(How::Op(op)) = how
        {
            // In a pipe the value comes from the left.
            let finding = Diagnostic::new(Code::E0301, place, what);
            self.report(finding.fix(format!("write `{}`", op.name()), place, op.name()));
            return true;
        }
        if said.is_none() {
            let module = path[..path.len() - 1].iter().map(|name| &*name.name);
            let module: Vec<&str> = module.collect();
            let module = module.join(".");
            let finding = Diagnostic::new(Code::E0301, place, what);
            let note = format!("Declare it: `extern fn {name}(x) from \"{module}\"`.");
            self.report(finding.note(note));
            return true;
        }
        self.say_call(said, place, span, &what);
        true
    }

    /// [`Self::say`] of a call, whose message stays short.
    fn say_call(&mut self, said: Option<Said>, place: Span, span: Span, what: &str) {
        let Some(Said::Written(spelling)) = said else {
            return self.say(said, place, span, What::Words(what));
        };
        let text = spelling.text.clone();
        let whole = self.as_part_if_open(span, &text);
        let finding = Diagnostic::new(Code::E0301, place, what);
        self.report(finding.fix(&*text, span, whole));
        self.spelled.push(Spelled {
            span,
            place,
            spelling,
        });
    }

    /// E0306 of a module's function that Strand has by its name, later.
    fn not_available(&mut self, name: &str, place: Span, args: &[CallArg<'_>]) -> bool {
        if spell::how(name).is_some() || !strand_ops::NOT_YET.contains(&name) {
            return false;
        }
        self.error(Code::E0306, place, format!("`{name}` isn't available yet"));
        self.type_anyway(args);
        true
    }

    /// The spelling of a function's call: the value is the first argument.
    fn spell_call(
        &mut self,
        module: Option<&str>,
        name: &str,
        args: &[CallArg<'_>],
    ) -> Option<Said> {
        let list = written(args);
        let takes_value = !matches!(
            spell::how(name),
            Some(How::Make(_) | How::Join(_) | How::Einsum)
        );
        if !takes_value {
            return self.spell(module, name, None, &list);
        }
        let (value, rest) = match args.split_first()? {
            (CallArg::Written(first), _) if first.name.is_none() => {
                let known = self
                    .spelled
                    .iter()
                    .find(|known| known.span == first.value.span);
                let known = known.map(|known| known.spelling.clone());
                let value = match known {
                    Some(known) => known,
                    None => {
                        let typed = self.tried(|checker| checker.expr(&first.value, None))?;
                        let text = first.value.span.text(self.text).to_owned();
                        Spelling::new(text, typed.ty.tensor().cloned())
                    }
                };
                (value, &list[1..])
            }
            _ => return None,
        };
        self.spell(module, name, Some(&value), rest)
    }

    /// `cat([x, y])`, `permute(x, 1, 0)`: a function that only PyTorch or NumPy has.
    fn plain_foreign_call(
        &mut self,
        name: &str,
        place: Span,
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
        let Some(how) = spell::how(name) else {
            return false;
        };
        if self.variable(name).is_some() || self.symbol(name).is_some() {
            return false;
        }
        if self.has_wrong_argument(name, args) {
            return true;
        }
        let Some(said) = self.spell_call(None, name, args) else {
            return false;
        };
        let what = match how.label() {
            Some(label) => format!("Strand writes `{name}` as `{label}`"),
            None => format!("there's no function named `{name}`"),
        };
        self.say_call(Some(said), place, span, &what);
        true
    }

    /// How a built-in's call in PyTorch's manner is written, for the finding about its arguments.
    pub(crate) fn call_as_written(&mut self, name: &str, args: &[CallArg<'_>]) -> Option<String> {
        match self.spell_call(None, name, args)? {
            Said::Written(spelling) => Some(spelling.text),
            Said::Note(_) => None,
        }
    }

    /// A finding about a built-in's arguments with the call in Strand's spelling, where it is one
    /// in PyTorch's manner.
    pub(crate) fn with_spelling(
        &mut self,
        finding: Diagnostic,
        call: &OpCall<'_, '_>,
    ) -> Diagnostic {
        match self.call_as_written(call.op.name, call.args) {
            Some(text) => {
                let whole = self.as_part_if_open(call.span, &text);
                finding.fix(&*text, call.span, whole)
            }
            None => finding,
        }
    }

    /// `nn.ReLU()(x)`
    pub(crate) fn layer_call(
        &mut self,
        callee: &ast::Expr,
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
        let ast::ExprKind::Call {
            callee: made,
            args: options,
            ..
        } = &callee.kind
        else {
            return false;
        };
        let Some(path) = path_of(made).filter(|path| path.len() > 1) else {
            return false;
        };
        let name = path[path.len() - 1].name.clone();
        let Some(layer) = layers::of(&name).filter(|_| self.is_foreign(&path)) else {
            return false;
        };
        let Layer::Function(function) = layer else {
            self.layer(layer, &name, made.span);
            self.type_anyway(args);
            return true;
        };
        let options: Vec<CallArg<'_>> = options.iter().map(CallArg::Written).collect();
        let all: Vec<CallArg<'_>> = args
            .iter()
            .chain(&options)
            .filter_map(|arg| match arg {
                CallArg::Written(arg) => Some(CallArg::Written(arg)),
                _ => None,
            })
            .collect();
        if self.has_wrong_argument(function, &all) {
            return true;
        }
        let said = self.spell_call(None, function, &all);
        let what = format!(
            "Strand writes `{}` as `{function}`",
            made.span.text(self.text)
        );
        self.say_call(said, made.span, span, &what);
        true
    }

    /// A layer of torch.nn by itself.
    fn layer(&mut self, layer: Layer, name: &str, place: Span) {
        let note = match layer {
            Layer::Function(function) => format!("It is a function: `{function}(x)`."),
            Layer::Note(note) => note.to_owned(),
        };
        let message = format!("Strand has no layer `{name}`");
        let finding = Diagnostic::new(Code::E0301, place, message);
        self.report(finding.note(note));
    }

    fn as_part_if_open(&self, span: Span, text: &str) -> String {
        if text.contains(" @ ") || text.contains(" to ") {
            self.as_part(span, text)
        } else {
            text.to_owned()
        }
    }

    /// `torch.tensor([1, 2])`, `np.array([1, 2], dtype=np.float32)`
    fn literal_call(&mut self, place: Span, args: &[&ast::Arg], span: Span) {
        let Some((first, rest)) = args.split_first() else {
            return self.error(Code::E0301, place, literal_message(place.text(self.text)));
        };
        let typed = self.expr(&first.value, None);
        if typed.ty.is_error() {
            return;
        }
        let message = literal_message(place.text(self.text));
        let mut finding = Diagnostic::new(Code::E0301, place, message);
        let value = first.value.span.text(self.text).to_owned();
        let dtype = rest.iter().find_map(|arg| {
            let keyword = arg.name.as_ref().map(|name| &*name.name);
            let path = path_of(&arg.value).filter(|_| keyword == Some("dtype"))?;
            let last = &path.last()?.name;
            torch_dtype(last).or_else(|| strand_ops::DType::parse(last).map(|d| d.as_str()))
        });
        let written = match dtype {
            Some(dtype) if typed.ty.tensor().map(|ty| ty.dtype.as_str()) != Some(dtype) => {
                format!("{} to {dtype}", grouped(&value))
            }
            _ => value,
        };
        if rest.len() == usize::from(dtype.is_some()) {
            let text = self.as_part_if_open(span, &written);
            finding = finding.fix(&*written, span, text);
        }
        self.report(finding);
    }

    /// Python's own functions.
    fn python_call(&mut self, name: &ast::Ident, args: &[&ast::Arg], span: Span) -> bool {
        if is_literal_call(&name.name) {
            self.literal_call(name.span, args, span);
            return true;
        }
        let text = |at: usize| args.get(at).map(|arg| arg.value.span.text(self.text));
        let mut finding = Diagnostic::new(
            Code::E0301,
            name.span,
            format!("there's no function named `{}`", name.name),
        );
        match (&*name.name, args.len()) {
            ("range", 1..=2) => {
                let range = match (text(0), text(1)) {
                    (Some(end), None) => format!("0..{}", grouped(end)),
                    (Some(start), Some(end)) => format!("{}..{}", grouped(start), grouped(end)),
                    _ => return false,
                };
                finding.message = "Strand writes a range `a..b`".to_owned();
                finding = finding.write(span, range);
            }
            ("float" | "int" | "bool", 1) => {
                let dtype = match &*name.name {
                    "float" => "f32",
                    "int" => "i64",
                    _ => "bool",
                };
                let value = grouped(args[0].value.span.text(self.text));
                let written = format!("{value} to {dtype}");
                finding.message = format!("Strand converts with `to {dtype}`");
                let text = self.as_operand(span, &written);
                finding = finding.fix(&*written, span, text);
            }
            _ => return false,
        }
        self.report(finding);
        true
    }
}

/// Whether PyTorch or NumPy calls so what makes a tensor of lists.
fn is_literal_call(name: &str) -> bool {
    matches!(name, "tensor" | "array" | "as_tensor" | "asarray")
}

fn literal_message(written: &str) -> String {
    format!("a tensor is written as a literal, without `{written}`")
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
