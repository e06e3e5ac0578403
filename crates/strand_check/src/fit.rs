//! Whether a value may stand in its place: arguments, results, annotations.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, Parameter, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};

use crate::clash::Row;
use crate::context::Checker;
use crate::operators::short;
use crate::suggest::grouped;

/// A place that says what type its value has.
pub(crate) enum Slot<'s> {
    /// A parameter's argument.
    Argument {
        /// The function's name.
        function: &'s str,
        /// The parameter.
        param: &'s Parameter,
    },
    /// A function's result, with where its type is written.
    Result(Span),
    /// `y: T = e`, with where T is written.
    Annotation(Span),
    /// `m.w = e`, with where the field is declared.
    Field(Span),
}

impl Slot<'_> {
    fn shape_code(&self) -> Code {
        match self {
            Self::Argument { .. } => Code::E0501,
            Self::Result(_) | Self::Annotation(_) => Code::E0502,
            Self::Field(_) => Code::E0902,
        }
    }

    fn kind_code(&self) -> Code {
        match self {
            Self::Argument { .. } => Code::E0704,
            Self::Result(_) | Self::Annotation(_) => Code::E0502,
            Self::Field(_) => Code::E0902,
        }
    }

    /// The code of another dtype or domain.
    fn value_code(&self, code: Code) -> Code {
        match self {
            Self::Field(_) => Code::E0902,
            _ => code,
        }
    }

    /// Where the wanted type is written.
    fn declared(&self) -> Span {
        match self {
            Self::Argument { param, .. } => param.span,
            Self::Result(span) | Self::Annotation(span) | Self::Field(span) => *span,
        }
    }
}

impl Checker<'_> {
    /// The value as it stands in a place of type `wanted`: host numbers become `[]` tensors where
    /// one is wanted. What doesn't fit is reported and gives the expression of something wrong.
    pub(crate) fn fit(&mut self, value: Expr, wanted: &Type, slot: &Slot<'_>) -> Expr {
        let fits = match (&value.ty, wanted) {
            (Type::Error, _) => return self.wrong(value.span),
            (_, Type::Error) => true,
            (Type::Nothing, _) => {
                self.no_value(&value);
                return self.wrong(value.span);
            }
            (Type::Tuple(_), Type::Tuple(_)) => return self.fit_tuple(value, wanted, slot),
            (Type::Host(_), Type::Tensor(tensor)) if tensor.rank() == 0 => {
                let tensor = tensor.clone();
                return self.fit_host(value, &tensor, slot);
            }
            (Type::Tensor(given), Type::Tensor(wanted)) => {
                let (given, wanted) = (given.clone(), wanted.clone());
                self.fits_tensor(&value, &given, &wanted, slot)
            }
            (Type::Host(Host::Int), Type::Host(Host::Float)) => true,
            (Type::Py, Type::Tensor(_) | Type::Host(_)) => {
                let wanted = self.show(wanted);
                let finding = self
                    .python_shape(&value)
                    .label(slot.declared(), format!("{wanted} is wanted here"));
                self.report(finding);
                return self.wrong(value.span);
            }
            (given, wanted) if given == wanted => true,
            _ => {
                self.other_kind(&value, wanted, slot);
                false
            }
        };
        if fits { value } else { self.wrong(value.span) }
    }

    fn fit_tuple(&mut self, value: Expr, wanted: &Type, slot: &Slot<'_>) -> Expr {
        let (Type::Tuple(given), Type::Tuple(parts)) = (&value.ty, wanted) else {
            return value;
        };
        if given.len() != parts.len() {
            self.other_kind(&value, wanted, slot);
            return self.wrong(value.span);
        }
        let span = value.span;
        if let ExprKind::Tuple(values) = value.kind {
            let mut fitted = Vec::with_capacity(values.len());
            for (value, part) in values.into_iter().zip(parts) {
                fitted.push(self.fit(value, part, slot));
            }
            if fitted.iter().any(|part| part.ty.is_error()) {
                return self.wrong(span);
            }
            let ty = Type::Tuple(fitted.iter().map(|part| part.ty.clone()).collect());
            let kind = ExprKind::Tuple(fitted);
            return Expr { kind, ty, span };
        }
        // A call's result: its parts can't be converted one by one.
        for (given, part) in given.clone().iter().zip(parts) {
            if matches!(given, Type::Host(_)) && !part.is_error() && given != part {
                self.converted_part(&value, given, part, slot);
                return self.wrong(span);
            }
            let stand_in = Expr {
                kind: ExprKind::Error,
                ty: given.clone(),
                span,
            };
            if self.fit(stand_in, part, slot).ty.is_error() {
                return self.wrong(span);
            }
        }
        value
    }

    /// A number in a tuple that a call gives is no other kind of number or tensor.
    fn converted_part(&mut self, value: &Expr, given: &Type, wanted: &Type, slot: &Slot<'_>) {
        let text = self.name_of(value.span);
        let (has, wants) = (self.show(given), self.show(wanted));
        let message = short(
            format!("a part of {text} is {has}, but {wants} is wanted"),
            format!("a part of this is {has}, but {wants} is wanted"),
        );
        let finding = Diagnostic::new(slot.kind_code(), value.span, message)
            .label(slot.declared(), format!("{wants} is written here"))
            .note("Take it apart first, as in `(a, b) = f(x)`: its parts are converted then.");
        self.report(finding);
    }

    fn fit_host(&mut self, value: Expr, wanted: &TensorType, slot: &Slot<'_>) -> Expr {
        if wanted.domain != Domain::Plain && self.number_in(&value, wanted) != Some(true) {
            self.outside_domain(&value, wanted, slot);
            return self.wrong(value.span);
        }
        if matches!(value.ty, Type::Host(Host::Str)) {
            self.other_kind(&value, &Type::Tensor(wanted.clone()), slot);
            return self.wrong(value.span);
        }
        let mut lifted = self.lift(value, wanted.dtype);
        if let Type::Tensor(tensor) = &mut lifted.ty {
            tensor.domain = wanted.domain.clone();
        }
        lifted
    }

    /// Why a host number can't have a domain: a literal outside it, or one that only running tells.
    fn outside_domain(&mut self, value: &Expr, wanted: &TensorType, slot: &Slot<'_>) {
        let domain = wanted.domain.display(&self.program.symbols);
        let text = self.name_of(value.span);
        let certain = self.number_in(value, wanted) == Some(false);
        let message = match certain {
            true => format!("{text} is outside {domain}"),
            false => format!("{text} isn't known to be {domain}"),
        };
        let mut finding = Diagnostic::new(slot.value_code(Code::E0604), value.span, message)
            .label(slot.declared(), "the domain is written here");
        if !certain {
            let converted = format!("{} to {domain}", grouped(value.span.text(self.text)));
            let title = format!("check the value: `to {domain}`");
            finding = finding.fix(title, value.span, converted);
        }
        self.report(finding);
    }

    fn fits_tensor(
        &mut self,
        value: &Expr,
        given: &TensorType,
        wanted: &TensorType,
        slot: &Slot<'_>,
    ) -> bool {
        let agrees = given.rank() == wanted.rank()
            && given
                .axes
                .iter()
                .zip(&wanted.axes)
                .all(|(given, wanted)| self.serves(given, wanted, slot));
        if !agrees {
            self.other_shape(value, given, wanted, slot);
            return false;
        }
        if given.dtype != wanted.dtype {
            let wanted_dtype = wanted.dtype;
            let text = self.name_of(value.span);
            let converted = format!("{} to {wanted_dtype}", grouped(value.span.text(self.text)));
            let finding = Diagnostic::new(
                slot.value_code(Code::E0602),
                value.span,
                format!("{text} is {}, but {wanted_dtype} is wanted", given.dtype),
            )
            .label(slot.declared(), format!("{wanted_dtype} is written here"))
            .fix(format!("convert to {wanted_dtype}"), value.span, converted);
            self.report(finding);
            return false;
        }
        self.fits_domain(value, given, wanted, slot)
    }

    fn fits_domain(
        &mut self,
        value: &Expr,
        given: &TensorType,
        wanted: &TensorType,
        slot: &Slot<'_>,
    ) -> bool {
        let symbols = &self.program.symbols;
        if given.domain.serves(&wanted.domain, symbols) {
            return true;
        }
        let text = self.name_of(value.span);
        let domain = wanted.domain.display(symbols);
        let has = given.domain.display(symbols);
        let (code, message) = match (&given.domain, &wanted.domain) {
            (Domain::Index(_), Domain::Index(_)) => (
                Code::E0507,
                format!("{text} is {has}, but {domain} is wanted"),
            ),
            (_, Domain::Index(_)) => (
                Code::E0506,
                format!("{text} is i64, but {domain} is wanted"),
            ),
            _ => (Code::E0604, format!("{text} isn't known to be {domain}")),
        };
        let label = self.written_here(slot, domain.clone(), |checker, ty| {
            Some(ty.tensor()?.domain.display(&checker.program.symbols))
        });
        let mut finding = Diagnostic::new(slot.value_code(code), value.span, message)
            .label(slot.declared(), label);
        if let (Domain::Index(of), Domain::Index(axis)) = (&given.domain, &wanted.domain) {
            finding = self.declare_index(finding, of, axis, value.span);
            if self.is_converted_in(of, value.span) {
                self.report(finding);
                return false;
            }
        }
        let converted = format!("{} to {domain}", grouped(value.span.text(self.text)));
        let title = format!("check the values: `to {domain}`");
        self.report(finding.fix(title, value.span, converted));
        false
    }

    /// Whether an axis may stand where `wanted` is; `_` in a result or annotation takes any.
    fn serves(&self, given: &Axis, wanted: &Axis, slot: &Slot<'_>) -> bool {
        let open = !matches!(slot, Slot::Argument { .. })
            && wanted.name.is_none()
            && wanted
                .size
                .as_symbol()
                .is_some_and(|symbol| self.is_birth(symbol));
        open || given.agrees(wanted, &self.program.symbols)
    }

    fn other_shape(
        &mut self,
        value: &Expr,
        given: &TensorType,
        wanted: &TensorType,
        slot: &Slot<'_>,
    ) {
        let (has, wants) = (self.show_shape(given), self.show_shape(wanted));
        let text = self.name_of(value.span);
        let message = match slot {
            Slot::Argument { function, param } => short(
                format!(
                    "{function} wants {wants} for {}, but {text} is {has}",
                    param.name
                ),
                short(
                    format!("{} is {wants}, but this is {has}", param.name),
                    format!("this is {has}, not {}'s shape", param.name),
                ),
            ),
            Slot::Result(_) => short(
                format!("the result is {wants}, but {text} is {has}"),
                short(
                    format!("this is {has}, not the result's shape"),
                    "this isn't the result's shape".to_owned(),
                ),
            ),
            Slot::Annotation(_) => short(
                format!("{wants} is written, but {text} is {has}"),
                short(
                    format!("this is {has}, not the shape that is written"),
                    "this isn't the shape that is written".to_owned(),
                ),
            ),
            Slot::Field(_) => short(
                format!("the field is {wants}, but {text} is {has}"),
                short(
                    format!("this is {has}, not the field's shape"),
                    "this isn't the field's shape".to_owned(),
                ),
            ),
        };
        let written = match slot {
            Slot::Argument { param, .. } => param.ty.as_ref().map(|ty| self.show(ty)),
            _ => None,
        };
        let label = written.map_or_else(
            || format!("{wants} is written here"),
            |ty| format!("the parameter is {ty}"),
        );
        let mut finding =
            Diagnostic::new(slot.shape_code(), value.span, message).label(slot.declared(), label);
        if given.rank() == wanted.rank() {
            let pairs = given.axes.iter().zip(&wanted.axes).enumerate();
            let clash = pairs
                .filter(|(_, (given, wanted))| !self.serves(given, wanted, slot))
                .map(|(at, _)| at);
            for at in clash.take(2) {
                let role = format!("{} of {text}", crate::broadcast::place(at, given.rank()));
                finding = self.trace(finding, &given.axes[at], &role, value.span);
            }
        } else {
            let symbols = &self.program.symbols;
            let stray = |axis: &Axis| !wanted.axes.iter().any(|own| own.agrees(axis, symbols));
            let stray = given
                .axes
                .iter()
                .enumerate()
                .filter(|(_, axis)| stray(axis));
            let stray: Vec<usize> = stray.map(|(at, _)| at).collect();
            for at in stray.into_iter().take(2) {
                let role = format!("{} of {text}", crate::broadcast::place(at, given.rank()));
                finding = self.trace(finding, &given.axes[at], &role, value.span);
            }
        }
        let expected = match slot {
            Slot::Result(_) => "result",
            _ => "expected",
        };
        finding = finding.diff(self.in_order(
            Row {
                name: text,
                axes: &given.axes,
            },
            Row {
                name: expected.to_owned(),
                axes: &wanted.axes,
            },
        ));
        finding.notes.extend(match slot {
            Slot::Result(_) => Some(self.torch_returns(given)),
            _ => self.torch_passes(&given.axes, &wanted.axes),
        });
        for mend in self.mends(value, wanted) {
            finding = finding.fix(mend.title, mend.span, mend.text);
        }
        finding = self.shape_fixes(finding, value, given, wanted);
        if let Slot::Result(written) = slot
            && given.dtype == wanted.dtype
        {
            finding = self.written_as_given(finding, given, *written);
        }
        self.report(finding);
    }

    /// The fix that writes the result's type as the value has it; `_` for a size known only while
    /// running.
    fn written_as_given(&self, finding: Diagnostic, given: &TensorType, at: Span) -> Diagnostic {
        let written = at.text(self.text);
        let Some(shape) = written.find(']').filter(|_| written.starts_with('[')) else {
            return finding;
        };
        let axes: Vec<String> = given
            .axes
            .iter()
            .map(|axis| self.writable(axis).unwrap_or_else(|| "_".to_owned()))
            .collect();
        let text = format!("[{}]", axes.join(" "));
        let place = Span::new(at.start, at.start + shape as u32 + 1);
        finding
            .fix(format!("-> {text}"), place, text)
            .meaning("writes the result as it is")
    }

    fn shape_fixes(
        &self,
        finding: Diagnostic,
        value: &Expr,
        given: &TensorType,
        wanted: &TensorType,
    ) -> Diagnostic {
        let symbols = &self.program.symbols;
        let shape = wanted.display_shape(symbols);
        let names = |tensor: &TensorType| -> Option<Vec<strand_ir::SymbolId>> {
            let names: Option<Vec<_>> = tensor
                .axes
                .iter()
                .filter(|axis| axis.size.as_constant() != Some(1))
                .map(|axis| axis.name)
                .collect();
            let mut names = names?;
            strand_source::sort(&mut names);
            Some(names)
        };
        // Two names can be said to be one only where their sizes may be; what is known to be
        // another axis would fail when it runs.
        let may_be = |(given, wanted): (&Axis, &Axis)| {
            given.agrees(wanted, symbols)
                || given.size.same(&wanted.size, symbols)
                || given.name.is_none()
                || wanted.name.is_none()
        };
        let text = grouped(value.span.text(self.text));
        let inside = |tensor: &TensorType| {
            let mut axes = tensor.axes.iter().filter_map(|axis| axis.name);
            axes.all(|name| self.symbol(symbols.name(name)) == Some(name))
        };
        let rearranged = format!(" to {shape}");
        let rearranges = |fix: &strand_source::Fix| fix.title.ends_with(&rearranged);
        if !inside(wanted) || finding.fixes.iter().any(rearranges) {
            return finding;
        }
        match (names(given), names(wanted)) {
            (Some(a), Some(b)) if a == b && !a.is_empty() => finding
                .write(value.span, format!("{text} to {shape}"))
                .meaning("the axes in that order"),
            _ if given.rank() == wanted.rank()
                && given.axes.iter().zip(&wanted.axes).all(may_be) =>
            {
                finding
                    .write(value.span, format!("{text} as {shape}"))
                    .meaning("states the shape, and checks sizes when it runs")
            }
            _ => finding,
        }
    }

    /// What is written in a place where `wants` is wanted: a parameter may have it in its own names.
    fn written_here(
        &self,
        slot: &Slot<'_>,
        wants: String,
        show: fn(&Self, &Type) -> Option<String>,
    ) -> String {
        let written = match slot {
            Slot::Argument { param, .. } => param.ty.as_ref().and_then(|ty| show(self, ty)),
            _ => None,
        };
        format!("{} is written here", written.unwrap_or(wants))
    }

    fn other_kind(&mut self, value: &Expr, wanted: &Type, slot: &Slot<'_>) {
        let text = self.name_of(value.span);
        let (has, wants) = (self.show(&value.ty), self.show(wanted));
        let message = match slot {
            Slot::Argument { param, .. } => short(
                format!("{} is {wants}, but {text} is {has}", param.name),
                short(
                    format!("{} is {wants}, not {has}", param.name),
                    format!("this is {has}, not {}'s type", param.name),
                ),
            ),
            _ => short(
                format!("{wants} is written, but {text} is {has}"),
                short(
                    format!("this is {has}, not {wants}"),
                    short(
                        format!("this is {has}, not the type that is written"),
                        "this isn't of the type that is written".to_owned(),
                    ),
                ),
            ),
        };
        let shape = value.ty.tensor().is_some() || wanted.tensor().is_some();
        let host = matches!(value.ty, Type::Host(_));
        let code = if shape && host && wanted.tensor().is_some() {
            slot.shape_code()
        } else {
            slot.kind_code()
        };
        let mut finding = Diagnostic::new(code, value.span, message).label(
            slot.declared(),
            self.written_here(slot, wants.clone(), |checker, ty| Some(checker.show(ty))),
        );
        let scalar = value.ty.tensor().is_some_and(|tensor| tensor.rank() == 0);
        if scalar && matches!(wanted, Type::Host(Host::Int | Host::Float | Host::Bool)) {
            let read = format!("item({})", value.span.text(self.text));
            finding = finding
                .note("`item` reads a tensor without axes as a host number.")
                .write(value.span, read);
        }
        if let (Type::Tensor(tensor), true) = (wanted, value.ty.is_host_number())
            && tensor.dtype != DType::Bool
            && matches!(slot, Slot::Result(_) | Slot::Annotation(_))
        {
            let made = format!("full({wants}, {})", value.span.text(self.text));
            finding = finding.write(value.span, made);
        }
        self.report(finding);
    }
}
