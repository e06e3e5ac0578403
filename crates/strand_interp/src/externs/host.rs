//! Extern functions that the host registers: called once, or for every element of the chains
//! around.

use strand_array::Array;
use strand_ir::{Expr, ExternId, TensorType, Type};
use strand_source::{Code, Span};

use super::unknown_external;
use crate::error::{Fail, Run, fail, from_array, malformed, with_note};
use crate::levels::Levels;
use crate::machine::Machine;
use crate::value::{Tensor, Val, Value};

/// An argument of a function that is called for each element of the chains around.
enum Given {
    /// One for each element: the chains' axes come first.
    Each(Array),
    /// The same for all.
    Same(Value),
}

impl Given {
    /// The argument of the `at`-th element of chains of these sizes.
    fn of_element(&self, sizes: &[usize], at: usize) -> strand_array::Result<Value> {
        match self {
            Self::Each(array) => element_at(array, sizes, at).map(Value::Tensor),
            Self::Same(value) => Ok(value.clone()),
        }
    }
}

impl<'p> Machine<'p, '_> {
    pub(super) fn host_external(
        &mut self,
        id: ExternId,
        values: Vec<Val>,
        e: &'p Expr,
    ) -> Run<Val> {
        let function = self.program.external(id);
        let levels = values.iter().fold(Levels::NONE, |all, value| match value {
            Val::Tensor(tensor) => all.union(tensor.levels),
            _ => all,
        });
        if levels != Levels::NONE {
            let Type::Tensor(ty) = &e.ty else {
                return Err(malformed(e.span, "a chain's function that gives no tensor"));
            };
            // A function without types takes all elements together, as it takes every tensor.
            return match function.result {
                None => self.host_whole(id, values, levels, ty, e),
                Some(_) => self.host_each(id, values, levels, e),
            };
        }
        let mut outside = Vec::with_capacity(values.len());
        for value in values {
            outside.push(self.outside(value, e.span)?);
        }
        let value = self.host_call(id, &outside, e.span)?;
        self.returned(&function.name, value, e)
    }

    fn host_call(&mut self, id: ExternId, args: &[Value], span: Span) -> Run<Value> {
        let function = self.program.external(id);
        let (module, name) = (&function.module, &function.name);
        self.flush();
        match self.host.call(module, name, args) {
            Some(Ok(value)) => Ok(value),
            Some(Err(why)) => Err(host_failed(span, name, &why)),
            None => Err(unknown_external(module, name, span)),
        }
    }

    /// One call for all elements of the chains around.
    fn host_whole(
        &mut self,
        id: ExternId,
        values: Vec<Val>,
        levels: Levels,
        ty: &TensorType,
        e: &'p Expr,
    ) -> Run<Val> {
        let what = format!("{}'s result", self.program.external(id).name);
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            args.push(match value {
                Val::Tensor(tensor) => {
                    Value::Tensor(self.aligned_array(&tensor, levels, ty.rank(), e.span)?)
                }
                other => self.outside(other, e.span)?,
            });
        }
        let value = self.host_call(id, &args, e.span)?;
        let (own, dtype) = self.shape_of(e)?;
        let Value::Tensor(array) = value else {
            let message = format!("{what} is {}, not a tensor", value.kind());
            return Err(fail(Code::R01, e.span, message));
        };
        let shape = [self.sizes_of(levels).as_slice(), &own].concat();
        if array.shape() != shape || array.dtype() != dtype {
            let message = format!("{what} isn't of its argument's shape and dtype");
            return Err(fail(Code::R01, e.span, message));
        }
        let node = self.graph.ready(array, e.span);
        Ok(Val::Tensor(Tensor::node(node, levels)))
    }

    /// A call for each element of the chains around.
    fn host_each(
        &mut self,
        id: ExternId,
        values: Vec<Val>,
        levels: Levels,
        e: &'p Expr,
    ) -> Run<Val> {
        let name = &self.program.external(id).name;
        let wrong = |error: strand_array::ArrayError| from_array(&error, e.span);
        let sizes = self.sizes_of(levels);
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            args.push(match value {
                Val::Tensor(tensor) if tensor.levels != Levels::NONE => {
                    let whole = self.spread(&tensor, levels, e.span)?;
                    Given::Each(self.array(&whole, e.span)?)
                }
                other => Given::Same(self.outside(other, e.span)?),
            });
        }
        let count: usize = sizes.iter().product();
        let mut made = Vec::with_capacity(count.min(1 << 16));
        for at in 0..count {
            self.tick(e.span)?;
            let own = args.iter().map(|arg| arg.of_element(&sizes, at));
            let own = own.collect::<strand_array::Result<Vec<_>>>();
            let value = self.host_call(id, &own.map_err(wrong)?, e.span)?;
            let Val::Tensor(tensor) = self.returned(name, value, e)? else {
                return Err(malformed(e.span, "a result of another kind"));
            };
            made.push(self.array(&tensor, e.span)?);
        }
        let whole = self.put_together(&made, &sizes, e)?;
        self.graph.collect(e.span, &whole);
        let node = self.graph.ready(whole, e.span);
        Ok(Val::Tensor(Tensor::node(node, levels)))
    }

    /// The results of all elements as one array, the chains' axes first.
    fn put_together(&mut self, made: &[Array], sizes: &[usize], e: &'p Expr) -> Run<Array> {
        let wrong = |error: strand_array::ArrayError| from_array(&error, e.span);
        let Some(first) = made.first() else {
            let (own, dtype) = self.shape_of(e)?;
            let shape = [sizes, &own].concat();
            return Array::zeros(&self.graph.ctx, &shape, dtype).map_err(wrong);
        };
        let ctx = &self.graph.ctx;
        let shape = [sizes, first.shape()].concat();
        let rows = strand_array::stack(ctx, made, 0).map_err(wrong)?;
        rows.reshape(ctx, &shape).map_err(wrong)
    }

    fn sizes_of(&self, levels: Levels) -> Vec<usize> {
        levels.iter().map(|level| self.level_size(level)).collect()
    }

    /// What a function of the host gave, if it is of the type that was declared (R01, R02).
    fn returned(&mut self, name: &str, value: Value, e: &'p Expr) -> Run<Val> {
        let what = format!("{name}'s result");
        if let Value::Tensor(array) = &value {
            // A call before may have bound them to other sizes.
            let tensor = Tensor::array(&mut self.graph, array.clone(), e.span);
            self.bind_births(&e.ty, &Val::Tensor(tensor));
        }
        let found = self.argument(Some(&e.ty), value, &what, e.span)?;
        if let (Type::Tensor(ty), Val::Tensor(tensor)) = (&e.ty, &found) {
            self.check_declared(tensor, ty, &what, e.span)?;
        }
        Ok(found)
    }
}

/// The part of an array that belongs to the `at`-th element of chains of these sizes, whose axes come first.
fn element_at(array: &Array, sizes: &[usize], at: usize) -> strand_array::Result<Array> {
    let mut array = array.clone();
    let mut rest = at;
    for (axis, size) in sizes.iter().enumerate().rev() {
        array = array.select(axis, (rest % size) as i64)?;
        rest /= size;
    }
    Ok(array)
}

/// How long a message is at most.
const MOST_MESSAGE: usize = 80;

/// A function of the host that failed; a reason for which a line has no room is a note.
pub(crate) fn host_failed(span: Span, name: &str, why: &str) -> Fail {
    let message = format!("{name} failed: {why}");
    if message.len() > MOST_MESSAGE || message.contains('\n') {
        return with_note(fail(Code::R07, span, format!("{name} failed")), why);
    }
    fail(Code::R07, span, message)
}
