//! `to` and `as`: dtypes, value checks, rearrangement, stated shapes.

use strand_array::{BinaryOp, Scalar, UnaryOp};
use strand_ir::{AsCheck, Domain, Expr, Rearrange, TensorType, Type};
use strand_source::{Code, Span};

use crate::arguments::axes;
use crate::error::{Fail, Run, fail, from_array, malformed};
use crate::graph::ElementOp;
use crate::machine::{Frame, Machine, engine_dtype};
use crate::python;
use crate::stmt::python_cannot_run;
use crate::value::{Data, Tensor, Val};

impl<'p> Machine<'p, '_> {
    /// `x to f32`, `x to Prob`
    #[inline(never)]
    pub(crate) fn convert(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        value: &'p Expr,
        dtype: Option<strand_ops::DType>,
        check: Option<&'p Domain>,
    ) -> Run<Val> {
        let mut tensor = match value.ty {
            Type::Host(_) => {
                let scalar = self.host_scalar(frame, value)?;
                self.lift(scalar, &e.ty)?
            }
            _ => self.tensor(frame, value)?,
        };
        if let Some(dtype) = dtype {
            let dtype = engine_dtype(dtype);
            tensor = self.cast(tensor, dtype, e.span)?;
        }
        if let Some(domain) = check {
            self.check_domain(&tensor, domain, value.span)?;
        }
        Ok(Val::Tensor(tensor))
    }

    /// Fails (R02) unless every value is one of the domain; all elements of a chain together.
    pub(crate) fn check_domain(&mut self, tensor: &Tensor, domain: &Domain, span: Span) -> Run<()> {
        let size = match domain {
            Domain::Index(axis) => Some(self.size(&axis.size, span)?),
            _ => None,
        };
        if let (Some(size), Data::Node(node)) = (size, &tensor.data)
            && let (Some(start), [count]) = (node.iota(), node.shape())
            && start >= 0
            && start.saturating_add(*count as i64) <= size
        {
            return Ok(());
        }
        let Some(good) = self.within(tensor, domain, size, span)? else {
            return Ok(());
        };
        if self.all_true(&good, span)? {
            return Ok(());
        }
        Err(self.first_outside(tensor, &good, domain, size, span)?)
    }

    /// Which values are of the domain; `None` if all are.
    fn within(
        &mut self,
        tensor: &Tensor,
        domain: &Domain,
        size: Option<i64>,
        span: Span,
    ) -> Run<Option<Tensor>> {
        let dtype = tensor.dtype();
        let number = |value: i64| Tensor::scalar(Scalar::I64(value).cast(dtype));
        // NaN is neither below nor above: only Finite excludes it.
        let bounds: &[(BinaryOp, i64)] = match domain {
            Domain::Plain => return Ok(None),
            Domain::Index(_) => &[(BinaryOp::Lt, 0), (BinaryOp::Ge, size.unwrap_or(0))],
            Domain::Prob => &[(BinaryOp::Lt, 0), (BinaryOp::Gt, 1)],
            Domain::Positive => &[(BinaryOp::Le, 0)],
            Domain::NonNegative => &[(BinaryOp::Lt, 0)],
            Domain::Finite => {
                if !dtype.is_float() {
                    return Ok(None);
                }
                let finite = ElementOp::Unary(UnaryOp::IsFinite);
                return self.apply(finite, vec![tensor.clone()], span).map(Some);
            }
        };
        let mut bad: Option<Tensor> = None;
        for (op, bound) in bounds {
            let outside = vec![tensor.clone(), number(*bound)];
            let outside = self.apply(ElementOp::Binary(*op), outside, span)?;
            bad = Some(match bad {
                None => outside,
                Some(bad) => {
                    let either = ElementOp::Binary(BinaryOp::LogicalOr);
                    self.apply(either, vec![bad, outside], span)?
                }
            });
        }
        let Some(bad) = bad else { return Ok(None) };
        let not = ElementOp::Unary(UnaryOp::LogicalNot);
        self.apply(not, vec![bad], span).map(Some)
    }

    fn first_outside(
        &mut self,
        tensor: &Tensor,
        good: &Tensor,
        domain: &Domain,
        size: Option<i64>,
        span: Span,
    ) -> Run<Fail> {
        let values = self.array(tensor, span)?;
        let good = self.array(good, span)?;
        let at = good.to_vec_bool().iter().position(|ok| !ok).unwrap_or(0);
        let place = unravel(at, good.shape());
        let value = values.get(&place).map_err(|e| from_array(&e, span))?;
        let text = match value {
            Scalar::I64(v) | Scalar::Int(_, v) => v.to_string(),
            other => python::float(other.to_f64()),
        };
        let name = domain.display(&self.program.symbols);
        let mut message = format!("{text} isn't a value of {name}");
        if !place.is_empty() {
            let place: Vec<_> = place.iter().map(i64::to_string).collect();
            message.push_str(&format!(", at [{}]", place.join(", ")));
        }
        let mut error = fail(Code::R02, span, message);
        error.notes.push(match (domain, size) {
            (_, Some(size)) => format!("Its values are the whole numbers from 0 up to {size}."),
            (Domain::Prob, _) => "Its values are the floats from 0 to 1.".to_owned(),
            (Domain::Positive, _) => "Its values are the floats above 0.".to_owned(),
            (Domain::NonNegative, _) => "Its values are the floats not below 0.".to_owned(),
            _ => "Its values are the floats without NaN and infinities.".to_owned(),
        });
        Ok(error)
    }

    /// `x to [axes]`
    #[inline(never)]
    pub(crate) fn rearrange(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        value: &'p Expr,
        how: &'p Rearrange,
    ) -> Run<Val> {
        let wrong = |error: strand_array::ArrayError| from_array(&error, e.span);
        let tensor = self.tensor(frame, value)?;
        let lead = tensor.levels.count();
        let (split, target) = if permutes(&value.ty, how, &e.ty) {
            let split = tensor.own_shape().to_vec();
            let target = how.permutation.iter().filter_map(|at| split.get(*at));
            let target = target.copied().collect();
            (split, target)
        } else {
            self.bind_births(&value.ty, &Val::Tensor(tensor.clone()));
            let split = self.split_sizes(&tensor, how, e.span)?;
            let target = self.target_shape(e, &split, how)?;
            (split, target)
        };
        let array = self.array(&tensor, e.span)?;
        let levels = array.shape().get(..lead).unwrap_or(&[]).to_vec();
        let whole = [levels.as_slice(), &split].concat();
        let parts = array.reshape(&self.graph.ctx, &whole).map_err(wrong)?;
        let order: Vec<usize> = (0..lead)
            .chain(how.permutation.iter().map(|axis| axis + lead))
            .collect();
        let parts = parts.permute(&order).map_err(wrong)?;
        let whole = [levels.as_slice(), &target].concat();
        let result = parts.reshape(&self.graph.ctx, &whole).map_err(wrong)?;
        drop(self.graph.ctx.take_reports());
        if result.shares_block(&array) {
            self.graph.record_view("to", &result, e.span);
        } else {
            self.graph.record_copy("to", &result, e.span);
        }
        let node = self.graph.ready(result, e.span);
        Ok(Val::Tensor(Tensor::node(node, tensor.levels)))
    }

    /// The sizes that the value is split into; one that isn't known by name is what is left.
    fn split_sizes(&self, tensor: &Tensor, how: &Rearrange, span: Span) -> Run<Vec<usize>> {
        let known: Vec<Option<i64>> = how.split.iter().map(|s| self.known_size(s)).collect();
        let total: usize = tensor.own_shape().iter().product();
        let rest: i64 = known.iter().flatten().product();
        let mut sizes = Vec::with_capacity(known.len());
        for size in &known {
            let size = match size {
                Some(size) => *size,
                None if known.iter().filter(|s| s.is_none()).count() == 1 && rest > 0 => {
                    total as i64 / rest
                }
                None => return Err(malformed(span, "two sizes that aren't bound")),
            };
            sizes.push(
                usize::try_from(size).map_err(|_| {
                    fail(Code::R01, span, format!("an axis would have size {size}"))
                })?,
            );
        }
        let found: usize = sizes.iter().product();
        if found != total {
            let shape = tensor.own_shape();
            let message = format!("{shape:?} can't be split into {sizes:?}");
            return Err(fail(Code::R01, span, message));
        }
        Ok(sizes)
    }

    fn target_shape(&self, e: &Expr, split: &[usize], how: &Rearrange) -> Run<Vec<usize>> {
        let Type::Tensor(ty) = &e.ty else {
            return Err(malformed(e.span, "a rearrangement without a type"));
        };
        let known: Vec<Option<i64>> = ty.axes.iter().map(|a| self.known_size(&a.size)).collect();
        if known.iter().all(Option::is_some) {
            let sizes = known.into_iter().flatten();
            return Ok(sizes
                .filter_map(|size| usize::try_from(size).ok())
                .collect());
        }
        // A size without a name keeps its axis: the permuted parts are the target but for 1s.
        let mut parts = how.permutation.iter().filter_map(|at| split.get(*at));
        let mut sizes = Vec::with_capacity(known.len());
        for size in known {
            sizes.push(match size {
                Some(1) => 1,
                _ => parts.next().copied().unwrap_or(1),
            });
        }
        Ok(sizes)
    }

    /// `x as [axes]`
    #[inline(never)]
    pub(crate) fn state(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        value: &'p Expr,
        checks: &'p [AsCheck],
        check: Option<&'p Domain>,
    ) -> Run<Val> {
        let stated = match self.eval(frame, value)? {
            Val::Tensor(tensor) => tensor,
            Val::Int(v) => self.lift(Scalar::I64(v), &e.ty)?,
            Val::Float(v) => self.lift(Scalar::F64(v), &e.ty)?,
            Val::Bool(v) => self.lift(Scalar::Bool(v), &e.ty)?,
            _ => return Err(python_cannot_run(value.span)),
        };
        if value.ty == Type::Py {
            self.check_python(&stated, e)?;
        }
        let sizes = stated.own_shape().to_vec();
        for (at, (check, found)) in checks.iter().zip(&sizes).enumerate() {
            let found = *found as i64;
            match check {
                AsCheck::Proven => {}
                AsCheck::Binds(symbol) => self.bind_size(*symbol, found),
                AsCheck::Equals(size) => {
                    let wanted = self.size(size, e.span)?;
                    if wanted != found {
                        return Err(self.size_differs(e, at, size, wanted, found));
                    }
                }
            }
        }
        if let Some(domain) = check {
            self.check_domain(&stated, domain, e.span)?;
        }
        Ok(Val::Tensor(stated))
    }

    fn size_differs(
        &self,
        e: &Expr,
        at: usize,
        size: &strand_ir::Size,
        wanted: i64,
        found: i64,
    ) -> Fail {
        let text = size.display(&self.program.symbols);
        let stated = stated_size(&text, wanted);
        let rank = e.ty.tensor().map_or(0, TensorType::rank);
        let place = strand_ir::axis_place(at, rank);
        fail(
            Code::R01,
            e.span,
            format!("the {place} has size {found}, {stated}"),
        )
    }

    /// Python gives any shape and dtype: both are checked.
    fn check_python(&self, tensor: &Tensor, e: &Expr) -> Run<()> {
        let Type::Tensor(ty) = &e.ty else {
            return Err(malformed(e.span, "as without a type"));
        };
        if tensor.rank() != ty.rank() {
            let message = format!("it has {}, not {}", axes(tensor.rank()), ty.rank());
            return Err(fail(Code::R01, e.span, message));
        }
        let dtype = engine_dtype(ty.dtype);
        if tensor.dtype() != dtype {
            let message = format!("it is {}, not {dtype}", tensor.dtype());
            return Err(fail(Code::R01, e.span, message));
        }
        Ok(())
    }
}

/// Whether axes only change their places, which needs no sizes.
fn permutes(from: &Type, how: &Rearrange, to: &Type) -> bool {
    let (Some(from), Some(to)) = (from.tensor(), to.tensor()) else {
        return false;
    };
    let axes = from.axes.iter().map(|axis| &axis.size);
    let moved = how.permutation.iter().filter_map(|at| how.split.get(*at));
    axes.eq(&how.split) && to.axes.iter().map(|axis| &axis.size).eq(moved)
}

/// The size that isn't the one found: `but n is 3`, `not 3`.
pub(crate) fn stated_size(text: &str, wanted: i64) -> String {
    if text == wanted.to_string() {
        format!("not {wanted}")
    } else {
        format!("but {text} is {wanted}")
    }
}

/// The index of the `at`-th element in C order.
pub(crate) fn unravel(at: usize, shape: &[usize]) -> Vec<i64> {
    let mut rest = at;
    let mut place: Vec<i64> = shape
        .iter()
        .rev()
        .map(|size| {
            let size = (*size).max(1);
            let index = rest % size;
            rest /= size;
            index as i64
        })
        .collect();
    place.reverse();
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_c_order() {
        assert_eq!(unravel(7, &[2, 3, 2]), [1, 0, 1]);
        assert_eq!(unravel(0, &[]), [0i64; 0]);
    }
}
