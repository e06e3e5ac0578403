//! What a call binds a function's axis names to, and its result in the caller's terms.

use strand_ir::{Axis, Domain, Expr, How, Parameter, Size, SizeBinding, SymbolId, SymbolKind};
use strand_ir::{TensorType, Type};
use strand_source::{Code, Diagnostic, Map, Set, Span};

use crate::calls::CallArg;
use crate::context::Checker;
use crate::fit::Slot;
use crate::operators::short;

/// A call, as its findings name it.
#[derive(Clone, Copy)]
pub(crate) struct CallSite<'c> {
    /// The function's name.
    pub(crate) name: &'c str,
    /// Where its arguments stand.
    pub(crate) args_span: Span,
    /// All of it.
    pub(crate) span: Span,
}

/// What the axis names of a function are at a call.
#[derive(Default)]
pub(crate) struct Bound {
    axes: Map<SymbolId, (Axis, Span)>,
}

impl Bound {
    /// Each of a model's own names with what stands for it.
    pub(crate) fn of(own: &[Axis], given: &[Axis], place: Span) -> Self {
        let mut bound = Self::default();
        for (own, given) in own.iter().zip(given) {
            if let Some(name) = own.name {
                bound.axes.insert(name, (given.clone(), place));
            }
        }
        bound
    }

    /// The bindings in the order of the function's axis names.
    pub(crate) fn size_bindings(&self, names: &[SymbolId]) -> Vec<SizeBinding> {
        let bound = names.iter().filter_map(|symbol| {
            let (axis, _) = self.axes.get(symbol)?;
            Some(SizeBinding {
                symbol: *symbol,
                axis: axis.clone(),
            })
        });
        bound.collect()
    }

    pub(crate) fn size(&self, size: &Size) -> Option<Size> {
        let value = |symbol| self.axes.get(&symbol).map(|(axis, _)| axis.size.clone());
        size.substitute(&value).ok()
    }

    pub(crate) fn axis(&self, axis: &Axis) -> Option<Axis> {
        if let Some((bound, _)) = axis.name.and_then(|name| self.axes.get(&name)) {
            return Some(bound.clone());
        }
        Some(Axis {
            name: axis.name,
            size: self.size(&axis.size)?,
            origin: axis.origin.clone(),
        })
    }

    /// The type in the caller's terms; `None` past the sizes' bounds.
    fn tensor(&self, tensor: &TensorType) -> Option<TensorType> {
        let axes: Option<Vec<Axis>> = tensor.axes.iter().map(|axis| self.axis(axis)).collect();
        let domain = match &tensor.domain {
            Domain::Index(axis) => Domain::Index(self.axis(axis)?),
            other => other.clone(),
        };
        Some(TensorType {
            axes: axes?,
            dtype: tensor.dtype,
            domain,
        })
    }

    /// A type that holds no other types.
    pub(crate) fn ty(&self, ty: &Type) -> Option<Type> {
        Some(match ty {
            Type::Tensor(tensor) => Type::Tensor(self.tensor(tensor)?),
            other => other.clone(),
        })
    }
}

impl Checker<'_> {
    /// Types the arguments of a call, binds the axis names by their bare occurrences and checks
    /// every argument against its parameter. E0501 and the codes of single values; `None` then.
    pub(crate) fn bind_call(
        &mut self,
        site: &CallSite<'_>,
        params: &[Parameter],
        args: Vec<Option<&CallArg<'_>>>,
    ) -> Option<(Vec<Expr>, Bound)> {
        let mut values = Vec::with_capacity(params.len());
        let mut fine = true;
        for (param, arg) in params.iter().zip(&args) {
            let value = match (arg, &param.default) {
                (Some(arg), _) => {
                    fine &= self.mutability(param, arg);
                    self.argument(arg, param.ty.as_ref(), param.mutable)
                }
                (None, Some(default)) => default.clone(),
                (None, None) => self.wrong(site.span),
            };
            fine &= !value.ty.is_error();
            values.push(value);
        }
        let mut bound = Bound::default();
        for (param, value) in params.iter().zip(&values) {
            fine &= self.bind_axes(site, param, value, &mut bound);
        }
        if !fine {
            return None;
        }
        let mut typed = Vec::with_capacity(params.len());
        for (param, value) in params.iter().zip(values) {
            let wanted = param.ty.as_ref();
            let wanted = wanted.and_then(|ty| self.in_terms(ty, &bound));
            let Some(wanted) = wanted else {
                self.too_large(value.span);
                return None;
            };
            let slot = Slot::Argument {
                function: site.name,
                param,
            };
            let given = value.ty.clone();
            let value = self.fit(value, &wanted, &slot);
            fine &= !value.ty.is_error();
            if fine && param.mutable {
                fine &= self.changed_argument(&value, &given, &wanted, param);
            }
            typed.push(value);
        }
        fine.then_some((typed, bound))
    }

    /// Binds the axis names that stand alone in a parameter's type.
    fn bind_axes(
        &mut self,
        site: &CallSite<'_>,
        param: &Parameter,
        value: &Expr,
        bound: &mut Bound,
    ) -> bool {
        if let (Some(Type::Model(own)), Type::Model(given)) = (&param.ty, &value.ty) {
            let (own, given) = (self.program.model(*own), self.program.model(*given));
            let same = own.declaration == given.declaration;
            let pairs = own.sizes.iter().cloned().zip(given.sizes.iter().cloned());
            let pairs: Vec<(Axis, Axis)> = pairs.filter(|_| same).collect();
            let mut pairs = pairs.iter();
            return pairs.all(|(own, given)| self.bind_axis(site, own, given, value, bound));
        }
        let Some(Type::Tensor(wanted)) = &param.ty else {
            return true;
        };
        let Some(given) = value.ty.tensor() else {
            return true;
        };
        if given.rank() != wanted.rank() {
            return true;
        }
        let mut pairs: Vec<(&Axis, &Axis)> = wanted.axes.iter().zip(&given.axes).collect();
        if let (Domain::Index(wanted), Domain::Index(given)) = (&wanted.domain, &given.domain) {
            pairs.push((wanted, given));
        }
        let mut pairs = pairs.into_iter();
        pairs.all(|(wanted, given)| self.bind_axis(site, wanted, given, value, bound))
    }

    /// Binds an axis of a parameter's type, where it is a name, to that of the argument.
    fn bind_axis(
        &mut self,
        site: &CallSite<'_>,
        wanted: &Axis,
        given: &Axis,
        value: &Expr,
        bound: &mut Bound,
    ) -> bool {
        let Some(symbol) = wanted.name.filter(|name| self.is_axis_name(*name)) else {
            return true;
        };
        let Some((held, place)) = bound.axes.get(&symbol) else {
            bound.axes.insert(symbol, (given.clone(), value.span));
            return true;
        };
        let (held, place) = (held.clone(), *place);
        match self.joined_axis(&held, given) {
            Some(axis) => {
                bound.axes.insert(symbol, (axis, place));
                true
            }
            None => {
                self.two_axes(site, symbol, (&held, place), given, value);
                false
            }
        }
    }

    fn two_axes(
        &mut self,
        site: &CallSite<'_>,
        symbol: SymbolId,
        (held, first): (&Axis, Span),
        given: &Axis,
        value: &Expr,
    ) {
        let place = value.span;
        let is_model = matches!(value.ty, Type::Model(_));
        let name = self.program.symbols.name(symbol).to_owned();
        let (a, b) = (self.show_axis(held), self.show_axis(given));
        let value = self.name_of(place);
        let part = if is_model { "a size" } else { "the axis" };
        let function = site.name;
        let finding = Diagnostic::new(
            Code::E0501,
            place,
            short(
                format!(
                    "{value} doesn't fit {function}: its {name} is {a} already, here it is {b}"
                ),
                format!("{function}'s {name} is {a} already; here it is {b}"),
            ),
        )
        .label(first, format!("{name} is {a} here"));
        let mut finding = self.trace(finding, given, &format!("{part} of {value}"), place);
        if !is_model {
            let axes = [held, given].map(std::slice::from_ref);
            finding.notes.extend(self.torch_passes(axes[1], axes[0]));
        }
        self.report(finding);
    }

    /// Whether a symbol is an axis name, which calls and `as` bind.
    pub(crate) fn is_axis_name(&self, symbol: SymbolId) -> bool {
        self.program.symbols.get(symbol).kind == SymbolKind::Axis
    }

    /// A function's result in the caller's terms; unknown sizes in it are born at the call.
    pub(crate) fn result_at_call(
        &mut self,
        result: &Type,
        bound: &Bound,
        name: &str,
        span: Span,
    ) -> Type {
        let kept = |symbol| bound.axes.contains_key(&symbol);
        let renewed = self.renewed(result, &kept, name, span);
        let Some(mut ty) = self.in_terms(&renewed, bound) else {
            self.error(Code::E0203, span, "a size of the result is too large");
            return Type::Error;
        };
        given_at(&mut ty, name, span);
        ty
    }

    /// The result of an untyped function's body in the caller's terms: what its arguments brought
    /// in stays, and every other unknown size is born at the call.
    pub(crate) fn untyped_result_at_call(
        &mut self,
        result: &Type,
        args: &[Expr],
        name: &str,
        span: Span,
    ) -> Type {
        let mut given = Set::new();
        for arg in args {
            each_axis(&arg.ty, &mut |axis| given.extend(axis.size.symbols()));
        }
        self.renewed(result, &|symbol| given.contains(&symbol), name, span)
    }

    /// A type whose sizes are born anew, but for dims and those that are kept.
    fn renewed(
        &mut self,
        ty: &Type,
        kept: &dyn Fn(SymbolId) -> bool,
        name: &str,
        span: Span,
    ) -> Type {
        let mut own = Vec::new();
        each_axis(ty, &mut |axis| own.extend(axis.size.symbols()));
        let symbols = &self.program.symbols;
        own.retain(|symbol| symbols.dim_value(*symbol).is_none() && !kept(*symbol));
        strand_source::sort(&mut own);
        own.dedup();
        if own.is_empty() {
            return ty.clone();
        }
        let mut born = Map::new();
        for symbol in own {
            born.insert(symbol, self.birth(span, format!("given by {name}")));
        }
        let mut ty = ty.clone();
        each_axis_mut(&mut ty, &mut |axis| {
            if !axis.size.symbols().iter().any(|s| born.contains_key(s)) {
                return;
            }
            let value = |symbol| born.get(&symbol).cloned();
            if let Ok(size) = axis.size.substitute(&value) {
                axis.size = size;
            }
            axis.name = axis.name.filter(|name| !born.contains_key(name));
            let how = How::Named("given by", name.into());
            *axis = axis.clone().made_from(&axis.origin, how, span);
        });
        ty
    }
}

/// Axes come from the call that gives them.
fn given_at(ty: &mut Type, name: &str, span: Span) {
    each_axis_mut(ty, &mut |axis| {
        if axis.origin.span() != Some(span) {
            let how = How::Named("given by", name.into());
            *axis = axis.clone().made_from(&axis.origin, how, span);
        }
    });
}

/// Every axis of a type, that of an Index too.
fn each_axis(ty: &Type, visit: &mut dyn FnMut(&Axis)) {
    match ty {
        Type::Tensor(tensor) => {
            tensor.axes.iter().for_each(&mut *visit);
            if let Domain::Index(axis) = &tensor.domain {
                visit(axis);
            }
        }
        Type::Tuple(parts) => parts.iter().for_each(|part| each_axis(part, visit)),
        _ => {}
    }
}

fn each_axis_mut(ty: &mut Type, visit: &mut dyn FnMut(&mut Axis)) {
    match ty {
        Type::Tensor(tensor) => {
            tensor.axes.iter_mut().for_each(&mut *visit);
            if let Domain::Index(axis) = &mut tensor.domain {
                visit(axis);
            }
        }
        Type::Tuple(parts) => parts.iter_mut().for_each(|part| each_axis_mut(part, visit)),
        _ => {}
    }
}
