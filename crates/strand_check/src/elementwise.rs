//! What a function without types may be made of (decision 43).

use strand_ops::OpId;
use strand_source::Span;
use strand_syntax::ast::{self, BinaryOp, ExprKind, StageKind, StmtKind, Target, TypeExprKind};

use crate::calls::{Callee, path_of};
use crate::context::Checker;

/// The first construct that isn't elementwise, in words: "`@`".
pub(crate) fn first_other(checker: &Checker<'_>, body: &ast::FnBody) -> Option<(Span, String)> {
    let mut search = Search {
        checker,
        found: None,
    };
    match body {
        ast::FnBody::Expr(expr) => search.expr(expr),
        ast::FnBody::Block(stmts) => search.block(stmts),
        ast::FnBody::Error(_) => {}
    }
    search.found
}

struct Search<'s, 'a> {
    checker: &'s Checker<'a>,
    found: Option<(Span, String)>,
}

impl Search<'_, '_> {
    fn other(&mut self, span: Span, what: impl Into<String>) {
        if self.found.is_none() {
            self.found = Some((span, what.into()));
        }
    }

    fn block(&mut self, stmts: &[ast::Stmt]) {
        for stmt in stmts {
            if self.found.is_some() {
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &ast::Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value, .. } => {
                match target {
                    Target::Index { span, .. } => self.other(*span, "an assignment to an index"),
                    Target::Field { span, .. } => self.other(*span, "an assignment to a field"),
                    _ => {}
                }
                self.expr(value);
            }
            StmtKind::Update { target, value, .. } => {
                if let Target::Index { span, .. } | Target::Field { span, .. } = target {
                    self.other(*span, "an assignment to a part");
                }
                self.expr(value);
            }
            StmtKind::For { header, .. } => self.other(*header, "a loop"),
            StmtKind::While { .. } => self.other(stmt.span, "a loop"),
            StmtKind::With { mode, .. } => self.other(mode.span, "a mode"),
            StmtKind::If {
                branches,
                otherwise,
            } => {
                for (condition, block) in branches {
                    self.expr(condition);
                    self.block(block);
                }
                self.block(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::Return(Some(value)) | StmtKind::Expr(value) => self.expr(value),
            StmtKind::Assert { condition, message } => {
                self.expr(condition);
                if let Some(message) = message {
                    self.expr(message);
                }
            }
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Pass
            | StmtKind::Error => {}
        }
    }

    fn expr(&mut self, expr: &ast::Expr) {
        if self.found.is_some() {
            return;
        }
        match &expr.kind {
            ExprKind::Binary {
                op,
                op_span,
                left,
                right,
            } => {
                if *op == BinaryOp::MatMul {
                    return self.other(*op_span, "`@`");
                }
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::If {
                then,
                condition,
                otherwise,
            } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Convert { how, value, ty } => {
                self.expr(value);
                self.conversion(*how, ty);
            }
            ExprKind::Call { callee, args, .. } => {
                if let Some(path) = path_of(callee) {
                    self.callee(&path, callee.span);
                } else {
                    self.expr(callee);
                }
                for arg in args {
                    self.expr(&arg.value);
                }
            }
            ExprKind::Pipe { head, stages } => {
                self.expr(head);
                for stage in stages {
                    self.stage(stage);
                }
            }
            ExprKind::Index { .. } => self.other(expr.span, "an index"),
            ExprKind::Literal(_) => self.other(expr.span, "a tensor literal"),
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::FString(parts) => {
                for part in parts {
                    if let ast::FPart::Expr(value) = part {
                        self.expr(value);
                    }
                }
            }
            _ => {}
        }
    }

    fn stage(&mut self, stage: &ast::Stage) {
        match &stage.kind {
            StageKind::Call { path, args, .. } => {
                self.callee(path, stage.span);
                for arg in args.as_deref().unwrap_or_default() {
                    self.expr(&arg.value);
                }
            }
            StageKind::Convert { how, ty } => self.conversion(*how, ty),
            StageKind::Error => {}
        }
    }

    fn conversion(&mut self, how: ast::Conversion, ty: &ast::TypeExpr) {
        if how == ast::Conversion::As {
            return self.other(ty.span, "`as`");
        }
        if let TypeExprKind::Tensor {
            shape: Some(shape), ..
        } = &ty.kind
        {
            self.other(shape.span, "a conversion of the shape");
        }
    }

    fn callee(&mut self, path: &[ast::Ident], span: Span) {
        if self.found.is_some() {
            return;
        }
        let name = path.last().map_or("", |name| &*name.name);
        match self.checker.resolve_function(path) {
            Some(Callee::Op(op)) => {
                let only_named = op == OpId::Log;
                if !op.op().is_elementwise() && !only_named {
                    self.other(span, format!("`{name}`"));
                }
            }
            Some(Callee::Function(id)) if !self.checker.is_elementwise_function(id) => {
                self.other(span, format!("`{name}` (it has shapes)"));
            }
            Some(Callee::Extern(id)) if !self.checker.is_elementwise_extern(id) => {
                self.other(span, format!("`{name}` (it has shapes)"));
            }
            Some(Callee::Stage(_) | Callee::Value(_) | Callee::Module(_) | Callee::Model(_)) => {
                self.other(span, format!("`{name}`"));
            }
            Some(Callee::Function(_) | Callee::Extern(_)) | None => {}
        }
    }
}
