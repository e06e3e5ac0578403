//! Arguments that get names of their own where a statement that is a call is too long for a line.

use strand_ir::{Expr, ExprKind, FnId, Type};

use crate::expr::flat;
use crate::layout::lay_out;
use crate::py::Py;
use crate::rows::Code;
use crate::writer::Writer;

/// An argument of at most so many columns stays in the call.
const SHORT: usize = 20;

/// What stands around the value of a statement.
#[derive(Clone)]
pub(crate) enum Around {
    /// `print(value)`
    Print,
    /// `target = value`
    Target(Py),
}

impl Around {
    fn code(&self, value: Py) -> Code {
        match self {
            Self::Print => Code::expression(Py::call_path("print", None, vec![value])),
            Self::Target(target) => Code::assign(target.clone(), value),
        }
    }
}

fn lines(code: Code, depth: usize) -> usize {
    lay_out(code.leaves, depth).lines.len()
}

impl<'a> Writer<'_, 'a> {
    /// The arguments as they are, or under the names of the parameters where that makes fewer
    /// lines of the statement whose value the call is.
    pub(crate) fn named_arguments(
        &mut self,
        e: &'a Expr,
        id: FnId,
        args: &'a [Expr],
        pys: Vec<Py>,
    ) -> Vec<Py> {
        let around = match self.around.take_if(|(span, _)| *span == e.span) {
            Some((_, around)) if self.can_bind() => around,
            _ => return pys,
        };
        let depth = self.depth;
        let call = self.call(e, id, pys.clone());
        let whole = lines(around.code(call), depth);
        if whole == 1 {
            return pys;
        }
        let function = self.cx.program.function(id);
        let mut short = pys.clone();
        let mut bound = Vec::new();
        for (at, (py, arg)) in pys.iter().zip(args).enumerate() {
            let is_long = matches!(arg.ty, Type::Tensor(_)) && flat(py).len() > SHORT;
            if !is_long || matches!(arg.kind, ExprKind::Local(_)) || at >= function.params.len() {
                continue;
            }
            let name = self.param_name(function, at);
            if self.is_free(&name) && bound.iter().all(|(other, _)| *other != name) {
                short[at] = Py::name(name.clone()).tagged(arg.span);
                bound.push((name, py.clone()));
            }
        }
        let call = self.call(e, id, short.clone());
        let assigned = |(name, py): &(String, Py)| Code::assign(Py::name(name.clone()), py.clone());
        let apart: usize = bound.iter().map(|each| lines(assigned(each), depth)).sum();
        if apart + lines(around.code(call), depth) >= whole {
            return pys;
        }
        for each in &bound {
            let code = assigned(each);
            self.given.insert(each.0.clone());
            self.code(code);
        }
        short
    }
}
