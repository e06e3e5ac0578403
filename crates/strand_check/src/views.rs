//! `show`: which values a view draws, and which options belong to it.

use strand_ir::{Axis, Expr, ExprKind, Over, TensorType, Type};
use strand_ops::{DType, OpId, ParamKind, View};
use strand_source::{Code, Diagnostic, Span};

use crate::builtins::OpCall;
use crate::context::Checker;
use crate::operators::short;
use crate::suggest::{grouped, nearest};

/// A `view=` as it is written.
#[derive(Clone, Copy)]
struct Asked {
    view: View,
    /// The text with its quotes.
    span: Span,
}

impl Checker<'_> {
    /// `show(x, view="heat")`
    pub(crate) fn show_call(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (first, given) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        let mut fine = self.is_operand(&value, call.op.name);
        let mut asked = None;
        let mut args = vec![value];
        let mut params = Vec::new();
        for (param, arg) in given {
            let option = self.argument(arg, None, false);
            if option.ty.is_error() || !self.param_takes(call.op, param, &option) {
                fine = false;
                continue;
            }
            if param.kind == ParamKind::Text {
                asked = self.asked_view(&option);
                fine &= asked.is_some();
            } else if let Some(view) = View::of_option(param.name)
                && asked.is_none_or(|asked: Asked| asked.view != view)
            {
                if fine {
                    let place = arg.keyword().map_or(arg.span(), |keyword| keyword.span);
                    let name = view.name();
                    let message = format!("only view=\"{name}\" has `{}`", param.name);
                    self.error(Code::E0702, place, message);
                }
                fine = false;
            } else if param.kind == ParamKind::Tensor {
                args.push(option);
                continue;
            } else {
                fine &= self.is_in_bounds(param.name, &option);
            }
            params.push((param.name, option));
        }
        if let (Some(asked), true, [value, colors @ ..]) = (asked, fine, args.as_slice()) {
            fine = self.draws(asked, value)
                && colors
                    .first()
                    .is_none_or(|colors| self.is_color(colors, value));
        }
        // In a stage's function only E2403 is said of it.
        let ty = if self.body.lambdas > 0 || !fine {
            Type::Error
        } else {
            Type::Nothing
        };
        Some(Expr {
            kind: ExprKind::Op {
                op: OpId::Show,
                args,
                over: Over::None,
                params,
            },
            ty,
            span: call.span,
        })
    }

    /// The view that a text names; E0704.
    fn asked_view(&mut self, text: &Expr) -> Option<Asked> {
        let ExprKind::Str(name) = &text.kind else {
            let message = "a view is a text as it stands: view=\"heat\"";
            self.error(Code::E0704, text.span, message);
            return None;
        };
        if let Some(view) = View::find(name) {
            let span = text.span;
            return Some(Asked { view, span });
        }
        let message = short(
            format!("there's no view \"{name}\""),
            "there's no such view".to_owned(),
        );
        let finding = Diagnostic::new(Code::E0704, text.span, message)
            .note("The views are table, heat, image, frames, scatter, line, bars and hist.");
        let begun = View::ALL
            .into_iter()
            .map(View::name)
            .find(|view| name.starts_with(view));
        let near = begun.or_else(|| nearest(name, View::ALL.into_iter().map(View::name)));
        let finding = match near {
            Some(near) => finding.write(text.span, format!("\"{near}\"")),
            None => finding,
        };
        self.report(finding);
        None
    }

    /// E0704 of a number that an option can't be.
    fn is_in_bounds(&mut self, option: &str, value: &Expr) -> bool {
        let most = View::most(option);
        let Some(number) = self
            .program
            .size_of(value)
            .and_then(|size| self.known(&size))
        else {
            return true;
        };
        if (1..=most).contains(&number) {
            return true;
        }
        let message = format!("`{option}` is from 1 to {most}, not {number}");
        self.error(Code::E0704, value.span, message);
        false
    }

    /// Whether a view draws a value: E0514 for its shape, E0603 for truth values.
    fn draws(&mut self, asked: Asked, value: &Expr) -> bool {
        let Asked { view, span } = asked;
        let axes = value.ty.tensor().map_or(&[][..], |ty| &ty.axes);
        let sizes: Vec<Option<i64>> = axes.iter().map(|axis| self.known(&axis.size)).collect();
        if !view.takes(&sizes) {
            self.wrong_view(asked, value, &sizes);
            return false;
        }
        let is_bool = value.ty.tensor().is_some_and(|ty| ty.dtype == DType::Bool);
        if is_bool && !view.takes_bools() {
            let message = format!("view=\"{}\" draws numbers, not bool", view.name());
            let converted = format!("{} to i64", grouped(value.span.text(self.text)));
            let finding = Diagnostic::new(Code::E0603, value.span, message)
                .label(span, "this view")
                .fix("convert to i64", value.span, converted);
            self.report(finding);
            return false;
        }
        true
    }

    fn wrong_view(&mut self, asked: Asked, value: &Expr, sizes: &[Option<i64>]) {
        let Asked { view, span } = asked;
        let (name, draws) = (view.name(), view.draws());
        let is = match value.ty.tensor() {
            Some(tensor) if tensor.rank() > 0 => tensor.display_shape(&self.program.symbols),
            _ => "one number".to_owned(),
        };
        let text = self.name_of(value.span);
        let message = short(
            short(
                format!("{name} draws {draws}; {text} is {is}"),
                format!("{name} draws {draws}; this is {is}"),
            ),
            format!("{name} draws {draws}"),
        );
        let mut finding =
            Diagnostic::new(Code::E0514, value.span, message).label(span, "this view");
        if let Some(target) = self.turned(view, value, sizes) {
            let converted = format!("{} to {target}", grouped(value.span.text(self.text)));
            finding = finding.write(value.span, converted);
        }
        for other in fitting(sizes) {
            let doc = other.doc().trim_end_matches('.');
            finding = finding
                .write(span, format!("\"{}\"", other.name()))
                .meaning(lowered(doc));
        }
        self.report(finding);
    }

    /// The shape with the axis last that the view wants last: PyTorch has colours before the rows.
    fn turned(&self, view: View, value: &Expr, sizes: &[Option<i64>]) -> Option<String> {
        let tensor = value.ty.tensor()?;
        let (at, size) = match (view, sizes) {
            (View::Image, [Some(3), _, _]) => (0, 3),
            (View::Frames, [_, Some(3), _, _]) => (1, 3),
            (View::Scatter, [Some(2), _]) => (0, 2),
            _ => return None,
        };
        let mut turned = sizes.to_vec();
        turned.remove(at);
        turned.push(Some(size));
        let mut axes: Vec<Axis> = tensor.axes.clone();
        let last = axes.remove(at);
        axes.push(last);
        view.takes(&turned)
            .then(|| TensorType::new(axes, tensor.dtype))
            .map(|ty| ty.display_shape(&self.program.symbols))
    }

    /// Whether there is a label for each point: E0514 for another shape, E0603 for other dtypes.
    fn is_color(&mut self, colors: &Expr, points: &Expr) -> bool {
        let (Some(labels), Some(drawn)) = (colors.ty.tensor(), points.ty.tensor()) else {
            return false;
        };
        if !labels.dtype.is_int() && labels.dtype != DType::Bool {
            let message = format!("`color` is a label for each point, not {}", labels.dtype);
            self.error(Code::E0603, colors.span, message);
            return false;
        }
        let symbols = &self.program.symbols;
        if let ([own], [rows, _]) = (labels.axes.as_slice(), drawn.axes.as_slice())
            && own.agrees(rows, symbols)
        {
            return true;
        }
        let is = labels.display_shape(symbols);
        let message = short(
            format!("`color` is a label for each point; this is {is}"),
            "`color` is a label for each point".to_owned(),
        );
        let shape = drawn.display_shape(symbols);
        let finding = Diagnostic::new(Code::E0514, colors.span, message);
        self.report(finding.label(points.span, format!("the points are {shape}")));
        false
    }
}

/// The views that are worth offering for a shape.
fn fitting(sizes: &[Option<i64>]) -> Vec<View> {
    let order: &[View] = match sizes.len() {
        0 => &[],
        1 => &[View::Bars, View::Line],
        2 => &[View::Heat],
        3 => &[View::Image, View::Frames],
        _ => &[View::Frames, View::Heat],
    };
    let mut fitting = order.iter().copied();
    let first = fitting.find(|view| view.takes(sizes));
    first.into_iter().chain(fitting.next()).collect()
}

/// A sentence as a part of another one.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
