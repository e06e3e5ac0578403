//! Calls of PyTorch's, NumPy's and Python's functions.

use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::CallArg;
use crate::context::Checker;
use crate::suggest::grouped;

use super::layers;
use super::rows::{How, differs, how};
use super::spell::{Said, Spelled, Spelling, dtype_of};
use super::{ALONE, What, hides, written};

impl Checker<'_> {
    /// `torch.softmax(x, 1)`, `np.exp(x)`, `range(n)`, `cat([x, y])`: says whether it was one.
    pub(crate) fn foreign_call(
        &mut self,
        path: &[ast::Ident],
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
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
        let how = how(&name);
        let what = what(how.and_then(How::label), &path[0].name);
        if self.has_wrong_argument(&name, args) {
            return true;
        }
        let module = path[0].name.clone();
        let what = match how {
            Some(How::Op(op)) if differs(&module, op, &list).is_some() => {
                let written = place.text(self.text);
                format!("Strand's `{}` isn't `{written}`", op.name())
            }
            _ => what,
        };
        let said = self.spell_call(Some(&module), &name, args);
        if said.is_none()
            && let Some(How::Op(op)) = how
        {
            if self.is_own(op.name()) {
                self.report(hides(place, op.name()));
                return true;
            }
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
    pub(super) fn say_call(&mut self, said: Option<Said>, place: Span, span: Span, what: &str) {
        let Some(Said::Written(spelling)) = said else {
            return self.say(said, place, span, What::Words(what));
        };
        let text = spelling.text.clone();
        let whole = self.as_part_if_open(span, &text);
        let mut finding = Diagnostic::new(Code::E0301, place, what).fix(&*text, span, whole);
        if spelling.is_pair {
            finding = finding.meaning(ALONE);
        }
        self.report(finding);
        self.spelled.push(Spelled {
            span,
            place,
            spelling,
        });
    }

    /// The spelling of a function's call: the value is the first argument.
    pub(super) fn spell_call(
        &mut self,
        module: Option<&str>,
        name: &str,
        args: &[CallArg<'_>],
    ) -> Option<Said> {
        let list = written(args);
        let takes_value = !matches!(how(name), Some(How::Make(_) | How::Join(_) | How::Einsum));
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
    pub(super) fn plain_foreign_call(
        &mut self,
        name: &str,
        place: Span,
        args: &[CallArg<'_>],
        span: Span,
    ) -> bool {
        let Some(how) = how(name) else {
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
            Said::Note(_) | Said::Hidden(_) => None,
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

    /// `torch.tensor([1, 2])`, `np.array([1, 2], dtype=np.float32)`
    pub(super) fn literal_call(&mut self, place: Span, args: &[&ast::Arg], span: Span) {
        let Some((first, rest)) = args.split_first() else {
            return self.error(Code::E0301, place, literal_message(place.text(self.text)));
        };
        let value = self.as_literal(&first.value);
        let is_plain = value == first.value.span.text(self.text);
        let typed = match is_plain {
            true => self.expr(&first.value, None),
            false => self.wrong(first.value.span),
        };
        if typed.ty.is_error() && is_plain {
            return;
        }
        let message = literal_message(place.text(self.text));
        let mut finding = Diagnostic::new(Code::E0301, place, message);
        let dtype = rest.iter().find_map(|arg| {
            let keyword = arg.name.as_ref().map(|name| &*name.name);
            dtype_of(&arg.value).filter(|_| keyword == Some("dtype"))
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

    /// What a tensor is made of, where Python's tuples are lists too.
    fn as_literal(&self, value: &ast::Expr) -> String {
        match &value.kind {
            ast::ExprKind::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.as_literal(part)).collect();
                format!("[{}]", parts.join(", "))
            }
            ast::ExprKind::Literal(parts)
                if parts
                    .iter()
                    .any(|part| matches!(part.kind, ast::ExprKind::Tuple(_))) =>
            {
                let parts: Vec<String> = parts.iter().map(|part| self.as_literal(part)).collect();
                format!("[{}]", parts.join(", "))
            }
            _ => value.span.text(self.text).to_owned(),
        }
    }

    /// Python's own functions.
    pub(super) fn python_call(
        &mut self,
        name: &ast::Ident,
        args: &[&ast::Arg],
        span: Span,
    ) -> bool {
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
