//! What PyTorch and NumPy users write, in Strand's spelling.

use strand_ir::{Expr, Size, TensorType, Type};
use strand_ops::{Class, OpId};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::calls::{CallArg, path_of};
use crate::context::Checker;
use crate::suggest::grouped;
use crate::types::torch_dtype;

/// Modules whose functions Strand has built in.
const FOREIGN: &[&str] = &[
    "torch", "np", "numpy", "F", "nn", "jnp", "jax", "tf", "math",
];

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
        if let Some(dtype) = torch_dtype(&name.name) {
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

    /// The size of the axis at a position, as an expression.
    fn size_text(&self, tensor: &TensorType, position: &ast::Expr) -> Option<String> {
        let position = self.position(position)?;
        let at = if position < 0 {
            position + tensor.rank() as i64
        } else {
            position
        };
        let axis = tensor.axes.get(usize::try_from(at).ok()?)?;
        self.known_size(&axis.size)
    }

    fn known_size(&self, size: &Size) -> Option<String> {
        let symbols = &self.program.symbols;
        let known = |symbol| self.symbol(symbols.name(symbol)) == Some(symbol);
        let all = size.symbols().into_iter().all(known);
        all.then(|| grouped(&size.display(symbols)))
    }

    fn position(&self, expr: &ast::Expr) -> Option<i64> {
        match &expr.kind {
            ast::ExprKind::Int(value) => Some(*value),
            ast::ExprKind::Paren(inner) => self.position(inner),
            ast::ExprKind::Unary {
                op: ast::UnaryOp::Neg,
                operand,
            } => self.position(operand)?.checked_neg(),
            _ => None,
        }
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
            }
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
        axes.swap(rank - 1, rank - 2);
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
        let Some(tensor) = base.ty.tensor().cloned() else {
            return;
        };
        let found = self.diagnostics.len();
        self.type_anyway(args);
        if self.diagnostics.len() > found {
            return;
        }
        let text = base.span.text(self.text).to_owned();
        let mut finding = Diagnostic::new(
            Code::E0301,
            name.span,
            format!("tensors have no method `{}`", name.name),
        );
        let written = self.method_text(&text, &tensor, &name.name, args);
        match written {
            Some(written) => {
                finding.message = format!("tensors have no methods: write `{written}`");
                if finding.message.chars().count() > 80 {
                    finding.message = format!("tensors have no method `{}`", name.name);
                }
                let as_text = if written.contains(" to ") || written.contains(" @ ") {
                    self.as_part(span, &written)
                } else {
                    written.clone()
                };
                finding = finding.fix(&*written, span, as_text);
            }
            None => {
                let note = match &*name.name {
                    "view" | "reshape" | "permute" | "transpose" | "flatten" | "squeeze" => {
                        "`x to [D n]` rearranges: it permutes, merges, splits and drops axes."
                    }
                    "numpy" | "tolist" | "detach" | "cpu" | "cuda" | "contiguous" | "clone" => {
                        "It isn't needed: tensors are values."
                    }
                    _ => "Operations are functions: `sum(x, over=n)`.",
                };
                finding = finding.note(note);
            }
        }
        self.report(finding);
    }

    /// Strand's spelling of a method of a tensor.
    fn method_text(
        &self,
        text: &str,
        tensor: &TensorType,
        name: &str,
        args: &[CallArg<'_>],
    ) -> Option<String> {
        let value = grouped(text);
        let written: Vec<&ast::Arg> = args
            .iter()
            .filter_map(|arg| match arg {
                CallArg::Written(arg) => Some(*arg),
                CallArg::Typed(_) | CallArg::Keyed(..) => None,
            })
            .collect();
        match (name, written.as_slice()) {
            ("t", []) | ("transpose" | "swapaxes" | "permute", [_, _]) if tensor.rank() == 2 => {
                return Some(match self.swapped_shape(tensor) {
                    Some(shape) => format!("{value} to {shape}"),
                    None => format!("transpose({text})"),
                });
            }
            ("unsqueeze", [at]) => {
                let at = self.position(&at.value)?;
                let rank = tensor.rank() as i64;
                let at = if at < 0 { at + rank + 1 } else { at };
                return match at {
                    0 => Some(format!("{value}[newaxis]")),
                    _ if at == rank => Some(format!("{value}[..., newaxis]")),
                    _ if (1..rank).contains(&at) => {
                        let before = vec![".."; at as usize].join(", ");
                        Some(format!("{value}[{before}, newaxis]"))
                    }
                    _ => None,
                };
            }
            ("size", [at]) => return self.size_text(tensor, &at.value),
            ("dim" | "ndimension", []) => return Some(tensor.rank().to_string()),
            ("matmul" | "mm" | "mv" | "bmm", [other]) => {
                let other = grouped(other.value.span.text(self.text));
                return Some(format!("{value} @ {other}"));
            }
            ("to" | "type" | "astype", [dtype]) => {
                let path = path_of(&dtype.value)?;
                let name = &path.last()?.name;
                let dtype = torch_dtype(name)
                    .or_else(|| strand_ops::DType::parse(name).map(strand_ops::DType::as_str))?;
                return Some(format!("{value} to {dtype}"));
            }
            ("float" | "double" | "half" | "bfloat16" | "long" | "short" | "byte", []) => {
                return Some(format!("{value} to {}", torch_dtype(name)?));
            }
            ("int", []) => return Some(format!("{value} to i32")),
            ("bool", []) => return Some(format!("{value} to bool")),
            ("clone" | "contiguous" | "detach" | "cpu" | "numpy", []) => {
                return Some(text.to_owned());
            }
            _ => {}
        }
        let op = known_as(name)?;
        self.call_text(op, text, Some(tensor), &written)
    }

    /// A built-in's call with the arguments of PyTorch's: `dim=` and positions become `over=`.
    fn call_text(
        &self,
        op: OpId,
        first: &str,
        tensor: Option<&TensorType>,
        rest: &[&ast::Arg],
    ) -> Option<String> {
        let row = op.op();
        let mut parts = vec![first.to_owned()];
        for arg in rest {
            let text = arg.value.span.text(self.text);
            match &arg.name {
                Some(name) if matches!(&*name.name, "dim" | "axis" | "over") => {
                    let over = self.position_text(tensor?, &arg.value)?;
                    parts.push(format!("over={over}"));
                }
                Some(name) if row.params.iter().any(|param| param.name == &*name.name) => {
                    parts.push(format!("{}={text}", name.name));
                }
                Some(name) if matches!(&*name.name, "min" | "max") && op == OpId::Clamp => {
                    parts.push(text.to_owned());
                }
                Some(_) => return None,
                None if row.takes_over() => {
                    let over = self.position_text(tensor?, &arg.value)?;
                    parts.push(format!("over={over}"));
                }
                None => parts.push(text.to_owned()),
            }
        }
        if let (Class::Elementwise { arity }, true) = (row.class, op != OpId::Clamp)
            && parts.len() != arity as usize
        {
            return None;
        }
        Some(format!("{}({})", row.name, parts.join(", ")))
    }

    /// `torch.softmax(x, 1)`, `np.exp(x)`, `range(n)`, `len(x)`: says whether it was one of these.
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
        let written: Vec<&ast::Arg> = args
            .iter()
            .filter_map(|arg| match arg {
                CallArg::Written(arg) => Some(*arg),
                CallArg::Typed(_) | CallArg::Keyed(..) => None,
            })
            .collect();
        let place = path[0].span.to(path[path.len() - 1].span);
        if path.len() == 1 {
            return self.python_call(&path[0], &written, span);
        }
        if !self.is_foreign(path) {
            return false;
        }
        let name = path[path.len() - 1].name.clone();
        if is_literal_call(&name) {
            self.literal_call(place, &written, span);
            return true;
        }
        let found = self.diagnostics.len();
        self.type_anyway(args);
        if self.diagnostics.len() > found {
            return true;
        }
        let mut finding = Diagnostic::new(
            Code::E0301,
            place,
            format!("Strand has no module `{}`", path[0].name),
        );
        let whole = self.module_call_text(&name, &written);
        if let Some(whole) = whole {
            finding.message = format!("`{}` is built in, without `{}.`", whole.0, path[0].name);
            let text = self.as_part_if_open(span, &whole.1);
            finding = finding.fix(&*whole.1, span, text);
        } else if let Some(op) = known_as(&name) {
            // In a pipe the value comes from the left.
            let name = op.name();
            finding.message = format!("`{name}` is built in, without `{}.`", path[0].name);
            finding = finding.write(place, name);
        } else {
            let module = path[..path.len() - 1].iter().map(|name| &*name.name);
            let module: Vec<&str> = module.collect();
            finding = finding.note(format!(
                "Declare it: `extern fn {name}(x) from \"{}\"`.",
                module.join(".")
            ));
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

    /// Strand's name and spelling of a call of PyTorch's or NumPy's function.
    fn module_call_text(&mut self, name: &str, args: &[&ast::Arg]) -> Option<(String, String)> {
        let (first, rest) = args.split_first()?;
        let value = first.value.span.text(self.text).to_owned();
        if let ("matmul" | "mm" | "mv" | "bmm" | "dot", [other]) = (name, rest) {
            let other = grouped(other.value.span.text(self.text));
            return Some(("@".to_owned(), format!("{} @ {other}", grouped(&value))));
        }
        let typed = self.silently(|checker| checker.expr(&first.value, None));
        let rank = typed.ty.tensor().map_or(0, TensorType::rank);
        if matches!(name, "t" | "transpose" | "swapaxes") && rank == 2 {
            return Some(("transpose".to_owned(), format!("transpose({value})")));
        }
        let op = known_as(name)?;
        let text = self.call_text(op, &value, typed.ty.tensor(), rest)?;
        Some((op.name().to_owned(), text))
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

/// The operation that PyTorch or NumPy calls so.
fn known_as(name: &str) -> Option<OpId> {
    let other = match name {
        "mul" => Some(OpId::Mul),
        "div" | "true_divide" => Some(OpId::Div),
        "subtract" => Some(OpId::Sub),
        "negative" => Some(OpId::Neg),
        "absolute" | "fabs" => Some(OpId::Abs),
        "amax" => Some(OpId::Max),
        "amin" => Some(OpId::Min),
        "power" => Some(OpId::Pow),
        "clip" => Some(OpId::Clamp),
        "arcsin" => Some(OpId::Asin),
        "arccos" => Some(OpId::Acos),
        "arctan" => Some(OpId::Atan),
        "arctan2" => Some(OpId::Atan2),
        "count_nonzero" => Some(OpId::Count),
        "vector_norm" => Some(OpId::Norm),
        "mod" => Some(OpId::Remainder),
        _ => None,
    };
    let usable = |op: &strand_ops::Op| {
        matches!(
            op.class,
            Class::Elementwise { .. } | Class::Reduce { .. } | Class::ArgReduce | Class::Along
        ) || op.id == OpId::Item
    };
    other.or_else(|| {
        strand_ops::find(name)
            .filter(|op| usable(op))
            .map(|op| op.id)
    })
}
