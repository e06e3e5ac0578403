//! The state of a run, and calls.

use std::rc::Rc;

use strand_array::{Context, DType};
use strand_ir::{Body, FnId, LocalId, Program, Size, SizeBinding, SymbolId, SymbolKind, Type};
use strand_source::{Code, LineIndex, Span};

use crate::error::{Run, fail, from_array, malformed};
use crate::graph::Graph;
use crate::host::Host;
use crate::levels::{Levels, MAX_LEVELS};
use crate::lifetimes::Lifetimes;
use crate::stmt::Flow;
use crate::trace::Recorder;
use crate::value::{Data, Tensor, Val, Value};
use crate::{Options, Report};

/// How deep expressions and calls may nest together. A wasm stack of 1 MB holds that many.
const MAX_DEPTH: usize = 900;
/// How many bytes of stack they may take, which builds without optimisation reach first.
const MAX_STACK: usize = 640 << 10;
/// How deep calls may nest. A function can't reach itself, so that a program has to have that many.
/// What V8 gives a thread, 984 kB, holds 200 calls from blocks within blocks; other browsers give less.
const MAX_CALLS: usize = 120;
/// The host is asked whether to stop once in so many loop turns and calls.
const TICKS: u32 = 1024;

/// A run under way.
pub(crate) struct Machine<'p, 'h> {
    pub(crate) program: &'p Program,
    pub(crate) source: &'p str,
    pub(crate) lines: LineIndex<'p>,
    pub(crate) host: &'h mut dyn Host,
    pub(crate) graph: Graph,
    pub(crate) options: Options,
    /// Sizes of axis names and births. Recursion is refused, so a function's are bound once.
    sizes: Vec<Option<i64>>,
    /// Sizes of the enclosing chains' axes, outermost first.
    levels: Vec<usize>,
    /// The mode, within `with`.
    pub(crate) training: Option<bool>,
    /// The next seed of dropout.
    pub(crate) draws: u64,
    depth: usize,
    calls: usize,
    ticks: u32,
    stack: usize,
    /// Per body, what dies after each of its statements.
    lifetimes: Vec<(*const Body, Rc<Lifetimes>)>,
}

/// The variables of a body.
pub(crate) struct Frame<'p> {
    pub(crate) body: &'p Body,
    pub(crate) slots: Vec<Val>,
    /// Whether it is the script, whose expressions are shown.
    pub(crate) script: bool,
    lifetimes: Rc<Lifetimes>,
    /// The outermost statement under way.
    at: usize,
}

impl<'p> Frame<'p> {
    /// A variable's value; where nothing reads it later the variable is left without.
    pub(crate) fn read(&mut self, id: LocalId) -> Val {
        if self.lifetimes.is_only_read(self.at, id) {
            self.take(id)
        } else {
            self.get(id).clone()
        }
    }

    pub(crate) fn get(&self, id: LocalId) -> &Val {
        self.slots.get(id.0 as usize).unwrap_or(&Val::Unset)
    }

    pub(crate) fn set(&mut self, id: LocalId, value: Val) {
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            *slot = value;
        }
    }

    pub(crate) fn take(&mut self, id: LocalId) -> Val {
        match self.slots.get_mut(id.0 as usize) {
            Some(slot) => std::mem::replace(slot, Val::Unset),
            None => Val::Unset,
        }
    }
}

impl<'p, 'h> Machine<'p, 'h> {
    pub(crate) fn new(
        program: &'p Program,
        source: &'p str,
        options: &Options,
        host: &'h mut dyn Host,
    ) -> Self {
        let graph = Graph::new(
            Context::new(options.memory_limit).with_kernels(options.kernels.clone()),
            Recorder::new(options.trace, options.inspect),
        );
        Self {
            program,
            source,
            lines: LineIndex::new(source),
            host,
            graph,
            options: options.clone(),
            sizes: vec![None; program.symbols.len()],
            levels: Vec::new(),
            training: None,
            draws: 0,
            depth: 0,
            calls: 0,
            ticks: 0,
            stack: stack_address(),
            lifetimes: Vec::new(),
        }
    }

    /// Runs the statements at top level.
    pub(crate) fn script(&mut self) -> Run<()> {
        let body = &self.program.script;
        let mut frame = self.frame(body, true);
        let flow = self.body(&mut frame);
        self.flush();
        flow.map(|_| ())
    }

    /// Runs a function with computed arguments.
    pub(crate) fn entry(&mut self, id: FnId, args: Vec<Value>) -> Run<Value> {
        let result = self.entry_value(id, args);
        self.flush();
        result
    }

    fn entry_value(&mut self, id: FnId, args: Vec<Value>) -> Run<Value> {
        let function = self.program.function(id);
        // Outside a script nothing else sets a mode.
        self.training = Some(false);
        let args = self.take_arguments(function, args)?;
        let instance = self.matching_instance(function, &args);
        let (value, _) = self.run_body(id, instance, args, function.name_span)?;
        self.outside(value, function.name_span)
    }

    pub(crate) fn report(&self) -> Report {
        Report {
            peak_bytes: self.graph.ctx.peak(),
            steps: self.graph.recorder.count,
        }
    }

    /// Calls a function of the program from within a run. The second part holds what became of
    /// its `mut` parameters, in order.
    pub(crate) fn call(
        &mut self,
        id: FnId,
        instance: usize,
        args: Vec<Val>,
        bindings: &'p [SizeBinding],
        span: Span,
    ) -> Run<(Val, Vec<Val>)> {
        // The sizes of a model are bound anew by every method of it, so that those of the caller,
        // in whose terms they are given, must come back.
        let outer = self.bind_sizes(bindings);
        let function = self.program.function(id);
        for (parameter, arg) in function.params.iter().zip(&args) {
            if let (Some(Type::Tensor(ty)), Val::Tensor(tensor)) = (&parameter.ty, arg) {
                for (axis, size) in ty.axes.iter().zip(tensor.own_shape()) {
                    if let Some(symbol) = axis.size.as_symbol() {
                        self.bind_size(symbol, *size as i64);
                    }
                }
            }
        }
        let result = self.run_body(id, instance, args, span);
        for (symbol, size) in outer {
            if let Some(slot) = self.sizes.get_mut(symbol.0 as usize) {
                *slot = size;
            }
        }
        result
    }

    /// Binds sizes at a call, all at once, and gives what they were.
    fn bind_sizes(&mut self, bindings: &[SizeBinding]) -> Vec<(SymbolId, Option<i64>)> {
        let known = |binding: &SizeBinding| self.known_size(&binding.axis.size);
        let sizes: Vec<Option<i64>> = bindings.iter().map(known).collect();
        let mut outer = Vec::with_capacity(bindings.len());
        for (binding, size) in bindings.iter().zip(sizes) {
            outer.push((binding.symbol, self.symbol_size(binding.symbol)));
            // A size that isn't known by name is taken from the arguments.
            if let Some(size) = size {
                self.bind_size(binding.symbol, size);
            }
        }
        outer
    }

    fn run_body(
        &mut self,
        id: FnId,
        instance: usize,
        args: Vec<Val>,
        span: Span,
    ) -> Run<(Val, Vec<Val>)> {
        let function = self.program.function(id);
        let body = function
            .instances
            .get(instance)
            .ok_or_else(|| malformed(span, "a call of a body that isn't there"))?;
        if self.calls >= MAX_CALLS {
            return Err(fail(
                Code::R07,
                span,
                format!("calls are nested deeper than {MAX_CALLS}: bind a value and pass it on"),
            ));
        }
        self.tick(span)?;
        let params = body.params.iter().zip(&function.params);
        let mutable = params.filter(|(_, param)| param.mutable);
        let mutable: Vec<LocalId> = mutable.map(|(local, _)| *local).collect();
        let mut frame = self.frame_keeping(body, false, &mutable);
        for (id, value) in body.params.iter().zip(args) {
            frame.set(*id, value);
        }
        self.calls += 1;
        let mode = self.training;
        let flow = self.body(&mut frame);
        self.training = mode;
        self.calls -= 1;
        let value = match flow? {
            Flow::Return(value) => value,
            _ => Val::Nothing,
        };
        let changed = mutable.into_iter().map(|local| frame.take(local));
        Ok((value, changed.collect()))
    }

    pub(crate) fn frame(&mut self, body: &'p Body, script: bool) -> Frame<'p> {
        self.frame_keeping(body, script, &[])
    }

    /// The variables of a body; `kept` are read after it too.
    fn frame_keeping(&mut self, body: &'p Body, script: bool, kept: &[LocalId]) -> Frame<'p> {
        let place = std::ptr::from_ref(body);
        let known = self.lifetimes.iter().find(|(body, _)| *body == place);
        let lifetimes = match known {
            Some((_, lifetimes)) => Rc::clone(lifetimes),
            None => {
                let lifetimes = Rc::new(Lifetimes::of(body, kept));
                self.lifetimes.push((place, Rc::clone(&lifetimes)));
                lifetimes
            }
        };
        Frame {
            body,
            slots: vec![Val::Unset; body.locals.len()],
            script,
            lifetimes,
            at: 0,
        }
    }

    /// Runs a body's statements; what no later one reads is let go.
    fn body(&mut self, frame: &mut Frame<'p>) -> Run<Flow> {
        for (at, stmt) in frame.body.stmts.iter().enumerate() {
            frame.at = at;
            match self.stmt(frame, stmt)? {
                Flow::Next => {}
                left => return Ok(left),
            }
            let lifetimes = Rc::clone(&frame.lifetimes);
            for local in lifetimes.ending(at) {
                frame.take(*local);
            }
        }
        Ok(Flow::Next)
    }

    /// Counts a nested expression or block; the caller takes it back with [`Self::leave`].
    pub(crate) fn enter(&mut self, span: Span) -> Run<()> {
        if self.depth >= MAX_DEPTH || self.stack.abs_diff(stack_address()) > MAX_STACK {
            let message = "calls and expressions are nested too deep to run: give parts names";
            return Err(fail(Code::R07, span, message));
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Counts a loop turn or call, and asks the host now and then whether to go on.
    pub(crate) fn tick(&mut self, span: Span) -> Run<()> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.ticks = 0;
        self.flush();
        if self.host.stopped() {
            return Err(fail(Code::R05, span, "stopped"));
        }
        Ok(())
    }

    /// Hands recorded steps to the host.
    pub(crate) fn flush(&mut self) {
        if self.graph.recorder.is_empty() {
            return;
        }
        for mut step in self.graph.recorder.take() {
            step.line = self.lines.line(step.span.start);
            self.host.step(step);
        }
    }

    // Sizes

    pub(crate) fn bind_size(&mut self, symbol: SymbolId, size: i64) {
        if let Some(slot) = self.sizes.get_mut(symbol.0 as usize) {
            *slot = Some(size);
        }
    }

    pub(crate) fn symbol_size(&self, symbol: SymbolId) -> Option<i64> {
        self.program
            .symbols
            .dim_value(symbol)
            .or_else(|| self.sizes.get(symbol.0 as usize).copied().flatten())
    }

    /// The value of a size, if every name in it is bound.
    pub(crate) fn known_size(&self, size: &Size) -> Option<i64> {
        if let Some(value) = size.as_constant() {
            return Some(value);
        }
        size.evaluate(&|symbol| self.symbol_size(symbol))
    }

    /// The value of a size.
    pub(crate) fn size(&self, size: &Size, span: Span) -> Run<i64> {
        if let Some(value) = self.known_size(size) {
            return Ok(value);
        }
        let unknown = size
            .symbols()
            .into_iter()
            .find(|symbol| self.symbol_size(*symbol).is_none());
        let text = size.display(&self.program.symbols);
        Err(match unknown {
            Some(symbol) => {
                let name = self.program.symbols.name(symbol);
                malformed(span, &format!("the size {name} isn't bound"))
            }
            None => fail(Code::R04, span, format!("the size {text} is past 64 bits")),
        })
    }

    /// The value of a size that an axis is to have.
    pub(crate) fn axis_size(&self, size: &Size, span: Span) -> Run<usize> {
        let value = self.size(size, span)?;
        usize::try_from(value).map_err(|_| {
            let text = size.display(&self.program.symbols);
            if value < 0 {
                return fail(Code::R01, span, format!("the size {text} is {value}"));
            }
            fail(
                Code::R04,
                span,
                format!("the size {text} is past the memory limit"),
            )
        })
    }

    /// Binds the births among the axes of a type to what a tensor of it has.
    pub(crate) fn bind_births(&mut self, ty: &Type, value: &Val) {
        let (Type::Tensor(ty), Val::Tensor(tensor)) = (ty, value) else {
            return;
        };
        for (axis, size) in ty.axes.iter().zip(tensor.own_shape()) {
            if let Some(symbol) = axis.size.as_symbol()
                && self.program.symbols.get(symbol).kind == SymbolKind::Birth
                && let Some(slot) = self.sizes.get_mut(symbol.0 as usize)
            {
                *slot = Some(*size as i64);
            }
        }
    }

    // Chain levels

    /// Opens a level for an iteration of `size` elements; gives its number.
    pub(crate) fn push_level(&mut self, size: usize, span: Span) -> Run<usize> {
        if self.levels.len() >= MAX_LEVELS {
            let message = format!("chains are nested deeper than {MAX_LEVELS}");
            return Err(fail(Code::R07, span, message));
        }
        self.levels.push(size);
        Ok(self.levels.len() - 1)
    }

    pub(crate) fn pop_level(&mut self) {
        self.levels.pop();
    }

    pub(crate) fn level_size(&self, level: usize) -> usize {
        self.levels.get(level).copied().unwrap_or(1)
    }

    // Values

    /// A value as it leaves the run: everything computed.
    pub(crate) fn outside(&mut self, value: Val, span: Span) -> Run<Value> {
        Ok(match value {
            Val::Tensor(tensor) => Value::Tensor(self.array(&tensor, span)?),
            Val::Int(v) => Value::Int(v),
            Val::Float(v) => Value::Float(v),
            Val::Bool(v) => Value::Bool(v),
            Val::Str(text) => Value::Str(text.to_string()),
            Val::Nothing => Value::Nothing,
            Val::Tuple(parts) => {
                let parts = parts.iter().cloned();
                let parts: Run<Vec<_>> = parts.map(|part| self.outside(part, span)).collect();
                Value::Tuple(parts?)
            }
            Val::Model(id, fields) => self.model_outside(id, &fields, span)?,
            Val::Unset => return Err(malformed(span, "a variable without a value")),
        })
    }

    /// A value as it comes into the run.
    pub(crate) fn inside(&mut self, value: Value, span: Span) -> Val {
        match value {
            Value::Tensor(array) => Val::Tensor(Tensor::array(&mut self.graph, array, span)),
            Value::Int(v) => Val::Int(v),
            Value::Float(v) => Val::Float(v),
            Value::Bool(v) => Val::Bool(v),
            Value::Str(text) => Val::Str(text.into()),
            Value::Nothing => Val::Nothing,
            Value::Tuple(parts) => Val::Tuple(
                parts
                    .into_iter()
                    .map(|part| self.inside(part, span))
                    .collect(),
            ),
            Value::Model(name, fields) => self.model_inside(&name, fields, span),
        }
    }

    /// A tensor's array, levels first.
    pub(crate) fn array(&mut self, tensor: &Tensor, span: Span) -> Run<strand_array::Array> {
        match &tensor.data {
            Data::Scalar(value) => strand_array::Array::scalar(&self.graph.ctx, *value)
                .map_err(|e| from_array(&e, span)),
            Data::Node(node) => self.graph.force(node),
        }
    }

    /// The number in a tensor without axes; an error where it depends on a chain's element.
    pub(crate) fn item(&mut self, tensor: &Tensor, span: Span) -> Run<strand_array::Scalar> {
        if let Data::Scalar(value) = &tensor.data {
            return Ok(*value);
        }
        if tensor.levels != Levels::NONE || tensor.rank() != 0 {
            return Err(malformed(span, "a number read from a tensor with axes"));
        }
        let array = self.array(tensor, span)?;
        array.get(&[]).map_err(|e| from_array(&e, span))
    }
}

/// Where the stack stands.
#[inline(never)]
fn stack_address() -> usize {
    let mark = 0u8;
    std::hint::black_box(std::ptr::from_ref(&mark)) as usize
}

/// The engine's dtype of a Strand dtype.
pub fn engine_dtype(dtype: strand_ops::DType) -> DType {
    match dtype {
        strand_ops::DType::Bool => DType::Bool,
        strand_ops::DType::U8 => DType::U8,
        strand_ops::DType::I8 => DType::I8,
        strand_ops::DType::I16 => DType::I16,
        strand_ops::DType::I32 => DType::I32,
        strand_ops::DType::I64 => DType::I64,
        strand_ops::DType::F16 => DType::F16,
        strand_ops::DType::BF16 => DType::BF16,
        strand_ops::DType::F32 => DType::F32,
        strand_ops::DType::F64 => DType::F64,
    }
}
