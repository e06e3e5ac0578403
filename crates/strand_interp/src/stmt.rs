//! Statements.

use strand_array::Scalar;
use strand_ir::{Expr, ExprKind, LocalId, Stmt, StmtKind, Type};
use strand_ops::View;
use strand_source::{Code, Span};

use crate::error::{Run, fail, from_array, malformed, with_note};
use crate::host::{Picture, Shown};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Tensor, Val};

/// Where a run goes after a statement.
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Val),
}

impl<'p> Machine<'p, '_> {
    /// Runs statements in order until one leaves the block.
    pub(crate) fn block(&mut self, frame: &mut Frame<'p>, stmts: &'p [Stmt]) -> Run<Flow> {
        for stmt in stmts {
            match self.stmt(frame, stmt)? {
                Flow::Next => {}
                left => return Ok(left),
            }
        }
        Ok(Flow::Next)
    }

    pub(crate) fn stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) -> Run<Flow> {
        match &stmt.kind {
            StmtKind::Bind { local, value } => self.bind(frame, *local, value)?,
            StmtKind::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.eval(frame, value)?,
                    None => Val::Nothing,
                }));
            }
            StmtKind::If {
                branches,
                otherwise,
            } => return self.branch(frame, branches, otherwise.as_deref()),
            StmtKind::ForRange { .. }
            | StmtKind::ForSlices { .. }
            | StmtKind::ForModels { .. }
            | StmtKind::While { .. } => {
                self.enter(stmt.span)?;
                let flow = self.looping(frame, stmt);
                self.leave();
                return flow;
            }
            StmtKind::With { training, body } => {
                let before = self.training.replace(*training);
                let flow = self.block(frame, body);
                self.training = before;
                return flow;
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Pass => {}
            StmtKind::Expr(value) => self.expression(frame, value)?,
            _ => self.other_stmt(frame, stmt)?,
        }
        if !self.graph.recorder.is_empty() {
            self.flush();
        }
        Ok(Flow::Next)
    }

    #[inline(never)]
    fn other_stmt(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) -> Run<()> {
        match &stmt.kind {
            StmtKind::Unpack { locals, value } => self.unpack(frame, locals, value),
            StmtKind::SetIndex {
                local,
                items,
                value,
            } => self.set_index(frame, *local, items, value, stmt.span),
            StmtKind::Assert { condition, message } => {
                self.assert(frame, condition, message.as_ref())
            }
            StmtKind::ForPy { value, .. } => Err(python_cannot_run(value.span)),
            StmtKind::SetField { base, field, value } => self.set_field(frame, base, *field, value),
            _ => Err(malformed(stmt.span, "a statement of another kind")),
        }
    }

    fn bind(&mut self, frame: &mut Frame<'p>, local: Option<LocalId>, value: &'p Expr) -> Run<()> {
        let result = self.eval(frame, value)?;
        if let Type::Tensor(_) = value.ty {
            self.bind_births(&value.ty, &result);
        }
        if let Some(local) = local {
            frame.set(local, result);
        }
        Ok(())
    }

    fn unpack(
        &mut self,
        frame: &mut Frame<'p>,
        locals: &[Option<LocalId>],
        value: &'p Expr,
    ) -> Run<()> {
        let Val::Tuple(parts) = self.eval(frame, value)? else {
            return Err(malformed(value.span, "a tuple of another kind"));
        };
        if let Type::Tuple(types) = &value.ty {
            for (ty, part) in types.iter().zip(parts.iter()) {
                self.bind_births(ty, part);
            }
        }
        for (local, part) in locals.iter().zip(parts.iter()) {
            if let Some(local) = local {
                frame.set(*local, part.clone());
            }
        }
        Ok(())
    }

    /// An expression on its own: the script shows its value.
    #[inline(never)]
    fn expression(&mut self, frame: &mut Frame<'p>, value: &'p Expr) -> Run<()> {
        let result = self.eval(frame, value)?;
        if !frame.script || matches!(result, Val::Nothing) {
            return Ok(());
        }
        let name = value.span.text(self.source).to_owned();
        self.show(result, &value.ty, name, value.span, None)
    }

    /// `show(x, view="heat")`
    #[inline(never)]
    pub(crate) fn show_call(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
        params: &'p [(&'static str, Expr)],
    ) -> Run<Val> {
        let [value, colors @ ..] = args else {
            return Err(malformed(e.span, "show of nothing"));
        };
        let result = self.eval(frame, value)?;
        let mut picture = Picture::default();
        for (option, given) in params {
            if let ExprKind::Str(name) = &given.kind {
                picture.view = View::find(name);
                continue;
            }
            let number = self.int(frame, given)?;
            let most = View::most(option);
            if !(1..=most).contains(&number) {
                let message = format!("`{option}` is from 1 to {most}, not {number}");
                return Err(fail(Code::R02, given.span, message));
            }
            picture.number = Some(number);
        }
        if let Some(color) = colors.first() {
            let labels = self.tensor(frame, color)?;
            picture.color = Some(self.array(&labels, color.span)?);
        }
        let name = value.span.text(self.source).to_owned();
        self.show(result, &value.ty, name, value.span, Some(picture))?;
        Ok(Val::Nothing)
    }

    fn show(
        &mut self,
        value: Val,
        ty: &Type,
        name: String,
        span: Span,
        picture: Option<Picture>,
    ) -> Run<()> {
        if let (Val::Tuple(parts), Type::Tuple(types)) = (&value, ty) {
            for (at, (part, ty)) in parts.iter().zip(types).enumerate() {
                self.show(part.clone(), ty, format!("{name}[{at}]"), span, None)?;
            }
            return Ok(());
        }
        let value = self.outside(value, span)?;
        self.flush();
        let symbols = &self.program.symbols;
        let axes = ty.tensor().map_or(&[][..], |tensor| &tensor.axes);
        self.host.show(Shown {
            line: self.lines.line(span.start),
            span,
            name,
            ty: self.program.display_type(ty),
            axes: axes.iter().map(|axis| axis.display(symbols)).collect(),
            value,
            picture,
        });
        Ok(())
    }

    #[inline(never)]
    fn assert(
        &mut self,
        frame: &mut Frame<'p>,
        condition: &'p Expr,
        message: Option<&'p Expr>,
    ) -> Run<()> {
        let holds = match self.eval(frame, condition)? {
            Val::Bool(holds) => holds,
            Val::Tensor(tensor) => self.all_true(&tensor, condition.span)?,
            _ => return Err(malformed(condition.span, "a condition of another kind")),
        };
        if holds {
            return Ok(());
        }
        let text = condition.span.text(self.source);
        let error = fail(
            Code::R02,
            condition.span,
            format!("this doesn't hold: {text}"),
        );
        Err(match message {
            Some(message) => {
                let said = self.text_of(frame, message)?;
                let mut error = with_note(error, format!("The assert says: {said}"));
                if !said.is_empty() {
                    std::mem::swap(&mut error.message, &mut error.notes[0]);
                    error.message = said;
                }
                error
            }
            None => error,
        })
    }

    #[inline(never)]
    fn branch(
        &mut self,
        frame: &mut Frame<'p>,
        branches: &'p [(Expr, Vec<Stmt>)],
        otherwise: Option<&'p [Stmt]>,
    ) -> Run<Flow> {
        for (condition, body) in branches {
            if self.condition(frame, condition)? {
                return self.nested_block(frame, body, condition.span);
            }
        }
        match otherwise {
            Some(body) => self.nested_block(frame, body, Span::default()),
            None => Ok(Flow::Next),
        }
    }

    fn nested_block(&mut self, frame: &mut Frame<'p>, body: &'p [Stmt], span: Span) -> Run<Flow> {
        self.enter(span)?;
        let flow = self.block(frame, body);
        self.leave();
        flow
    }

    /// A host bool, or a `[] bool` that is read.
    pub(crate) fn condition(&mut self, frame: &mut Frame<'p>, condition: &'p Expr) -> Run<bool> {
        if condition.ty == Type::Host(strand_ir::Host::Bool) {
            return self.boolean(frame, condition);
        }
        match self.eval(frame, condition)? {
            Val::Bool(holds) => Ok(holds),
            Val::Tensor(tensor) => Ok(self.item(&tensor, condition.span)?.to_bool()),
            _ => Err(malformed(condition.span, "a condition of another kind")),
        }
    }

    #[inline(never)]
    fn looping(&mut self, frame: &mut Frame<'p>, stmt: &'p Stmt) -> Run<Flow> {
        match &stmt.kind {
            StmtKind::ForRange {
                local,
                start,
                end,
                step,
                body,
            } => {
                let from = self.int(frame, start)?;
                let to = self.int(frame, end)?;
                let by = match step {
                    Some(step) => self.int(frame, step)?,
                    None => 1,
                };
                if by == 0 {
                    return Err(fail(Code::R02, stmt.span, "a range's step can't be 0"));
                }
                self.for_range(frame, *local, (from, to, by), body, stmt.span)
            }
            StmtKind::ForSlices {
                local,
                tensor,
                axis,
                body,
            } => self.for_slices(frame, *local, tensor, *axis, body),
            StmtKind::ForModels {
                local,
                models,
                body,
            } => self.for_models(frame, *local, models, body),
            StmtKind::While { condition, body } => {
                while self.condition(frame, condition)? {
                    self.tick(condition.span)?;
                    match self.block(frame, body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        left => return Ok(left),
                    }
                }
                Ok(Flow::Next)
            }
            _ => Err(malformed(stmt.span, "a loop of another kind")),
        }
    }

    fn for_range(
        &mut self,
        frame: &mut Frame<'p>,
        local: Option<LocalId>,
        (from, to, by): (i64, i64, i64),
        body: &'p [Stmt],
        span: Span,
    ) -> Run<Flow> {
        let mut at = from;
        while if by > 0 { at < to } else { at > to } {
            self.tick(span)?;
            if let Some(local) = local {
                frame.set(local, Val::Int(at));
            }
            match self.block(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                left => return Ok(left),
            }
            match at.checked_add(by) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(Flow::Next)
    }

    #[inline(never)]
    fn for_models(
        &mut self,
        frame: &mut Frame<'p>,
        local: Option<LocalId>,
        models: &'p Expr,
        body: &'p [Stmt],
    ) -> Run<Flow> {
        let Val::Model(_, elements) = self.eval(frame, models)? else {
            return Err(malformed(models.span, "a sequence of another kind"));
        };
        for element in elements.iter() {
            self.tick(models.span)?;
            if let Some(local) = local {
                frame.set(local, element.clone());
            }
            match self.block(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                left => return Ok(left),
            }
        }
        Ok(Flow::Next)
    }

    fn for_slices(
        &mut self,
        frame: &mut Frame<'p>,
        local: Option<LocalId>,
        tensor: &'p Expr,
        axis: usize,
        body: &'p [Stmt],
    ) -> Run<Flow> {
        let value = self.tensor(frame, tensor)?;
        let array = self.array(&value, tensor.span)?;
        let axis = value.levels.count() + axis;
        let size = array.shape().get(axis).copied().unwrap_or(0);
        for at in 0..size {
            self.tick(tensor.span)?;
            if let Some(local) = local {
                let slice = array.select(axis, at as i64);
                let slice = slice.map_err(|e| from_array(&e, tensor.span))?;
                let node = self.graph.ready(slice, tensor.span);
                frame.set(local, Val::Tensor(Tensor::node(node, value.levels)));
            }
            match self.block(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                left => return Ok(left),
            }
        }
        Ok(Flow::Next)
    }

    /// Whether every element is true.
    pub(crate) fn all_true(&mut self, tensor: &Tensor, span: Span) -> Run<bool> {
        let node = match &tensor.data {
            crate::value::Data::Scalar(value) => return Ok(value.to_bool()),
            crate::value::Data::Node(node) => node.clone(),
        };
        let axes = (0..node.shape().len()).collect();
        let all = self
            .graph
            .reduce(strand_array::ReduceOp::All, node, axes, span)?;
        let all = Tensor::node(all, Levels::NONE);
        Ok(self.item(&all, span)? == Scalar::Bool(true))
    }
}

/// R07 for Python values.
pub(crate) fn python_cannot_run(span: Span) -> crate::error::Fail {
    with_note(
        fail(Code::R07, span, "Python can't run in the playground"),
        "Everything before it has run. The PyTorch text is whole and runs as it stands.",
    )
}

/// R07 for what the language has and the interpreter hasn't.
pub(crate) fn not_yet(span: Span, what: &str) -> crate::error::Fail {
    fail(
        Code::R07,
        span,
        format!("{what} can't run in the playground yet"),
    )
}
