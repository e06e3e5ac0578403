//! `save` and `load`, by way of the host.

use strand_ir::{Expr, Type};
use strand_source::{Code, Span};

use crate::error::{Run, fail, from_array, malformed};
use crate::machine::{Frame, Machine};
use crate::value::{Tensor, Val};

impl<'p> Machine<'p, '_> {
    /// `save(x, "file")`
    #[inline(never)]
    pub(crate) fn save(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<Val> {
        let [value, path] = args else {
            return Err(malformed(e.span, "save of other than two"));
        };
        let tensor = self.tensor(frame, value)?;
        let path = self.string(frame, path)?;
        let array = self.array(&tensor, value.span)?;
        let bytes = strand_array::npy::write(&array).map_err(|e| from_array(&e, value.span))?;
        self.host
            .save(&path, &bytes)
            .map_err(|why| fail(Code::R07, e.span, format!("{path:?} isn't saved: {why}")))?;
        Ok(Val::Nothing)
    }

    /// `load(T, "file")`: the sizes of axis names that aren't bound yet are those of the file.
    #[inline(never)]
    pub(crate) fn load(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<Val> {
        let Some(path) = args.last() else {
            return Err(malformed(e.span, "load of nothing"));
        };
        let path = self.string(frame, path)?;
        let bytes = self
            .host
            .load(&path)
            .map_err(|why| fail(Code::R07, e.span, format!("{path:?} isn't loaded: {why}")))?;
        let array = strand_array::npy::read(&self.graph.ctx, &bytes)
            .map_err(|error| fail_file(&error, &path, e.span))?;
        let Type::Tensor(ty) = &e.ty else {
            return Err(malformed(e.span, "load without a type"));
        };
        let tensor = Tensor::array(&mut self.graph, array, e.span);
        self.check_declared(&tensor, ty, &path, e.span)?;
        Ok(Val::Tensor(tensor))
    }
}

fn fail_file(error: &strand_array::ArrayError, path: &str, span: Span) -> crate::error::Fail {
    match error {
        strand_array::ArrayError::Npy { why } => {
            fail(Code::R07, span, format!("{path:?} isn't loaded: {why}"))
        }
        other => from_array(other, span),
    }
}
