//! PyTorch's and NumPy's ways to make a tensor.

use strand_ops::{DType, OpId};
use strand_syntax::ast;

use super::shapes::flat;
use super::spell::{Rest, Spelling, dtype_of};
use crate::context::Checker;

impl Checker<'_> {
    /// `zeros(n, D)`, `full((n, D), 1.0)`, `randn(n, D)`, `arange(n)`, `eye(n)`
    pub(super) fn made_text(
        &self,
        op: OpId,
        value: Option<&Spelling>,
        rest: &Rest<'_>,
    ) -> Option<Spelling> {
        if value.is_some() {
            return None;
        }
        let mut dtype = None;
        for arg in rest {
            match arg.name.as_ref().map(|name| &*name.name) {
                None | Some("device" | "requires_grad" | "generator" | "size" | "shape") => {}
                Some("dtype") => dtype = Some(dtype_of(&arg.value)?),
                Some("fill_value" | "seed") => {}
                Some(_) => return None,
            }
        }
        if matches!(op, OpId::Arange | OpId::Eye) {
            let mut args: Vec<String> = flat(rest).iter().map(|arg| self.source_of(arg)).collect();
            if op == OpId::Arange && args.len() == 2 && args[0] == "0" {
                args.remove(0);
            }
            let text = format!("{}({})", op.name(), args.join(", "));
            let most = if op == OpId::Arange { 2 } else { 1 };
            return (args.len() <= most).then(|| Spelling::new(text, None));
        }
        let mut rest: Vec<&ast::Arg> = rest.to_vec();
        let fill = if op == OpId::Full {
            let at = rest.iter().position(|arg| {
                arg.name
                    .as_ref()
                    .is_some_and(|name| &*name.name == "fill_value")
            });
            let at = at.or_else(|| rest.iter().rposition(|arg| arg.name.is_none()))?;
            Some(self.source(rest.remove(at)))
        } else {
            None
        };
        let axes: Option<Vec<String>> = flat(&rest)
            .iter()
            .map(|part| self.axis_text(part))
            .collect();
        let axes = axes?;
        let mut shape = format!("[{}]", axes.join(" "));
        if let Some(dtype) = dtype.filter(|dtype| *dtype != "f32") {
            shape.push_str(&format!(" {dtype}"));
        }
        Some(Spelling::new(
            constructed(op, &shape, fill.as_deref()),
            None,
        ))
    }

    /// An axis of a shape from an argument that is its size.
    fn axis_text(&self, size: &ast::Expr) -> Option<String> {
        Some(match &size.kind {
            ast::ExprKind::Int(number) if *number > 0 => number.to_string(),
            ast::ExprKind::Name(name) if self.symbol(name).is_some() => name.to_string(),
            ast::ExprKind::Binary { .. } => format!("({})", size.span.text(self.text)),
            ast::ExprKind::Paren(_) => size.span.text(self.text).to_owned(),
            _ => return None,
        })
    }

    /// `zeros_like(x)`
    pub(super) fn like_text(&self, op: OpId, value: &Spelling) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let known = ty
            .axes
            .iter()
            .all(|axis| self.known_size(&axis.size).is_some());
        if !known {
            return None;
        }
        let mut shape = ty.display_shape(&self.program.symbols);
        if ty.dtype != DType::F32 {
            shape.push_str(&format!(" {}", ty.dtype));
        }
        Some(Spelling::new(
            constructed(op, &shape, None),
            Some(ty.clone()),
        ))
    }
}

fn constructed(op: OpId, shape: &str, fill: Option<&str>) -> String {
    match (op, fill) {
        (OpId::Normal | OpId::Uniform, _) => format!("{}({shape}, seed=0)", op.name()),
        (_, Some(fill)) => format!("{}({shape}, {fill})", op.name()),
        _ => format!("{}({shape})", op.name()),
    }
}
