//! Iterator stages: map, filter, zip and enumerate.

use strand_ir::{
    Axis, Domain, Expr, ExprKind, How, Iter, IterKind, Lambda, Lowering, PyExpr, SymbolKind,
    TensorType, Type,
};
use strand_ops::{DType, Effect};
use strand_source::{Code, Diagnostic, Edit, Span};
use strand_syntax::ast;

use crate::clash::Row;
use crate::context::Checker;
use crate::heads::{Flow, index_type, slices_along, wrong_iteration};
use crate::operators::edit;
use crate::operators::short;
use crate::sentences::only_computes;

/// An iterator stage as written.
pub(crate) struct StageCall<'t> {
    /// `map`, `filter`, `zip`, `enumerate`.
    pub(crate) name: &'t ast::Ident,
    /// The arguments.
    pub(crate) args: &'t [ast::Arg],
    /// The brackets, where they stand.
    pub(crate) args_span: Option<Span>,
    /// The stage without `|>`.
    pub(crate) span: Span,
    /// From the pipe's head to the stage's end.
    pub(crate) whole: Span,
}

/// The arguments of an iterator stage, by their meaning.
#[derive(Default)]
struct StageArgs<'t> {
    /// The function, or zip's other side.
    first: Option<&'t ast::Arg>,
    /// `over=`
    over: Option<&'t ast::Arg>,
    /// Whether an argument was refused.
    wrong: bool,
}

impl StageCall<'_> {
    /// The edit that adds a last argument.
    pub(crate) fn insert_argument(&self, text: &str) -> Edit {
        match self.args_span {
            None => edit(Span::empty(self.span.end), format!("({text})")),
            Some(brackets) => {
                let at = Span::empty(brackets.end.saturating_sub(1));
                let comma = if self.args.is_empty() { "" } else { ", " };
                edit(at, format!("{comma}{text}"))
            }
        }
    }

    /// The edit that takes an argument away.
    pub(crate) fn remove_argument(&self, arg: &ast::Arg) -> Option<Edit> {
        let at = self.args.iter().position(|other| other.span == arg.span)?;
        let span = match (at.checked_sub(1), self.args.get(at + 1)) {
            (Some(before), _) => Span::new(self.args[before].span.end, arg.span.end),
            (None, Some(after)) => Span::new(arg.span.start, after.span.start),
            (None, None) => self.args_span?,
        };
        Some(edit(span, ""))
    }
}

/// Which iterator stage a stage is, if it is one.
pub(crate) fn iterator_name(stage: &ast::Stage) -> Option<&'static str> {
    match &stage.kind {
        ast::StageKind::Call { path, .. } => iterator_path(path),
        _ => None,
    }
}

/// Which iterator stage a path names, if it names one.
pub(crate) fn iterator_path(path: &[ast::Ident]) -> Option<&'static str> {
    let [name] = path else { return None };
    strand_ops::stage(&name.name).map(|stage| stage.name)
}

impl Checker<'_> {
    /// An iterator stage. `None` goes in where the input is wrong.
    pub(crate) fn iterator_stage(&mut self, input: Option<Flow>, call: &StageCall<'_>) -> Flow {
        let args = self.stage_args(call);
        let input = self.elements(input, args.over, call);
        match &*call.name.name {
            "map" => self.map_stage(input, &args, call),
            "filter" => self.filter_stage(input, &args, call),
            "zip" => self.zip_stage(input, &args, call),
            _ => self.enumerate_stage(input, &args, call),
        }
    }

    fn stage_args<'t>(&mut self, call: &StageCall<'t>) -> StageArgs<'t> {
        let stage = &call.name.name;
        let mut found = StageArgs::default();
        for arg in call.args {
            let problem = match &arg.name {
                Some(name) if &*name.name == "over" && found.over.is_none() => {
                    found.over = Some(arg);
                    None
                }
                Some(name) if &*name.name == "over" => {
                    Some((Code::E0702, name.span, "over= is given twice".to_owned()))
                }
                Some(name) => {
                    let message = format!("{stage} has no argument {}=, only over=", name.name);
                    Some((Code::E0702, name.span, message))
                }
                None if arg.mutable.is_some() => {
                    let span = arg.mutable.unwrap_or(arg.span);
                    let message = format!("{stage} changes nothing: it takes no mut argument");
                    Some((Code::E0705, span, message))
                }
                None if &**stage == "enumerate" => {
                    let message = "enumerate takes no argument but over=".to_owned();
                    Some((Code::E0701, arg.span, message))
                }
                None if found.first.is_none() => {
                    found.first = Some(arg);
                    None
                }
                None if &**stage == "zip" => {
                    let message = "zip takes one other iteration; write |> zip again".to_owned();
                    Some((Code::E0701, arg.span, message))
                }
                None => {
                    let message = format!("{stage} takes one function");
                    Some((Code::E0701, arg.span, message))
                }
            };
            if let Some((code, span, message)) = problem {
                found.wrong = true;
                self.error(code, span, message);
            }
        }
        if found.first.is_none() && !found.wrong && &**stage != "enumerate" {
            found.wrong = true;
            let message = if &**stage == "zip" {
                "zip needs another iteration: a size, a range or a tensor".to_owned()
            } else {
                format!("{stage} needs a function: v => ..., or a stage")
            };
            self.error(Code::E0703, call.span, message);
        }
        found
    }

    /// The elements that a stage iterates; `None` where they are wrong.
    fn elements(
        &mut self,
        input: Option<Flow>,
        over: Option<&ast::Arg>,
        call: &StageCall<'_>,
    ) -> Option<Iter> {
        match input? {
            Flow::Value { value, iterated } => {
                if value.ty.is_error() {
                    return Some(wrong_iteration(value));
                }
                self.slices(value, iterated, over, call)
            }
            Flow::Elements(iter) => {
                if let Some(over) = over {
                    self.refuse_over(over, &iter, call);
                }
                Some(iter)
            }
        }
    }

    fn map_stage(
        &mut self,
        input: Option<Iter>,
        args: &StageArgs<'_>,
        call: &StageCall<'_>,
    ) -> Flow {
        let input = input.unwrap_or_else(|| wrong_iteration(self.wrong(call.whole)));
        let Some(arg) = args.first else {
            return Flow::value(self.wrong(call.whole));
        };
        let Some(mut lambda) = self.stage_function(&arg.value, &input, &call.name.name) else {
            return Flow::value(self.wrong(call.whole));
        };
        lambda.body = self.lifted(lambda.body);
        let wrong = input.parts.iter().any(Type::is_error);
        let ty = match &lambda.body.ty {
            Type::Tensor(body) if !wrong => {
                let mut whole = body.clone();
                let axis = input.axis.clone();
                let axis = axis.made_from(
                    &input.axis.origin,
                    How::Words("iterated by the map"),
                    call.name.span,
                );
                whole.axes.insert(0, axis);
                Type::Tensor(whole)
            }
            Type::Tensor(_) => Type::Error,
            Type::Error => {
                self.refuse_more(&lambda.body);
                Type::Error
            }
            _ => {
                self.refuse_map_body(&lambda.body);
                Type::Error
            }
        };
        let kind = ExprKind::Map {
            iter: Box::new(input),
            lambda: Box::new(lambda),
            lowering: Lowering::Pending,
        };
        Flow::Value {
            value: Expr {
                kind,
                ty,
                span: call.whole,
            },
            iterated: true,
        }
    }

    /// A host number or bool as the `[]` tensor that an element is (decision 38).
    fn lifted(&mut self, body: Expr) -> Expr {
        let dtype = match &body.ty {
            Type::Host(strand_ir::Host::Int) => DType::I64,
            Type::Host(strand_ir::Host::Float) => DType::F32,
            Type::Host(strand_ir::Host::Bool) => DType::Bool,
            _ => return body,
        };
        self.lift(body, dtype)
    }

    /// E2403 for a map's body that isn't a tensor.
    fn refuse_map_body(&mut self, body: &Expr) {
        if self.refuse_more(body) {
            return;
        }
        if matches!(body.kind, ExprKind::Call { .. }) && self.silent == 0 {
            // What the function does instead is looked for once every function is typed.
            self.dropped_calls.push(body.clone());
        }
        let what = self.kind_of(&body.ty);
        let message = format!("map must give a tensor for each element; this is {what}");
        self.error(Code::E2403, body.span, message);
    }

    /// E2403 for a body that does something beside computing a value and gives no tensor: that is
    /// the better thing to say of it.
    fn refuse_more(&mut self, body: &Expr) -> bool {
        let phrase = match &body.kind {
            ExprKind::Op { op, .. } => op.op().effect().map(Effect::phrase),
            ExprKind::Py(PyExpr::Module(_)) => None,
            ExprKind::Py(_) => Some("Python"),
            _ => None,
        };
        if let Some(phrase) = phrase {
            self.report(only_computes(phrase, body.span));
        }
        phrase.is_some()
    }

    fn filter_stage(
        &mut self,
        input: Option<Iter>,
        args: &StageArgs<'_>,
        call: &StageCall<'_>,
    ) -> Flow {
        let input = input.unwrap_or_else(|| wrong_iteration(self.wrong(call.whole)));
        let Some(arg) = args.first else {
            return Flow::value(self.wrong(call.whole));
        };
        let Some(mut lambda) = self.stage_function(&arg.value, &input, "filter") else {
            return Flow::value(self.wrong(call.whole));
        };
        if lambda.body.ty == Type::Host(strand_ir::Host::Bool) {
            lambda.body = self.lift(lambda.body, DType::Bool);
        }
        if lambda.body.ty.is_error() {
            self.refuse_more(&lambda.body);
        }
        let mut wrong = lambda.body.ty.is_error() || input.parts.iter().any(Type::is_error);
        if !wrong && !is_condition(&lambda.body.ty) {
            self.refuse_filter_body(&lambda);
            wrong = true;
        }
        let size = self.birth(call.span, "kept by the filter");
        let iter = Iter {
            axis: Axis::unnamed(size).made_from(
                &input.axis.origin,
                How::Words("kept by the filter"),
                call.span,
            ),
            parts: input.parts.clone(),
            span: call.span,
            kind: IterKind::Filter {
                input: Box::new(input),
                lambda: Box::new(lambda),
                lowering: Lowering::Pending,
            },
        };
        if iter.parts.len() > 1 && !wrong {
            return Flow::Elements(iter);
        }
        let ty = match iter.parts.first() {
            Some(Type::Tensor(part)) if !wrong => {
                let mut whole = part.clone();
                whole.axes.insert(0, iter.axis.clone());
                Type::Tensor(whole)
            }
            _ => Type::Error,
        };
        let value = Expr {
            kind: ExprKind::Filter {
                iter: Box::new(iter),
            },
            ty,
            span: call.whole,
        };
        Flow::Value {
            value,
            iterated: true,
        }
    }

    fn refuse_filter_body(&mut self, lambda: &Lambda) {
        let body = &lambda.body;
        if self.refuse_more(body) {
            return;
        }
        let span = if lambda.by_name {
            lambda.span
        } else {
            body.span
        };
        let what = self.kind_of(&body.ty);
        let mut finding = Diagnostic::new(
            Code::E0502,
            span,
            format!("filter needs one bool for each element; this gives {what}"),
        );
        if let Type::Tensor(ty) = &body.ty {
            if ty.dtype == DType::Bool {
                finding = finding.note("`all` or `any` makes one bool of several.");
            } else if ty.rank() == 0 {
                finding = finding.note("A comparison gives one: `v > 0.0`.");
            }
        }
        self.report(finding);
    }

    fn zip_stage(
        &mut self,
        input: Option<Iter>,
        args: &StageArgs<'_>,
        call: &StageCall<'_>,
    ) -> Flow {
        let Some(arg) = args.first else {
            return Flow::value(self.wrong(call.whole));
        };
        let wanted = input.as_ref().map(|input| input.axis.clone());
        let other = self.other_elements(&arg.value, wanted.as_ref());
        let (Some(input), Some(other)) = (input, other) else {
            return Flow::value(self.wrong(call.whole));
        };
        if input.parts.iter().chain(&other.parts).any(Type::is_error) {
            return Flow::value(self.wrong(call.whole));
        }
        let Some(axis) = self.joined_axis(&input.axis, &other.axis) else {
            self.refuse_zip(&input, &other, &arg.value);
            return Flow::value(self.wrong(call.whole));
        };
        let parts = input.parts.iter().chain(&other.parts).cloned().collect();
        let kind = match input.kind {
            IterKind::Zip(mut sides) if sides.len() < 3 => {
                sides.push(other);
                IterKind::Zip(sides)
            }
            _ => IterKind::Zip(vec![input, other]),
        };
        Flow::Elements(Iter {
            kind,
            axis,
            parts,
            span: call.span,
        })
    }

    /// Zip's other iteration: a size, a range, or a tensor along its first axis if it is the
    /// result of a map or filter, its only axis, or the axis with the iterated axis's name.
    fn other_elements(&mut self, other: &ast::Expr, wanted: Option<&Axis>) -> Option<Iter> {
        let (value, iterated) = match self.iteration(other)? {
            Flow::Elements(iter) => return Some(iter),
            Flow::Value { value, iterated } => (value, iterated),
        };
        let ty = match &value.ty {
            Type::Error => return Some(wrong_iteration(value)),
            Type::Tensor(ty) if ty.rank() > 0 => ty.clone(),
            _ => {
                self.refuse_iteration(&value, other.span);
                return None;
            }
        };
        if ty.rank() == 1 || iterated {
            return Some(slices_along(value, &ty, 0));
        }
        let wanted = wanted?;
        let named: Vec<usize> = match wanted.name {
            Some(name) => (0..ty.rank())
                .filter(|at| ty.axes[*at].name == Some(name))
                .collect(),
            None => Vec::new(),
        };
        match named.as_slice() {
            [axis] => Some(slices_along(value, &ty, *axis)),
            [] => {
                self.no_axis_to_zip(&value, &ty, wanted);
                None
            }
            _ => {
                let message = format!(
                    "{} is twice an axis of {}: which one is zipped isn't clear",
                    self.show_axis(wanted),
                    self.quote(value.span)
                );
                let finding = Diagnostic::new(Code::E0407, value.span, message);
                let finding = self.axes_labelled(finding, &ty);
                self.report(finding);
                None
            }
        }
    }

    fn no_axis_to_zip(&mut self, value: &Expr, ty: &TensorType, wanted: &Axis) {
        let shape = ty.display_shape(&self.program.symbols);
        let text = self.quote(value.span);
        let message = match wanted.name {
            Some(_) => format!(
                "none of the axes of {text} is {}, which is iterated",
                self.show_axis(wanted)
            ),
            None => short(
                format!("{text} is {shape}: which of its axes is zipped isn't clear"),
                format!("which of {text}'s axes is zipped isn't clear"),
            ),
        };
        let mut finding =
            Diagnostic::new(Code::E0406, value.span, message).label(value.span, shape.clone());
        if let Some(origin) = wanted.origin.span() {
            let text = format!("{} is iterated here", self.show_axis(wanted));
            finding = finding.label(origin, text);
        }
        self.report(finding);
    }

    fn refuse_zip(&mut self, input: &Iter, other: &Iter, written: &ast::Expr) {
        let (left, right) = (self.show_axis(&input.axis), self.show_axis(&other.axis));
        let mut finding = Diagnostic::new(
            Code::E0501,
            written.span,
            format!("zip pairs equal axes: {left} is iterated, this has {right}"),
        );
        let sides = [
            (&input.axis, "the axis that is iterated", input.span),
            (&other.axis, "the axis of the other side", written.span),
        ];
        for (axis, role, place) in sides {
            finding = self.trace(finding, axis, role, place);
        }
        finding = finding.diff(self.in_order(
            Row {
                name: "iterated".to_owned(),
                axes: std::slice::from_ref(&input.axis),
            },
            Row {
                name: self.quote(written.span),
                axes: std::slice::from_ref(&other.axis),
            },
        ));
        self.report(finding);
    }

    fn enumerate_stage(
        &mut self,
        input: Option<Iter>,
        args: &StageArgs<'_>,
        call: &StageCall<'_>,
    ) -> Flow {
        let Some(input) = input.filter(|_| !args.wrong) else {
            return Flow::value(self.wrong(call.whole));
        };
        if input.parts.iter().any(Type::is_error) {
            return Flow::value(self.wrong(call.whole));
        }
        if input.parts.len() > 1 {
            self.error(
                Code::E3205,
                call.span,
                "enumerate takes one element at a time; pairs go to map or filter",
            );
            return Flow::value(self.wrong(call.whole));
        }
        let mut index = index_type(input.axis.clone());
        if !self.is_known(&input.axis) {
            index.domain = Domain::Plain;
        }
        let mut parts = vec![Type::Tensor(index)];
        parts.extend(input.parts.iter().cloned());
        Flow::Elements(Iter {
            axis: input.axis.clone(),
            parts,
            span: call.span,
            kind: IterKind::Enumerate(Box::new(input)),
        })
    }

    /// Whether an axis's size is known from the types: no birth is part of it.
    pub(crate) fn is_known(&self, axis: &Axis) -> bool {
        let symbols = axis.size.symbols();
        symbols
            .into_iter()
            .all(|symbol| self.program.symbols.get(symbol).kind != SymbolKind::Birth)
    }

    /// The types of what is iterated as whole tensors, the iterated axis first: what hints show.
    pub(crate) fn whole_types(&self, iter: &Iter) -> Type {
        let whole = |part: &Type| match part {
            Type::Tensor(part) => {
                let mut whole = part.clone();
                whole.axes.insert(0, iter.axis.clone());
                Type::Tensor(whole)
            }
            other => other.clone(),
        };
        match iter.parts.as_slice() {
            [part] => whole(part),
            parts => Type::Tuple(parts.iter().map(whole).collect()),
        }
    }
}

/// Whether a type is that of a filter's answer for one element.
fn is_condition(ty: &Type) -> bool {
    ty.tensor()
        .is_some_and(|ty| ty.rank() == 0 && ty.dtype == DType::Bool)
}
