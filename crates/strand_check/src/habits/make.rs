//! PyTorch's and NumPy's ways to make a tensor.

use strand_ir::{Host, Type};
use strand_ops::{DType, OpId};
use strand_syntax::ast;

use super::shapes::flat;
use super::spell::{Rest, Spelling, converted, dtype_of};
use crate::context::Checker;

impl Checker<'_> {
    /// `zeros(n, D)`, `full((n, D), 1.0)`, `randn(n, D)`, `arange(n)`, `eye(n)`
    pub(super) fn made_text(
        &mut self,
        op: OpId,
        value: Option<&Spelling>,
        rest: &Rest<'_>,
    ) -> Option<Spelling> {
        if value.is_some() {
            return None;
        }
        let mut dtype = None;
        let mut sizes: Vec<&ast::Arg> = Vec::new();
        let mut fill = None;
        for arg in rest {
            match arg.name.as_ref().map(|name| &*name.name) {
                None | Some("size" | "shape") => sizes.push(arg),
                Some("device" | "requires_grad" | "generator" | "seed") => {}
                Some("dtype") => dtype = Some(dtype_of(&arg.value)?),
                Some("fill_value") if op == OpId::Full => fill = Some(*arg),
                Some(_) => return None,
            }
        }
        if matches!(op, OpId::Arange | OpId::Eye) {
            let args = flat(&sizes, &[])?;
            let mut args: Vec<String> = args.iter().map(|arg| self.source_of(arg)).collect();
            if op == OpId::Arange && args.len() == 2 && args[0] == "0" {
                args.remove(0);
            }
            let text = format!("{}({})", op.name(), args.join(", "));
            let (most, own) = match op {
                OpId::Arange => (2, "i64"),
                _ => (1, "f32"),
            };
            let made = Spelling::new(text, None);
            let made = match dtype.filter(|dtype| *dtype != own) {
                Some(dtype) => converted(&made, dtype)?,
                None => made,
            };
            return (args.len() <= most).then_some(made);
        }
        if op == OpId::Full && fill.is_none() {
            fill = Some(sizes.pop()?);
        }
        // A fill of whole numbers or bools makes a tensor of them.
        let mut own = "f32";
        if let (Some(fill), None) = (fill, dtype) {
            let is_bool = matches!(&*self.source(fill), "true" | "false");
            let typed = self.tried(|checker| checker.expr(&fill.value, None));
            own = match typed.map(|typed| typed.ty).filter(|_| !is_bool) {
                None if is_bool => "bool",
                Some(Type::Host(Host::Int)) => "i64",
                Some(Type::Host(Host::Bool)) => "bool",
                Some(Type::Host(Host::Float)) => "f32",
                Some(Type::Tensor(ty)) if ty.rank() == 0 => ty.dtype.as_str(),
                _ => return None,
            };
        }
        let dtype = dtype.unwrap_or(own);
        let fill = fill.map(|fill| self.source(fill));
        let axes: Option<Vec<String>> = flat(&sizes, &["size", "shape"])?
            .iter()
            .map(|part| self.axis_text(part))
            .collect();
        let axes = axes?;
        let mut shape = format!("[{}]", axes.join(" "));
        if dtype != "f32" {
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

    /// `empty_like(x)`, `randn_like(x, dtype=torch.float64)`
    pub(super) fn like_text(
        &self,
        op: OpId,
        value: &Spelling,
        rest: &Rest<'_>,
    ) -> Option<Spelling> {
        let mut ty = value.ty.as_ref()?.clone();
        for arg in rest {
            match &*arg.name.as_ref()?.name {
                "dtype" => ty.dtype = DType::parse(dtype_of(&arg.value)?)?,
                "device" | "requires_grad" => {}
                _ => return None,
            }
        }
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
        Some(Spelling::new(constructed(op, &shape, None), Some(ty)))
    }
}

fn constructed(op: OpId, shape: &str, fill: Option<&str>) -> String {
    match (op, fill) {
        (OpId::Normal | OpId::Uniform, _) => format!("{}({shape}, seed=0)", op.name()),
        (_, Some(fill)) => format!("{}({shape}, {fill})", op.name()),
        _ => format!("{}({shape})", op.name()),
    }
}
