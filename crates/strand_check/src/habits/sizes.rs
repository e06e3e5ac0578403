//! Shapes as PyTorch reads them, `x.shape[0]`, and what is known of sizes by name.

use strand_ir::{Expr, Size, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::context::Checker;
use crate::over::place_of;
use crate::rearrange::swap_last;
use crate::suggest::grouped;

impl Checker<'_> {
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
    pub(super) fn size_text(&self, tensor: &TensorType, position: &ast::Expr) -> Option<String> {
        let at = place_of(position, tensor.rank())?;
        self.known_size(&tensor.axes[at].size)
    }

    pub(super) fn known_size(&self, size: &Size) -> Option<String> {
        let symbols = &self.program.symbols;
        let known = |symbol| self.symbol(symbols.name(symbol)) == Some(symbol);
        let all = size.symbols().into_iter().all(known);
        all.then(|| grouped(&size.display(symbols)))
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
}
