//! Losses: `mse`, `cross_entropy`.

use strand_ir::{Axis, Domain, Expr, ExprKind, Over, TensorType, Type};
use strand_ops::{DType, OpId};
use strand_source::{Code, Diagnostic};

use crate::builtins::{OpCall, certain};
use crate::clash::Row;
use crate::context::Checker;
use crate::operators::{op_expr, short, takes};
use crate::suggest::grouped;

impl Checker<'_> {
    /// `mse(prediction, target)`
    pub(crate) fn loss(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let values = self.two_values(call)?;
        if values.iter().all(|value| value.ty.tensor().is_none()) {
            let ty = self.show(&values[0].ty);
            let message = format!("{} compares tensors, not {ty}", call.op.name);
            self.error(Code::E0704, values[0].span, message);
            return None;
        }
        if call.op.id == OpId::BinaryCrossEntropy {
            self.is_probable(call, &values)?;
        }
        let all = self.elementwise_type(call.op.name, &values, Some(call.op))?;
        let values = values.into_iter().map(|value| self.lift(value, all.dtype));
        let values = values.collect();
        let ty = Type::Tensor(TensorType {
            axes: Vec::new(),
            dtype: all.dtype,
            domain: certain(call.op.domain, all.dtype),
        });
        Some(op_expr(call.op.id, values, ty, call.span))
    }

    /// E0604 of a prediction that may lie outside 0..1, E0503 of a target of another shape.
    fn is_probable(&mut self, call: &OpCall<'_, '_>, values: &[Expr]) -> Option<()> {
        let [found, target] = values else {
            return None;
        };
        let dtype = self.common_dtype(&[found, target])?;
        if !takes(call.op.dtype, dtype) {
            self.not_defined(call.op.name, call.op.dtype, dtype, found);
            return None;
        }
        let certain = found.ty.tensor().map(|ty| &ty.domain);
        if certain != Some(&Domain::Prob) {
            let text = self.name_of(found.span);
            let message = format!("{text} isn't known to be probabilities, from 0 to 1");
            let written = found.span.text(self.text);
            let mut finding = Diagnostic::new(Code::E0604, found.span, message);
            if found.ty.tensor().is_some() {
                finding = finding
                    .write(found.span, format!("sigmoid({written})"))
                    .meaning("of scores")
                    .write(found.span, format!("{} to Prob", grouped(written)))
                    .meaning("checks its values when it runs");
            }
            self.report(finding);
            return None;
        }
        let symbols = &self.program.symbols;
        let shape = |value: &Expr| {
            value
                .ty
                .tensor()
                .map(|ty| ty.axes.clone())
                .unwrap_or_default()
        };
        let (own, wanted) = (shape(target), shape(found));
        let same =
            own.len() == wanted.len() && own.iter().zip(&wanted).all(|(a, b)| a.agrees(b, symbols));
        if !same {
            let wanted = TensorType::new(wanted, DType::F32).display_shape(symbols);
            let message = short(
                format!(
                    "this is {}: each prediction of {wanted} has its own target",
                    self.show(&target.ty)
                ),
                "each prediction has its own target".to_owned(),
            );
            let finding = Diagnostic::new(Code::E0503, target.span, message);
            self.report(finding.label(found.span, wanted));
            return None;
        }
        Some(())
    }

    fn two_values(&mut self, call: &OpCall<'_, '_>) -> Option<Vec<Expr>> {
        let (first, _) = self.split_args(call, 2)?;
        let values: Vec<Expr> = first
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
        Some(values)
    }

    /// `cross_entropy(scores, labels)`: the classes are the axis that the labels are indices of.
    pub(crate) fn index_loss(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let values = self.two_values(call)?;
        let [scores, labels] = values.as_slice() else {
            return None;
        };
        let (Some(left), Some(right)) = (scores.ty.tensor(), labels.ty.tensor()) else {
            let odd = if scores.ty.tensor().is_none() {
                scores
            } else {
                labels
            };
            let ty = self.show(&odd.ty);
            let message = format!("{} takes scores and labels, not {ty}", call.op.name);
            self.error(Code::E0704, odd.span, message);
            return None;
        };
        if !takes(call.op.dtype, left.dtype) {
            self.not_defined(call.op.name, call.op.dtype, left.dtype, scores);
            return None;
        }
        let Domain::Index(classes) = &right.domain else {
            self.labels_are_not_indices(scores, left, labels, right);
            return None;
        };
        let axis = self.class_axis(scores, left, labels, right, classes)?;
        self.labels_fit(scores, left, labels, right, axis)?;
        let ty = Type::Tensor(TensorType::new(Vec::new(), left.dtype));
        let kind = ExprKind::Op {
            op: call.op.id,
            over: Over::Axes(vec![axis]),
            args: values,
            params: Vec::new(),
        };
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// The place of the scores' axis that the labels are indices of. E0507, E0407.
    fn class_axis(
        &mut self,
        scores: &Expr,
        left: &TensorType,
        labels: &Expr,
        right: &TensorType,
        classes: &Axis,
    ) -> Option<usize> {
        let symbols = &self.program.symbols;
        let fits = |at: &usize| left.axes[*at].agrees(classes, symbols);
        let mut found: Vec<usize> = (0..left.rank()).filter(fits).collect();
        // One that has the name itself is meant before one that is as large.
        let named = |at: &usize| classes.name.is_some() && left.axes[*at].name == classes.name;
        if found.iter().any(named) {
            found.retain(named);
        }
        match found.as_slice() {
            [at] => Some(*at),
            [_, ..] => {
                let (shape, class) = (left.display_shape(symbols), self.show_axis(classes));
                let message = short(
                    format!("the classes {class} are more than one axis of {shape}"),
                    "the classes are more than one axis of the scores".to_owned(),
                );
                self.error(Code::E0407, scores.span, message);
                None
            }
            [] => {
                let class = self.show_axis(classes);
                let (a, b) = (left.display_shape(symbols), right.display(symbols));
                let (x, y) = (self.name_of(scores.span), self.name_of(labels.span));
                let message = short(
                    format!("{y} holds indices of {class}, but {x} has no axis {class}: it is {a}"),
                    short(
                        format!("the labels are indices of {class}, which isn't an axis of {a}"),
                        "the labels are indices of an axis that the scores don't have".to_owned(),
                    ),
                );
                let mut finding = Diagnostic::new(Code::E0507, labels.span, message)
                    .label(scores.span, a)
                    .label(labels.span, b);
                if let Some(place) = self.index_declared(classes)
                    && !labels.span.contains(place)
                {
                    finding = finding.label(place, format!("Index[{class}] is declared here"));
                }
                let fitting = (0..left.rank()).filter(|at| self.has_labels(left, right, *at));
                if let [at] = fitting.collect::<Vec<_>>()[..] {
                    let takes = self.torch_takes_classes(classes, &left.axes);
                    finding.notes.extend(takes.filter(|_| at == 1));
                    finding = self.label_fixes(finding, labels, classes, &left.axes[at]);
                }
                self.report(finding);
                None
            }
        }
    }

    /// Whether the labels' axes are the scores' without the one at `at`.
    fn has_labels(&self, scores: &TensorType, labels: &TensorType, at: usize) -> bool {
        let others = scores.axes.iter().enumerate();
        let others = others.filter(|(other, _)| *other != at);
        let mut pairs = others.zip(&labels.axes);
        scores.rank() == labels.rank() + 1
            && pairs.all(|((_, a), b)| a.agrees(b, &self.program.symbols))
    }

    /// What makes labels that are indices of `classes` those of `axis`.
    fn label_fixes(
        &self,
        finding: Diagnostic,
        labels: &Expr,
        classes: &Axis,
        axis: &Axis,
    ) -> Diagnostic {
        let finding = self.declare_index(finding, classes, axis, labels.span);
        match self.writable(axis) {
            Some(name) if !self.is_converted_in(classes, labels.span) => {
                let text = grouped(labels.span.text(self.text));
                finding
                    .write(labels.span, format!("{text} to Index[{name}]"))
                    .meaning("checks its values when it runs")
            }
            _ => finding,
        }
    }

    /// E0503 of labels whose axes aren't the scores' others.
    fn labels_fit(
        &mut self,
        scores: &Expr,
        left: &TensorType,
        labels: &Expr,
        right: &TensorType,
        axis: usize,
    ) -> Option<()> {
        let mut others = left.axes.clone();
        let classes = others.remove(axis);
        let symbols = &self.program.symbols;
        let same = others.len() == right.rank()
            && others
                .iter()
                .zip(&right.axes)
                .all(|(a, b)| a.agrees(b, symbols));
        if same {
            return Some(());
        }
        let diff = self.in_order(
            Row {
                name: self.name_of(labels.span),
                axes: &right.axes,
            },
            Row {
                name: "expected".to_owned(),
                axes: &others,
            },
        );
        let wanted = TensorType::new(others, DType::I64).display_shape(symbols);
        let found = right.display_shape(symbols);
        let y = self.name_of(labels.span);
        let class = self.show_axis(&classes);
        let message = short(
            format!("{y} is {found}: a label for each of {wanted} is needed"),
            "there is a label for each place of the scores beside the classes".to_owned(),
        );
        let finding = Diagnostic::new(Code::E0503, labels.span, message)
            .label(scores.span, left.display_shape(symbols))
            .label(labels.span, format!("{y} is {found}"))
            .diff(diff)
            .note(format!(
                "The classes are {class}, which the labels are indices of."
            ));
        let text = format!("{} to {wanted}", grouped(labels.span.text(self.text)));
        let finding = finding.write(labels.span, text);
        self.report(finding);
        None
    }

    /// E0506 of labels that aren't indices: whole numbers, or a row of numbers per sample.
    fn labels_are_not_indices(
        &mut self,
        scores: &Expr,
        left: &TensorType,
        labels: &Expr,
        right: &TensorType,
    ) {
        let y = self.name_of(labels.span);
        let ty = right.display(&self.program.symbols);
        let message = short(
            format!("{y} is {ty}: labels are indices of the class axis"),
            "labels are indices of the class axis".to_owned(),
        );
        let mut finding = Diagnostic::new(Code::E0506, labels.span, message)
            .label(scores.span, left.display_shape(&self.program.symbols));
        let text = grouped(labels.span.text(self.text));
        if right.rank() == left.rank() && left.rank() > 0 {
            let over = self.over_text(left, left.rank() - 1);
            let plain = labels.span.text(self.text);
            let written = format!("argmax({plain}, over={over})");
            finding = finding.note("One-hot rows hold their label at their greatest element.");
            finding = finding.write(labels.span, written);
        } else if right.dtype == DType::I64 {
            let class = left.axes.iter().rev().find(|axis| {
                !right
                    .axes
                    .iter()
                    .any(|own| own.agrees(axis, &self.program.symbols))
            });
            if let Some(class) = class {
                let written = format!("{text} to Index[{}]", class.display(&self.program.symbols));
                finding = finding.write(labels.span, written);
            }
        } else {
            finding = finding.note(format!("Say of which axis: `{text} to i64 to Index[C]`."));
        }
        self.report(finding);
    }
}
