//! Built-ins that slide windows along the last axes: `conv1d`, `conv2d`, `max_pool2d`.

use strand_ir::{Axis, Expr, How, Over, Size, TensorType, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic};

use crate::builtins::OpCall;
use crate::context::Checker;
use crate::operators::short;
use crate::special::{Given, divided, made};

impl Checker<'_> {
    /// `conv1d(x, w)`, `conv2d(x, w, bias, stride=2, padding=1)`
    pub(crate) fn convolved(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let along = if call.op.id == OpId::Conv1d { 1 } else { 2 };
        let given = call.args.iter().filter(|arg| arg.keyword().is_none());
        let leading = if given.count() > 2 { 3 } else { 2 };
        let (found, params) = self.tensors_of(call, leading)?;
        let params = self.param_values(call, &params)?;
        let (input, weights) = (found.first()?, found.get(1)?);
        let (rank, spatial) = (input.1.rank(), along);
        if rank != spatial + 1 && rank != spatial + 2 {
            let wants = match spatial {
                1 => "[channels size] or [batch channels size]",
                _ => "[channels height width] or a batch of these",
            };
            self.wrong_rank(call, input, wants);
            return None;
        }
        if weights.1.rank() != spatial + 2 {
            let wants = match spatial {
                1 => "weights as [out channels size]",
                _ => "weights as [out channels height width]",
            };
            self.wrong_rank(call, weights, wants);
            return None;
        }
        let channels = rank - spatial - 1;
        let met = (&input.1.axes[channels], &weights.1.axes[1]);
        if self.joined_axis(met.0, met.1).is_none() {
            let left = (&input.0, &input.1, channels);
            self.no_contraction(call, left, (&weights.0, &weights.1, 1));
            return None;
        }
        let out = weights.1.axes[0].clone();
        if let Some(bias) = found.get(2) {
            let fits = bias.1.rank() == 1 && self.joined_axis(&bias.1.axes[0], &out).is_some();
            if !fits {
                let wants = format!("a bias as [{}]", self.show_axis(&out));
                self.wrong_rank(call, bias, &wants);
                return None;
            }
        }
        let mut axes = input.1.axes[..channels].to_vec();
        axes.push(out);
        for at in 0..spatial {
            let axis = &input.1.axes[channels + 1 + at];
            let window = weights.1.axes[2 + at].size.clone();
            axes.push(self.slid(call, axis, Some(&window), &params)?);
        }
        let ty = Type::Tensor(TensorType::new(axes, input.1.dtype));
        let args = found.into_iter().map(|(value, _)| value).collect();
        Some(made(call, args, Over::None, params, ty))
    }

    /// `max_pool2d(x, 2)`
    pub(crate) fn pooled(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (mut found, params) = self.tensors_of(call, 1)?;
        let params = self.param_values(call, &params)?;
        let one = found.pop()?;
        let rank = one.1.rank();
        if rank != 3 && rank != 4 {
            self.wrong_rank(call, &one, "[channels height width] or a batch of these");
            return None;
        }
        let (_, kernel) = params.iter().find(|(name, _)| *name == "kernel")?;
        let window = self.program.size_of(kernel);
        let known = window.as_ref().and_then(|window| self.known(window));
        if known.is_some_and(|window| window < 1) {
            self.error(Code::E0201, kernel.span, "a window has a positive size");
            return None;
        }
        let padding = self.given_size(&params, "padding").map(|(size, _)| size);
        let padding = padding.and_then(|padding| self.known(&padding));
        if let (Some(known), Some(padding)) = (known, padding)
            && padding > known / 2
        {
            let (_, value) = params.iter().find(|(name, _)| *name == "padding")?;
            let message = "max_pool2d pads by at most half of its window";
            self.error(Code::E0704, value.span, message);
            return None;
        }
        let mut axes = one.1.axes[..rank - 2].to_vec();
        for axis in &one.1.axes[rank - 2..] {
            axes.push(self.slid(call, axis, window.as_ref(), &params)?);
        }
        let ty = Type::Tensor(TensorType { axes, ..one.1 });
        Some(made(call, vec![one.0], Over::None, params, ty))
    }

    /// A parameter's value as a size; `None` where it isn't given or isn't one.
    fn given_size(&self, params: &Given, name: &str) -> Option<(Size, strand_source::Span)> {
        let (_, value) = params.iter().find(|(given, _)| *given == name)?;
        Some((self.program.size_of(value)?, value.span))
    }

    /// The axis of a window's places along another one: `(size + 2 * padding - window) // stride + 1`.
    fn slid(
        &mut self,
        call: &OpCall<'_, '_>,
        axis: &Axis,
        window: Option<&Size>,
        params: &Given,
    ) -> Option<Axis> {
        let is_given = |name: &str| params.iter().any(|(given, _)| *given == name);
        // A pool's windows lie side by side where it isn't said otherwise.
        let beside = call.op.id == OpId::MaxPool2d && !is_given("stride");
        let mut number = |name: &'static str, default: i64, least: i64| {
            let Some((_, value)) = params.iter().find(|(given, _)| *given == name) else {
                return Some(Some(Size::constant(default)));
            };
            let size = self.program.size_of(value);
            let known = size.as_ref().and_then(|size| self.known(size));
            if known.is_some_and(|known| known < least) {
                let message = format!("{}'s `{name}` is at least {least}", call.op.name);
                self.error(Code::E0704, value.span, message);
                return None;
            }
            Some(size)
        };
        let (stride, padding) = (number("stride", 1, 1)?, number("padding", 0, 0)?);
        let stride = if beside { window.cloned() } else { stride };
        let size = self.places(call, axis, window, stride, padding)?;
        let made = match &size {
            Some(size) if size.same(&axis.size, &self.program.symbols) => axis.clone(),
            Some(size) => Axis::unnamed(size.clone()),
            None => Axis::unnamed(self.birth(call.span, "the windows of a stride")),
        };
        Some(made.made_from(&axis.origin, How::Words("the windows"), call.span))
    }

    /// How many places a window has, if the types say it; E0501 where it certainly has none.
    fn places(
        &mut self,
        call: &OpCall<'_, '_>,
        axis: &Axis,
        window: Option<&Size>,
        stride: Option<Size>,
        padding: Option<Size>,
    ) -> Option<Option<Size>> {
        let symbols = &self.program.symbols;
        let stride = stride.and_then(|stride| self.known(&stride));
        let (Some(window), Some(stride), Some(padding)) = (window, stride, padding) else {
            return Some(None);
        };
        let both = padding.add(&padding).ok();
        let room = both.and_then(|both| axis.size.add(&both).ok()?.sub(window).ok());
        let Some(room) = room else {
            self.too_large(call.span);
            return None;
        };
        let room = if stride == 1 {
            room
        } else {
            room.ground(symbols)
        };
        if self.known(&room).is_some_and(|room| room < 0) {
            let (wide, axis) = (window.display(symbols), self.show_axis(axis));
            let message = short(
                format!("a window of {wide} doesn't fit into {axis}"),
                "the window doesn't fit".to_owned(),
            );
            let finding = Diagnostic::new(Code::E0501, call.args_span, message);
            self.report(finding.note("`padding=` adds zeros at both ends."));
            return None;
        }
        let rest = room.terms().find(|(symbols, _)| symbols.is_empty());
        let rest = Size::constant(rest.map_or(0, |(_, number)| number));
        let whole = Size::constant(self.known(&rest).unwrap_or(0).div_euclid(stride.max(1)));
        let count = room
            .sub(&rest)
            .ok()
            .and_then(|steps| divided(&steps, stride))
            .and_then(|steps| steps.add(&whole).ok()?.add(&Size::constant(1)).ok());
        Some(count)
    }
}
