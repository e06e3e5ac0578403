//! Operators: dtypes, `@`, `and or not`, host arithmetic.

use strand_ir::{Axis, Expr, ExprKind, Host, LocalKind, Over, TensorType, Type};
use strand_ops::{DType, DTypeRule, OpId};
use strand_source::{Code, Diagnostic, Span, float_literal};
use strand_syntax::ast::{self, BinaryOp, UnaryOp};

use crate::context::{Checker, MESSAGE};
use crate::suggest::grouped;

/// The operation of an operator.
pub(crate) fn op_of(op: BinaryOp) -> OpId {
    match op {
        BinaryOp::Or => OpId::Or,
        BinaryOp::And => OpId::And,
        BinaryOp::Eq => OpId::Eq,
        BinaryOp::Ne => OpId::Ne,
        BinaryOp::Lt => OpId::Lt,
        BinaryOp::Le => OpId::Le,
        BinaryOp::Gt => OpId::Gt,
        BinaryOp::Ge => OpId::Ge,
        BinaryOp::Add => OpId::Add,
        BinaryOp::Sub => OpId::Sub,
        BinaryOp::Mul => OpId::Mul,
        BinaryOp::Div => OpId::Div,
        BinaryOp::FloorDiv => OpId::FloorDiv,
        BinaryOp::Mod => OpId::Remainder,
        BinaryOp::MatMul => OpId::MatMul,
        BinaryOp::Pow => OpId::Pow,
    }
}

/// An operation of leading arguments alone.
pub(crate) fn op_expr(op: OpId, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
    let kind = ExprKind::Op {
        op,
        args,
        over: Over::None,
        params: Vec::new(),
    };
    Expr { kind, ty, span }
}

/// Where a binary operation stands.
#[derive(Clone, Copy)]
pub(crate) struct BinarySite {
    pub(crate) op: BinaryOp,
    pub(crate) op_span: Span,
    pub(crate) span: Span,
}

impl Checker<'_> {
    /// `left op right`
    pub(crate) fn binary(&mut self, site: BinarySite, left: &ast::Expr, right: &ast::Expr) -> Expr {
        let left = self.expr(left, None);
        let axis_names = self.body.axis_names.clone();
        let written = right;
        let right = self.expr(right, None);
        if right.ty.is_error() && !left.ty.is_error() {
            self.offer_whole(left.span.start, written);
        }
        let short = matches!(site.op, BinaryOp::And | BinaryOp::Or);
        if short && left.ty == Type::Host(Host::Bool) && right.ty == left.ty {
            // It may not run.
            self.end_axis_names(axis_names);
        }
        self.binary_typed(site, left, right)
    }

    /// `a @ b to T` converts `b`, and `not b to T` too: where that fails, all from `start` on may be
    /// meant.
    fn offer_whole(&mut self, start: u32, operand: &ast::Expr) {
        let ast::ExprKind::Convert { value, ty, .. } = &operand.kind else {
            return;
        };
        let end = value.span.end;
        let refused = |finding: &mut Diagnostic| {
            ty.span.contains(finding.span) || finding.span == operand.span
        };
        if self.silent > 0 {
            return;
        }
        let Some(finding) = self.diagnostics.pop_if(refused) else {
            return;
        };
        let text = self.quote(Span::new(start, end));
        let edits = vec![edit(Span::empty(start), "("), edit(Span::empty(end), ")")];
        self.diagnostics
            .push(finding.fix_edits(format!("convert the whole: ({text})"), edits));
    }

    /// `left op right` of typed operands.
    pub(crate) fn binary_typed(&mut self, site: BinarySite, left: Expr, right: Expr) -> Expr {
        if left.ty.is_error() || right.ty.is_error() {
            return self.wrong(site.span);
        }
        let texts = matches!(site.op, BinaryOp::Eq | BinaryOp::Ne)
            && left.ty == Type::Host(Host::Str)
            && right.ty == left.ty;
        if texts {
            let ty = Type::Host(Host::Bool);
            return op_expr(op_of(site.op), vec![left, right], ty, site.span);
        }
        let what = format!("`{}`", site.op.as_str());
        if !self.is_operand(&left, &what) || !self.is_operand(&right, &what) {
            return self.wrong(site.span);
        }
        let ty = match (&left.ty, &right.ty) {
            (Type::Host(a), Type::Host(b)) => self.host_binary(site, (*a, *b), &left, &right),
            _ if site.op == BinaryOp::MatMul => self.matmul(&left, &right),
            _ => self.tensor_binary(site, &left, &right),
        };
        match ty {
            Some(ty) => op_expr(op_of(site.op), vec![left, right], ty, site.span),
            None => self.wrong(site.span),
        }
    }

    /// Whether a value is a tensor or a host number or bool, as arithmetic needs; the finding
    /// otherwise is reported. `what` names the operation: "`+`", "sum".
    pub(crate) fn is_operand(&mut self, value: &Expr, what: &str) -> bool {
        let text = self.name_of(value.span);
        let (code, message) = match &value.ty {
            Type::Tensor(_) | Type::Host(Host::Int | Host::Float | Host::Bool) => return true,
            Type::Error => return false,
            Type::Py => {
                let finding = self.python_shape(value);
                self.report(finding);
                return false;
            }
            Type::Nothing => {
                self.no_value(value);
                return false;
            }
            Type::Tuple(_) => (
                Code::E0704,
                format!("{text} is a tuple; take it apart first: `(a, b) = ...`"),
            ),
            Type::Host(Host::Str) => (Code::E0603, format!("{what} isn't defined for a text")),
            Type::Model(_) | Type::Optimizer => {
                let ty = self.show(&value.ty);
                (Code::E0603, format!("{what} isn't defined for a {ty}"))
            }
        };
        self.error(code, value.span, message);
        false
    }

    fn host_binary(
        &mut self,
        site: BinarySite,
        (a, b): (Host, Host),
        left: &Expr,
        right: &Expr,
    ) -> Option<Type> {
        let numbers = a != Host::Bool && b != Host::Bool;
        let joined = if a == Host::Int && b == Host::Int {
            Host::Int
        } else {
            Host::Float
        };
        let result = match site.op {
            BinaryOp::And | BinaryOp::Or => (a == Host::Bool && b == Host::Bool).then_some(a),
            BinaryOp::Eq | BinaryOp::Ne => (numbers || a == b).then_some(Host::Bool),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                numbers.then_some(Host::Bool)
            }
            BinaryOp::Div => numbers.then_some(Host::Float),
            BinaryOp::Pow if numbers => match right.kind {
                ExprKind::Int(power) if power < 0 => Some(Host::Float),
                _ => Some(joined),
            },
            BinaryOp::MatMul => {
                let message = "`@` needs tensors with axes; between numbers write `*`";
                self.error(Code::E0504, right.span, message);
                return None;
            }
            _ => numbers.then_some(joined),
        };
        if result.is_none() {
            let logic = matches!(site.op, BinaryOp::And | BinaryOp::Or);
            let wrong = if (a == Host::Bool) == logic {
                right
            } else {
                left
            };
            let ty = self.show(&wrong.ty);
            let message = format!("`{}` isn't defined for {ty}", site.op.as_str());
            self.error(Code::E0603, wrong.span, message);
        }
        result.map(Type::Host)
    }

    fn tensor_binary(&mut self, site: BinarySite, left: &Expr, right: &Expr) -> Option<Type> {
        let op = op_of(site.op).op();
        if matches!(site.op, BinaryOp::And | BinaryOp::Or) && !self.both_bool(site, left, right) {
            return None;
        }
        let dtype = self.common_dtype(&[left, right])?;
        if !self.operator_takes(site, dtype, left, right) {
            return None;
        }
        let scalar = TensorType::new(Vec::new(), dtype);
        let left_type = left.ty.tensor().unwrap_or(&scalar);
        let right_type = right.ty.tensor().unwrap_or(&scalar);
        let axes = self.broadcast(Some(site), (left_type, left.span), (right_type, right.span))?;
        Some(Type::Tensor(TensorType::new(
            axes,
            result_dtype(op.dtype, dtype),
        )))
    }

    /// Whether both sides of `and` or `or` are truth values; E0603 at the first that isn't.
    fn both_bool(&mut self, site: BinarySite, left: &Expr, right: &Expr) -> bool {
        let is_bool = |side: &&&Expr| match &side.ty {
            Type::Tensor(tensor) => tensor.dtype == DType::Bool,
            ty => *ty == Type::Host(Host::Bool),
        };
        let Some(wrong) = [left, right].iter().find(|side| !is_bool(side)).copied() else {
            return true;
        };
        let kind = match wrong.ty.tensor() {
            Some(tensor) => format!("{}", tensor.dtype),
            None => self.show(&wrong.ty),
        };
        let message = format!("`{}` isn't defined for {kind}", site.op.as_str());
        let finding = Diagnostic::new(Code::E0603, wrong.span, message)
            .note("Compare first, as in `x > 0.0 and y > 0.0`.");
        self.report(finding);
        false
    }

    /// Whether the operator is defined for the dtype; E0603 otherwise, with `//` and `to f32` for
    /// a division of whole numbers.
    fn operator_takes(
        &mut self,
        site: BinarySite,
        dtype: DType,
        left: &Expr,
        right: &Expr,
    ) -> bool {
        let negative = matches!(right.kind, ExprKind::Int(power) if power < 0);
        if site.op == BinaryOp::Pow && dtype.is_int() && negative {
            let message = format!("a negative power of {dtype} isn't a whole number");
            self.error(Code::E0603, right.span, message);
            return false;
        }
        if takes(op_of(site.op).op().dtype, dtype) {
            return true;
        }
        let operator = site.op.as_str();
        if site.op == BinaryOp::Div && dtype.is_int() {
            let side = if left.ty.tensor().is_some() {
                left
            } else {
                right
            };
            let converted = format!("{} to f32", grouped(side.span.text(self.text)));
            let mut finding = Diagnostic::new(
                Code::E0603,
                site.op_span,
                format!("`/` isn't defined for whole numbers ({dtype})"),
            )
            .fix("round down: `//`", site.op_span, "//");
            let both = left.ty.tensor().is_some() && right.ty.tensor().is_some();
            let mut edits = vec![edit(side.span, converted)];
            if both {
                let other = format!("{} to f32", grouped(right.span.text(self.text)));
                edits.push(edit(right.span, other));
            }
            finding = finding.fix_edits("divide as f32", edits);
            self.report(finding);
            return false;
        }
        let wrong = if left.ty.tensor().is_some() {
            left
        } else {
            right
        };
        let mut finding = Diagnostic::new(
            Code::E0603,
            wrong.span,
            format!("`{operator}` isn't defined for {dtype}"),
        );
        if dtype == DType::Bool {
            finding = finding.note("`and`, `or` and `not` work on bool; `to i64` gives 0 and 1.");
        }
        self.report(finding);
        false
    }

    /// The one dtype of values of which one is a tensor; host numbers must fit it. E0602, E0601.
    pub(crate) fn common_dtype(&mut self, values: &[&Expr]) -> Option<DType> {
        let mut first: Option<(&Expr, DType)> = None;
        for value in values {
            let Some(tensor) = value.ty.tensor() else {
                continue;
            };
            match first {
                None => first = Some((value, tensor.dtype)),
                Some((_, dtype)) if dtype == tensor.dtype => {}
                Some((held, dtype)) => {
                    self.mixed(held, dtype, value, tensor.dtype);
                    return None;
                }
            }
        }
        let (held, dtype) = first?;
        let held = held.span;
        for value in values {
            if !self.host_fits(value, dtype, Some(held)) {
                return None;
            }
        }
        Some(dtype)
    }

    fn mixed(&mut self, left: &Expr, a: DType, right: &Expr, b: DType) {
        let (left_name, right_name) = (self.name_of(left.span), self.name_of(right.span));
        // Whole numbers become floats, narrow floats wide ones.
        let (moved, to) = if rank(a) < rank(b) {
            (left, b)
        } else {
            (right, a)
        };
        let converted = format!("{} to {to}", grouped(moved.span.text(self.text)));
        let finding = Diagnostic::new(
            Code::E0602,
            right.span,
            short(
                format!("{left_name} is {a}, {right_name} is {b}: dtypes don't mix"),
                format!("{a} and {b} don't mix"),
            ),
        )
        .label(left.span, format!("{a}"))
        .note("PyTorch would convert one of them by itself.")
        .fix(format!("convert to {to}"), moved.span, converted);
        self.report(finding);
    }

    /// Whether a host value can become a `dtype`; E0601 where not. Others are fine.
    pub(crate) fn host_fits(&mut self, value: &Expr, dtype: DType, beside: Option<Span>) -> bool {
        let Type::Host(host) = value.ty else {
            return true;
        };
        let problem = match (host, dtype) {
            (Host::Bool, DType::Bool) => None,
            (Host::Int, dtype) if dtype.is_int() => match value.kind {
                ExprKind::Int(number) => outside(number, dtype),
                _ => None,
            },
            (Host::Int | Host::Float, dtype) if dtype.is_float() => match value.kind {
                ExprKind::Int(number) if !finite(number as f64, dtype) => {
                    Some(format!("{number} is too large for {dtype}"))
                }
                ExprKind::Float(number) if !finite(number, dtype) => {
                    let number = float_literal(number);
                    Some(format!("{number} is too large for {dtype}"))
                }
                _ => None,
            },
            (Host::Float, dtype) if dtype.is_int() => {
                let text = self.name_of(value.span);
                Some(format!("{text} is a float; it doesn't fit {dtype}"))
            }
            (host, dtype) => {
                let text = self.name_of(value.span);
                Some(format!("{text} ({}) doesn't fit {dtype}", host.as_str()))
            }
        };
        let Some(message) = problem else {
            return true;
        };
        let mut finding = Diagnostic::new(Code::E0601, value.span, message);
        if let (Some(beside), Host::Float, true) = (beside, host, dtype.is_int()) {
            finding = finding.label(beside, format!("{dtype}"));
            if let ExprKind::Float(number) = value.kind
                && number.fract() == 0.0
                && number.abs() < 1e15
            {
                let whole = format!("{}", number as i64);
                finding = finding.write(value.span, whole);
            }
            let converted = format!("{} to f32", grouped(beside.text(self.text)));
            finding = finding.fix("compute in f32", beside, converted);
        } else if let Some(beside) = beside {
            finding = finding.label(beside, format!("{dtype}"));
        }
        self.report(finding);
        false
    }

    /// A host number or bool as a `[]` tensor of `dtype`; E0601 where it doesn't fit. Tensors and
    /// wrong expressions stay as they are.
    pub(crate) fn lift(&mut self, value: Expr, dtype: DType) -> Expr {
        if !matches!(value.ty, Type::Host(Host::Int | Host::Float | Host::Bool)) {
            return value;
        }
        if !self.host_fits(&value, dtype, None) {
            return self.wrong(value.span);
        }
        let ty = Type::Tensor(TensorType::new(Vec::new(), dtype));
        let span = value.span;
        let kind = ExprKind::Lift(Box::new(value));
        Expr { kind, ty, span }
    }

    /// `-x`, `not x`
    pub(crate) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Expr {
        let written = operand;
        let operand = self.expr(operand, None);
        let (id, what) = match op {
            UnaryOp::Neg => (OpId::Neg, "`-`"),
            UnaryOp::Not => (OpId::Not, "`not`"),
        };
        if !self.is_operand(&operand, what) {
            return self.wrong(span);
        }
        // A literal stays one: `-1` is a number.
        let kind = match (op, &operand.kind) {
            (UnaryOp::Neg, ExprKind::Int(value)) => value.checked_neg().map(ExprKind::Int),
            (UnaryOp::Neg, ExprKind::Float(value)) => Some(ExprKind::Float(-value)),
            _ => None,
        };
        if let Some(kind) = kind {
            let ty = operand.ty;
            return Expr { kind, ty, span };
        }
        let defined = match &operand.ty {
            Type::Tensor(tensor) => takes(id.op().dtype, tensor.dtype),
            Type::Host(host) => (*host == Host::Bool) == (op == UnaryOp::Not),
            _ => false,
        };
        if !defined {
            let ty = match &operand.ty {
                Type::Tensor(tensor) => tensor.dtype.to_string(),
                other => self.show(other),
            };
            let message = format!("{what} isn't defined for {ty}");
            self.error(Code::E0603, operand.span, message);
            if op == UnaryOp::Not {
                self.offer_whole(span.start, written);
            }
            return self.wrong(span);
        }
        let ty = match &operand.ty {
            Type::Tensor(tensor) => {
                Type::Tensor(TensorType::new(tensor.axes.clone(), tensor.dtype))
            }
            other => other.clone(),
        };
        op_expr(id, vec![operand], ty, span)
    }

    /// The axis that both are, with the name that one of them has; `None` where they differ
    /// (decision 14).
    pub(crate) fn joined_axis(&self, left: &Axis, right: &Axis) -> Option<Axis> {
        if !left.agrees(right, &self.program.symbols) {
            return None;
        }
        Some(if left.name.is_some() || right.name.is_none() {
            left.clone()
        } else {
            right.clone()
        })
    }

    /// How a message names a piece of the text: as it is written where it is short.
    pub(crate) fn name_of(&self, span: Span) -> String {
        let text = span.text(self.text);
        // A stage given by name is applied to elements that no name in the text reaches.
        let mut locals = self.body.locals.iter();
        if locals.any(|local| {
            local.kind == LocalKind::Lambda && local.span == span && *local.name != *text
        }) {
            return "an element".to_owned();
        }
        if text.is_empty() || text.chars().count() > 24 || text.contains(['\n', '#']) {
            return "this".to_owned();
        }
        text.to_owned()
    }
}

/// The edit that replaces a piece of the text.
pub(crate) fn edit(span: Span, text: impl Into<String>) -> strand_source::Edit {
    let text = text.into();
    strand_source::Edit { span, text }
}

/// The long message if it fits a line, else the short one.
pub(crate) fn short(long: String, fallback: String) -> String {
    if long.chars().count() <= MESSAGE {
        long
    } else {
        fallback
    }
}

fn rank(dtype: DType) -> usize {
    DType::ALL.iter().position(|d| *d == dtype).unwrap_or(0)
}

fn outside(number: i64, dtype: DType) -> Option<String> {
    let (least, most) = dtype.int_range()?;
    let inside = (least..=most).contains(&number);
    (!inside).then(|| format!("{number} doesn't fit {dtype}, which goes from {least} to {most}"))
}

/// Whether a number stays finite in a float dtype.
fn finite(number: f64, dtype: DType) -> bool {
    // PyTorch takes no number past the greatest finite one, even where it would round to that. Of
    // f32 and bf16 the greatest is allowed as it is printed.
    let bound = match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => 3.389_531_4e38,
        DType::F32 => 3.402_823_5e38,
        _ => f64::INFINITY,
    };
    number.abs() <= bound
}

/// Whether a rule takes a dtype of its leading tensors.
pub(crate) fn takes(rule: DTypeRule, dtype: DType) -> bool {
    match rule {
        DTypeRule::Any
        | DTypeRule::AnyToBool
        | DTypeRule::Sum
        | DTypeRule::AnyToI64
        | DTypeRule::Where
        | DTypeRule::FromType => true,
        DTypeRule::Number | DTypeRule::Order => dtype != DType::Bool,
        DTypeRule::Float | DTypeRule::FloatToBool => dtype.is_float(),
        DTypeRule::Bits => !dtype.is_float(),
        DTypeRule::Bool => dtype == DType::Bool,
    }
}

/// The dtype that a rule gives of leading tensors of `dtype`.
pub(crate) fn result_dtype(rule: DTypeRule, dtype: DType) -> DType {
    match rule {
        DTypeRule::AnyToBool | DTypeRule::Order | DTypeRule::FloatToBool | DTypeRule::Bool => {
            DType::Bool
        }
        DTypeRule::Sum if !dtype.is_float() => DType::I64,
        DTypeRule::AnyToI64 => DType::I64,
        _ => dtype,
    }
}
