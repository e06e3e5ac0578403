//! Calls of built-in functions, by the table's classes and rules.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, Over, TensorType, Type};
use strand_ops::{Class, DType, DTypeRule, Effect, Op, OpId, Param, ParamKind, ValueRule};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::calls::CallArg;
use crate::context::Checker;
use crate::operators::{result_dtype, takes};
use crate::rearrange::transposed;
use crate::suggest::grouped;

/// A call of a built-in.
pub(crate) struct OpCall<'c, 't> {
    pub(crate) op: &'static Op,
    pub(crate) path: &'c [ast::Ident],
    pub(crate) args: &'c [CallArg<'t>],
    pub(crate) args_span: Span,
    pub(crate) span: Span,
}

/// The values of the row's parameters after the leading ones, in the row's order.
pub(crate) type Params<'c, 't> = Vec<(&'static Param, &'c CallArg<'t>)>;

impl Checker<'_> {
    /// A call of a built-in.
    pub(crate) fn call_op(
        &mut self,
        op: OpId,
        path: &[ast::Ident],
        args: &[CallArg<'_>],
        args_span: Span,
        span: Span,
    ) -> Expr {
        let call = OpCall {
            op: op.op(),
            path,
            args,
            args_span,
            span,
        };
        let typed = match call.op.class {
            Class::Effect(effect) => self.effect(&call, effect),
            _ if op == OpId::Log && self.is_record(&call) => self.record(&call),
            Class::Construct | Class::Draw => self.construct(&call),
            Class::Arange => self.arange(&call),
            Class::Elementwise { arity } => self.elementwise(&call, arity as usize),
            Class::MatMul => None,
            Class::Transpose => self.transpose(&call),
            Class::Join => self.put_together(&call),
            Class::Triangle => self.triangle(&call),
            Class::Diagonal => self.diagonal(&call),
            Class::Loss => self.loss(&call),
            Class::IndexLoss => self.index_loss(&call),
            Class::OneHot => self.one_hot(&call),
            Class::Square => self.identity(&call),
            Class::Length => self.length(&call),
            Class::Special { .. } => self.special(&call),
            Class::Method => self.method(&call),
            Class::Reduce { .. } | Class::ArgReduce | Class::Along | Class::Dropout => {
                self.over_tensor(&call)
            }
        };
        typed.unwrap_or_else(|| self.wrong(span))
    }

    /// `log(loss=l)` is a record, `log(x)` the logarithm.
    fn is_record(&self, call: &OpCall<'_, '_>) -> bool {
        !call.args.is_empty() && call.args.iter().all(|arg| arg.keyword().is_some())
    }

    /// `log(loss=l)`, which is a statement of its own: E0702 where a value is wanted.
    fn record(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let keyword = call.args.first().and_then(CallArg::keyword);
        match keyword.filter(|_| self.body.lambdas == 0 && self.body.alone != call.span) {
            Some(keyword) => {
                let message = format!("`log` of a value takes no `{}=`", keyword.name);
                let finding = Diagnostic::new(Code::E0702, keyword.span, message)
                    .note("A record is a line of its own; a logarithm has its number alone.");
                self.report(finding);
                self.type_anyway(call.args);
                None
            }
            None => self.not_run(call, Effect::Record),
        }
    }

    /// The leading arguments and those of the row's parameters. E0701, E0702, E0703.
    pub(crate) fn split_args<'c, 't>(
        &mut self,
        call: &OpCall<'c, 't>,
        leading: usize,
    ) -> Option<(Vec<&'c CallArg<'t>>, Params<'c, 't>)> {
        let name = call.op.name;
        let mut first = Vec::new();
        let mut params: Params<'c, 't> = Vec::new();
        for arg in call.args {
            let param = match arg.keyword() {
                None if first.len() < leading => {
                    first.push(arg);
                    continue;
                }
                None => self.positional_param(call, &first, &params, arg)?,
                Some(keyword) => {
                    let params = call.op.params;
                    match params.iter().find(|param| param.name == &*keyword.name) {
                        Some(param) => param,
                        None => {
                            self.unknown_op_keyword(call, &first, keyword, arg);
                            return None;
                        }
                    }
                }
            };
            if params.iter().any(|(given, _)| given.name == param.name) {
                let place = arg.keyword().map_or(arg.span(), |keyword| keyword.span);
                let message = format!("{name} gets `{}` twice", param.name);
                self.error(Code::E0702, place, message);
                return None;
            }
            params.push((param, arg));
        }
        if first.len() < leading {
            let missing = leading - first.len();
            let message = match (leading, missing) {
                (1, _) => format!("{name} needs a value"),
                (_, 1) => format!("{name} needs one more value"),
                _ => format!("{name} needs {leading} values"),
            };
            self.error(Code::E0703, call.args_span, message);
            self.type_anyway(call.args);
            return None;
        }
        for param in call.op.params {
            let given = params.iter().any(|(given, _)| given.name == param.name);
            if !given && param.default == strand_ops::Default::Required {
                let mut finding = Diagnostic::new(
                    Code::E0703,
                    call.args_span,
                    format!("{name} needs `{}=`", param.name),
                );
                if param.name == "seed" {
                    finding = finding.note("The same seed gives the same numbers each time.");
                    let end = call.args_span.end.saturating_sub(1);
                    finding = finding.fix("seed=0", Span::empty(end), ", seed=0");
                }
                self.report(finding);
                self.type_anyway(call.args);
                return None;
            }
        }
        let order = |name: &str| call.op.params.iter().position(|param| param.name == name);
        strand_source::sort_by_key(&mut params, |(param, _)| order(param.name));
        Some((first, params))
    }

    /// The parameter of a positional argument after the leading ones: not `over`, which is always
    /// named.
    fn positional_param(
        &mut self,
        call: &OpCall<'_, '_>,
        first: &[&CallArg<'_>],
        params: &Params<'_, '_>,
        arg: &CallArg<'_>,
    ) -> Option<&'static Param> {
        let given = |name| params.iter().any(|(param, _)| param.name == name);
        let free = |param: &&Param| {
            param.kind != ParamKind::Over && param.name != "seed" && !given(param.name)
        };
        if let Some(param) = call.op.params.iter().find(free) {
            return Some(param);
        }
        if call.op.takes_over() {
            self.over_without_name(call, first, arg);
            return None;
        }
        let takes = first.len() + call.op.params.len();
        let plural = if takes == 1 { "" } else { "s" };
        let count = call.args.iter().filter(|arg| arg.keyword().is_none());
        let name = call.op.name;
        let message = match call.op.class {
            Class::Construct | Class::Draw => {
                format!("{name} takes a type first, as in `{name}([n D])`")
            }
            _ => format!(
                "{name} takes {takes} argument{plural}, not {}",
                count.count()
            ),
        };
        let finding = Diagnostic::new(Code::E0701, arg.span(), message);
        let finding = self.with_spelling(finding, call);
        self.report(finding);
        self.type_anyway(call.args);
        None
    }

    fn elementwise(&mut self, call: &OpCall<'_, '_>, arity: usize) -> Option<Expr> {
        let (first, params) = self.split_args(call, arity)?;
        let mut values: Vec<Expr> = first
            .into_iter()
            .map(|arg| self.argument(arg, None, false))
            .collect();
        if values.iter().any(|value| value.ty.is_error()) {
            return None;
        }
        for value in &values {
            if !self.is_operand(value, call.op.name) {
                return None;
            }
        }
        let params = self.param_values(call, &params)?;
        if call.op.traits.has_no_host_form {
            let first = values.iter().all(|value| value.ty.tensor().is_none());
            let float = values.iter().any(|v| v.ty == Type::Host(Host::Float));
            if first && let Some(value) = values.first_mut() {
                let dtype = match value.ty {
                    _ if float => DType::F32,
                    Type::Host(Host::Bool) => DType::Bool,
                    _ => DType::I64,
                };
                *value = self.lift(value.clone(), dtype);
            }
        }
        let hosts = values.iter().all(|value| value.ty.tensor().is_none());
        let ty = match (hosts, call.op.id) {
            (true, OpId::Where) => self.where_of_hosts(&values)?,
            (true, _) => self.host_result(call, &values)?,
            (false, OpId::Where) => self.where_type(&values).map(Type::Tensor)?,
            (false, _) => {
                let rule = Some(call.op);
                Type::Tensor(self.elementwise_type(call.op.name, &values, rule)?)
            }
        };
        let kind = ExprKind::Op {
            op: call.op.id,
            args: values,
            over: Over::None,
            params,
        };
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// The result of an elementwise operation of host values.
    fn host_result(&mut self, call: &OpCall<'_, '_>, values: &[Expr]) -> Option<Type> {
        let is = |host| values.iter().any(|value| value.ty == Type::Host(host));
        let rule = call.op.dtype;
        let bools = is(Host::Bool);
        let floats = is(Host::Float);
        let dtype = if bools {
            DType::Bool
        } else if floats {
            DType::F64
        } else {
            DType::I64
        };
        // Whole numbers are taken by functions of floats, as Python's math does.
        let fine = match rule {
            DTypeRule::Float | DTypeRule::FloatToBool => !bools,
            rule => takes(rule, dtype),
        };
        if !fine {
            let odd = values
                .iter()
                .find(|value| value.ty == Type::Host(Host::Bool));
            let odd = odd.or(values.first())?;
            let message = format!("{} isn't defined for {}", call.op.name, self.show(&odd.ty));
            self.error(Code::E0603, odd.span, message);
            return None;
        }
        Some(Type::Host(match rule {
            DTypeRule::AnyToBool | DTypeRule::Order | DTypeRule::FloatToBool | DTypeRule::Bool => {
                Host::Bool
            }
            DTypeRule::Float => Host::Float,
            DTypeRule::AnyToI64 => Host::Int,
            _ if bools => Host::Bool,
            _ if floats => Host::Float,
            _ => Host::Int,
        }))
    }

    fn where_of_hosts(&mut self, values: &[Expr]) -> Option<Type> {
        let [condition, then, otherwise] = values else {
            return None;
        };
        if condition.ty != Type::Host(Host::Bool) {
            self.not_a_condition(condition);
            return None;
        }
        let joined = self.join(&then.ty, &otherwise.ty, otherwise.span);
        if joined.is_none() {
            let (a, b) = (self.show(&then.ty), self.show(&otherwise.ty));
            let message = format!("where chooses between {a} and {b}: dtypes don't mix");
            self.error(Code::E0602, otherwise.span, message);
        }
        joined
    }

    fn not_a_condition(&mut self, value: &Expr) {
        let ty = match &value.ty {
            Type::Tensor(tensor) => tensor.dtype.to_string(),
            other => self.show(other),
        };
        let finding = Diagnostic::new(
            Code::E0603,
            value.span,
            format!("where's condition is bool; this is {ty}"),
        )
        .note("Compare first, as in `where(x > 0.0, x, 0.0)`.");
        self.report(finding);
    }

    fn where_type(&mut self, values: &[Expr]) -> Option<TensorType> {
        let [condition, then, otherwise] = values else {
            return None;
        };
        let is_bool = match &condition.ty {
            Type::Tensor(tensor) => tensor.dtype == DType::Bool,
            other => *other == Type::Host(Host::Bool),
        };
        if !is_bool {
            self.not_a_condition(condition);
            return None;
        }
        let is = |host| then.ty == Type::Host(host) || otherwise.ty == Type::Host(host);
        let dtype = if then.ty.tensor().is_some() || otherwise.ty.tensor().is_some() {
            self.common_dtype(&[then, otherwise])?
        } else if is(Host::Bool) {
            DType::Bool
        } else if is(Host::Float) {
            DType::F32
        } else {
            DType::I64
        };
        for value in [then, otherwise] {
            if !self.host_fits(value, dtype, None) {
                return None;
            }
        }
        let axes = self.broadcast_all(values)?;
        Some(TensorType::new(axes, dtype))
    }

    /// The type that an elementwise function gives of values of which one is a tensor. `op` is the
    /// built-in whose dtype and value rules hold; without one every dtype is taken and kept.
    pub(crate) fn elementwise_type(
        &mut self,
        name: &str,
        values: &[Expr],
        op: Option<&'static Op>,
    ) -> Option<TensorType> {
        let all: Vec<&Expr> = values.iter().collect();
        let dtype = self.common_dtype(&all)?;
        let rule = op.map_or(DTypeRule::Any, |op| op.dtype);
        if !takes(rule, dtype) {
            let wrong = values.iter().find(|value| value.ty.tensor().is_some())?;
            self.not_defined(name, rule, dtype, wrong);
            return None;
        }
        let found = self.diagnostics.len();
        let Some(axes) = self.broadcast_all(values) else {
            self.torch_of_call(op?.id, values, found);
            return None;
        };
        let dtype = result_dtype(rule, dtype);
        let domain = op.map_or(Domain::Plain, |op| certain(op.domain, dtype));
        Some(TensorType {
            axes,
            dtype,
            domain,
        })
    }

    fn broadcast_all(&mut self, values: &[Expr]) -> Option<Vec<Axis>> {
        let mut axes: Option<(TensorType, Span)> = None;
        for value in values {
            let Some(tensor) = value.ty.tensor() else {
                continue;
            };
            axes = Some(match axes {
                None => (tensor.clone(), value.span),
                Some((held, span)) => {
                    let joined = self.broadcast(None, (&held, span), (tensor, value.span))?;
                    (TensorType::new(joined, held.dtype), span)
                }
            });
        }
        Some(axes.map(|(tensor, _)| tensor.axes).unwrap_or_default())
    }

    /// E0603 of a value whose dtype an operation doesn't take, with `to f32` where that helps.
    pub(crate) fn not_defined(&mut self, name: &str, rule: DTypeRule, dtype: DType, wrong: &Expr) {
        let mut finding = Diagnostic::new(
            Code::E0603,
            wrong.span,
            format!("{name} isn't defined for {dtype}"),
        );
        let floats = matches!(rule, DTypeRule::Float | DTypeRule::FloatToBool);
        let target = if floats { "f32" } else { "i64" };
        if floats || dtype == DType::Bool {
            let converted = format!("{} to {target}", grouped(wrong.span.text(self.text)));
            finding = finding.fix(format!("convert to {target}"), wrong.span, converted);
        }
        self.report(finding);
    }

    /// `transpose(x)`: the last two axes swapped.
    fn transpose(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (first, _) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        if value.ty.is_error() || !self.is_operand(&value, call.op.name) {
            return None;
        }
        let text = self.name_of(value.span);
        let Some(tensor) = value.ty.tensor().filter(|ty| ty.rank() > 1) else {
            let what = if value.ty.tensor().is_some_and(|ty| ty.rank() == 1) {
                "one axis"
            } else {
                "no axis"
            };
            let message = format!("{text} has {what}: transpose swaps the last two");
            self.error(Code::E0511, value.span, message);
            return None;
        };
        let tensor = tensor.clone();
        Some(transposed(value, &tensor, call.span))
    }

    /// Reductions, argmax and the like, operations along an axis, dropout.
    pub(crate) fn over_tensor(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (first, params) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        if value.ty.is_error() || !self.is_operand(&value, call.op.name) {
            return None;
        }
        let value = match value.ty {
            Type::Host(Host::Bool) => self.lift(value, DType::Bool),
            Type::Host(Host::Int) => self.lift(value, DType::I64),
            Type::Host(_) => self.lift(value, DType::F32),
            _ => value,
        };
        let tensor = value.ty.tensor()?.clone();
        if !takes(call.op.dtype, tensor.dtype) {
            self.not_defined(call.op.name, call.op.dtype, tensor.dtype, &value);
            return None;
        }
        let over = params
            .iter()
            .find(|(param, _)| param.kind == ParamKind::Over);
        let over = match over {
            Some((_, CallArg::Written(arg))) => {
                let several = call.op.class == Class::Reduce { several: true };
                Over::Axes(self.over_axes_of(call, &tensor, &arg.value, several)?)
            }
            _ if call.op.takes_over() => self.without_over(call, &tensor, &value)?,
            _ => Over::None,
        };
        let params = self.param_values(call, &params)?;
        if call.op.class == Class::Dropout {
            self.needs_mode(
                call.path.first().map_or(call.span, |name| name.span),
                "dropout",
            );
        }
        let ty = Type::Tensor(self.over_type(call.op, &tensor, &over));
        let kind = ExprKind::Op {
            op: call.op.id,
            args: vec![value],
            over,
            params,
        };
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// What a missing `over=` means: every axis for a reduction, the only one along an axis.
    pub(crate) fn without_over(
        &mut self,
        call: &OpCall<'_, '_>,
        tensor: &TensorType,
        value: &Expr,
    ) -> Option<Over> {
        let along = matches!(
            call.op.class,
            Class::Along | Class::Special { .. } | Class::Method
        );
        if !along || tensor.rank() == 1 {
            return Some(Over::All);
        }
        let name = call.op.name;
        if tensor.rank() == 0 {
            let text = self.name_of(value.span);
            let message = format!("{name} works along an axis, and {text} has none");
            self.error(Code::E0406, value.span, message);
            return None;
        }
        self.axis_needed(call, tensor);
        None
    }

    /// E0406 of an operation along an axis, of a value with several.
    pub(crate) fn axis_needed(&mut self, call: &OpCall<'_, '_>, tensor: &TensorType) {
        let name = call.op.name;
        let shape = tensor.display_shape(&self.program.symbols);
        let place = call.path.first().map_or(call.span, |name| name.span);
        let mut finding = Diagnostic::new(
            Code::E0406,
            place,
            format!("{name} needs over=: its value has the axes {shape}"),
        );
        finding = self.axes_labelled(finding, tensor);
        finding
            .notes
            .extend(self.torch_without_over(call.op.id, tensor));
        for axis in (0..tensor.rank()).rev().take(3) {
            let over = self.over_text(tensor, axis);
            let text = format!("over={over}");
            let which = strand_ir::axis_place(axis, tensor.rank());
            let meaning = format!("{name} over the {which}");
            if call.args_span.is_empty() || !call.args_span.text(self.text).ends_with(')') {
                let end = Span::empty(place.end);
                finding = finding
                    .fix(&*text, end, format!("({text})"))
                    .meaning(meaning);
            } else {
                let end = Span::empty(call.args_span.end - 1);
                let inside = call.args_span.text(self.text).trim_matches(['(', ')', ' ']);
                let comma = if inside.is_empty() { "" } else { ", " };
                finding = finding
                    .fix(&*text, end, format!("{comma}{text}"))
                    .meaning(meaning);
            }
        }
        self.report(finding);
    }

    /// The type of an operation over axes of a tensor.
    pub(crate) fn over_type(
        &self,
        op: &'static Op,
        tensor: &TensorType,
        over: &Over,
    ) -> TensorType {
        let dtype = result_dtype(op.dtype, tensor.dtype);
        let kept = |gone: &dyn Fn(usize) -> bool| -> Vec<Axis> {
            let axes = tensor.axes.iter().enumerate();
            let kept = axes.filter(|(at, _)| !gone(*at));
            kept.map(|(_, axis)| axis.clone()).collect()
        };
        let axes = match (op.class, over) {
            (Class::Reduce { .. } | Class::ArgReduce, Over::Axes(gone)) => {
                kept(&|at| gone.contains(&at))
            }
            (Class::Reduce { .. } | Class::ArgReduce, _) => Vec::new(),
            _ => tensor.axes.clone(),
        };
        let one = match over {
            Over::Axes(axes) => axes.first().copied(),
            _ => (tensor.rank() == 1).then_some(0),
        };
        let domain = match (op.domain, one.map(|at| &tensor.axes[at])) {
            (ValueRule::Index, Some(axis)) if axis.name.is_some() => Domain::Index(axis.clone()),
            (ValueRule::Index, _) => Domain::Plain,
            (ValueRule::Kept, _) => tensor.domain.clone(),
            (rule, _) => certain(rule, dtype),
        };
        TensorType {
            axes,
            dtype,
            domain,
        }
    }

    /// The values of the row's own parameters: host numbers.
    pub(crate) fn param_values(
        &mut self,
        call: &OpCall<'_, '_>,
        params: &Params<'_, '_>,
    ) -> Option<Vec<(&'static str, Expr)>> {
        let mut values = Vec::new();
        for (param, arg) in params {
            if param.kind == ParamKind::Over {
                continue;
            }
            let value = self.argument(arg, None, false);
            if value.ty.is_error() || !self.param_takes(call.op, param, &value) {
                return None;
            }
            values.push((param.name, value));
        }
        Some(values)
    }

    /// Whether a value is of the kind that a row's parameter has; E0704 otherwise.
    pub(crate) fn param_takes(&mut self, op: &Op, param: &Param, value: &Expr) -> bool {
        let wants = match (param.kind, &value.ty) {
            (ParamKind::Int, Type::Host(Host::Int))
            | (ParamKind::Number, Type::Host(Host::Int | Host::Float))
            | (ParamKind::Text, Type::Host(Host::Str))
            | (ParamKind::Value, Type::Host(Host::Int | Host::Float | Host::Bool))
            | (ParamKind::Tensor, Type::Tensor(_)) => return true,
            (ParamKind::Int, _) => "a host int",
            (ParamKind::Text, _) => "a text",
            (ParamKind::Value, _) => "a host number or bool",
            (ParamKind::Tensor, _) => "a tensor",
            _ => "a host number",
        };
        let ty = self.show(&value.ty);
        let message = format!("{}'s `{}` is {wants}, not {ty}", op.name, param.name);
        self.error(Code::E0704, value.span, message);
        false
    }
}

/// What is certain of a result's values by its row.
pub(crate) fn certain(rule: ValueRule, dtype: DType) -> Domain {
    match rule {
        ValueRule::Prob if dtype.is_float() => Domain::Prob,
        ValueRule::NonNegative if dtype.is_float() => Domain::NonNegative,
        _ => Domain::Plain,
    }
}
