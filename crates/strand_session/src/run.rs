//! Runs of a document: the script, then every function with sample arguments.

use std::fmt;
use std::rc::Rc;

use strand_array::jit::Kernels;
use strand_interp::{Fill, Host, Options, Picture, RunError, Shown, Step, Value, format};
use strand_ir::{ExprKind, FnId, Program, SymbolId, Type};
use strand_source::{LineIndex, Map, Span, starts_name};

use crate::cost::{Cost, Estimator};
use crate::{Document, SizeInfo};

/// How a document is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Values of axis names. Dims are changed before checking: [`Document::with_dims`].
    pub sizes: Map<String, i64>,
    /// What sample arguments hold.
    pub fill: Fill,
    /// The most bytes that values may take at once (R04).
    pub memory_limit: usize,
    /// Whether executed steps are recorded.
    pub trace: bool,
    /// Whether steps say the range of their values, which takes a look at each.
    pub inspect: bool,
    /// The functions that extern declarations find beside those of torch and math.
    pub externs: Option<Externs>,
    /// Loops that the host compiles while programs run.
    pub kernels: Option<Kernels>,
}

/// Functions of the host: given module, name and arguments, `None` where there is no such function, else what it
/// gives or why it fails.
#[derive(Clone)]
pub struct Externs(pub Rc<ExternCall>);

type ExternCall = dyn Fn(&str, &str, &[Value]) -> Option<Result<Value, String>>;

impl fmt::Debug for Externs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Externs")
    }
}

impl Default for RunOptions {
    /// Each value its own index, 1 GiB, with steps.
    fn default() -> Self {
        let Options { memory_limit, .. } = Options::default();
        Self {
            sizes: Map::new(),
            fill: Fill::Index,
            memory_limit,
            trace: true,
            inspect: false,
            externs: None,
            kernels: None,
        }
    }
}

/// What a run gives as it comes.
#[derive(Clone, Debug)]
pub enum Event {
    /// The script shows a value.
    Value(ShownValue),
    /// `print`
    Print(String),
    /// A function was called with sample arguments, or skipped.
    Call(SampleCall),
}

/// A value with what it is.
#[derive(Clone, Debug)]
pub struct ShownValue {
    /// The 1-based line.
    pub line: u32,
    /// The expression's text, or the parameter's name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// The names of a tensor's axes.
    pub axes: Vec<Option<String>>,
    /// The value.
    pub value: Value,
    /// The picture that `show` asks for.
    pub picture: Option<Picture>,
}

/// A function with sample arguments.
#[derive(Clone, Debug)]
pub struct SampleCall {
    /// Which.
    pub function: FnId,
    /// Its name.
    pub name: String,
    /// The 1-based line it starts on.
    pub line: u32,
    /// The arguments.
    pub arguments: Vec<ShownValue>,
    /// What came of it.
    pub outcome: CallOutcome,
}

/// What came of a call with sample arguments.
#[derive(Clone, Debug)]
pub enum CallOutcome {
    /// Its result.
    Result(ShownValue),
    /// Why it gave nothing.
    Error(RunError),
    /// Why it wasn't called.
    Skipped(String),
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    /// Why the script ended before its end.
    pub error: Option<RunError>,
    /// The dims and axis names with the values that were used.
    pub sizes: Vec<SizeInfo>,
    /// Executed steps: those of the script, then those of each call.
    pub steps: Vec<Step>,
    /// The functions called with sample arguments, each with the number of its first step.
    pub called: Vec<(String, usize)>,
    /// The most bytes that the values took at once.
    pub peak_bytes: usize,
}

impl fmt::Display for Event {
    /// A line of output; nothing for calls with sample arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(shown) => writeln!(f, "{}", format::printed(&shown.value)),
            Self::Print(text) => writeln!(f, "{text}"),
            Self::Call(_) => Ok(()),
        }
    }
}

/// Passes on what a run gives.
struct Listener<'a> {
    on_event: &'a mut dyn FnMut(Event),
    externs: Option<&'a Externs>,
    steps: Vec<Step>,
}

impl Host for Listener<'_> {
    fn print(&mut self, text: &str) {
        (self.on_event)(Event::Print(text.to_owned()));
    }

    fn show(&mut self, shown: Shown) {
        let axes = shown.axes.into_iter().map(named).collect();
        let Shown {
            line,
            name,
            ty,
            value,
            picture,
            ..
        } = shown;
        (self.on_event)(Event::Value(ShownValue {
            line,
            name,
            ty,
            axes,
            value,
            picture,
        }));
    }

    fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn call(&mut self, module: &str, name: &str, args: &[Value]) -> Option<Result<Value, String>> {
        self.externs
            .and_then(|Externs(call)| call(module, name, args))
    }
}

/// The name of an axis; one that is shown by its size has none.
fn named(axis: String) -> Option<String> {
    axis.starts_with(starts_name).then_some(axis)
}

impl Document {
    /// Runs the script, then every function that takes sample arguments, in source order. With
    /// errors the script is left out, and the functions that an error touches.
    pub fn run(&self, options: &RunOptions, on_event: &mut dyn FnMut(Event)) -> RunOutcome {
        let mut outcome = self.run_script(options, on_event);
        for at in 0..self.program().functions.len() {
            let id = FnId(at as u32);
            if self.program().function(id).is_method() {
                continue;
            }
            let call = self.sample_call(id, options, &mut outcome);
            on_event(Event::Call(call));
        }
        outcome
    }

    /// Runs the script only; nothing with errors.
    pub fn run_script(&self, options: &RunOptions, on_event: &mut dyn FnMut(Event)) -> RunOutcome {
        let axes = self.axis_sizes(&options.sizes);
        let mut sizes = self.sizes().to_vec();
        for size in &mut sizes {
            size.value = axes.get(&size.name).copied().unwrap_or(size.value);
        }
        let mut outcome = RunOutcome {
            sizes,
            ..RunOutcome::default()
        };
        if self.has_errors() {
            return outcome;
        }
        let mut listener = Listener {
            on_event,
            externs: options.externs.as_ref(),
            steps: Vec::new(),
        };
        let engine = engine_options(options);
        match strand_interp::run_script(self.program(), self.text(), &engine, &mut listener) {
            Ok(report) => outcome.peak_bytes = report.peak_bytes,
            Err(error) => outcome.error = Some(error),
        }
        outcome.steps = listener.steps;
        outcome
    }

    /// Calls a function with arguments for all its parameters.
    ///
    /// # Errors
    /// An argument of another type or shape, or what running gives.
    pub fn call(
        &self,
        id: FnId,
        arguments: Vec<Value>,
        options: &RunOptions,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<(ShownValue, RunOutcome), RunError> {
        let mut listener = Listener {
            on_event,
            externs: options.externs.as_ref(),
            steps: Vec::new(),
        };
        let engine = engine_options(options);
        let program = self.program();
        let result =
            strand_interp::call(program, self.text(), id, arguments, &engine, &mut listener);
        let (value, report) = result?;
        let function = program.function(id);
        let shown = self.shown(function.name_span, &function.name, &function.result, value);
        let steps = listener.steps;
        let outcome = RunOutcome {
            steps,
            peak_bytes: report.peak_bytes,
            ..RunOutcome::default()
        };
        Ok((shown, outcome))
    }

    fn sample_call(&self, id: FnId, options: &RunOptions, outcome: &mut RunOutcome) -> SampleCall {
        let function = self.program().function(id);
        let mut call = SampleCall {
            function: id,
            name: function.name.to_string(),
            line: LineIndex::new(self.text()).line(function.span.start),
            arguments: Vec::new(),
            outcome: CallOutcome::Skipped("it has errors".to_owned()),
        };
        if let Some(faulty) = first_faulty(self.program(), id) {
            if faulty != id {
                let name = &self.program().function(faulty).name;
                call.outcome = CallOutcome::Skipped(format!("it calls {name}, which has errors"));
            }
            return call;
        }
        let sample = strand_interp::sample_arguments(
            self.program(),
            id,
            &self.axis_sizes(&options.sizes),
            options.fill,
            options.memory_limit,
        );
        let arguments = match sample {
            Ok((arguments, _)) => arguments,
            Err(error) => {
                call.outcome = CallOutcome::Error(error);
                return call;
            }
        };
        call.arguments = function
            .params
            .iter()
            .zip(&arguments)
            .map(|(param, value)| {
                let ty = param.ty.clone().unwrap_or(Type::Error);
                self.shown(param.span, &param.name, &ty, value.clone())
            })
            .collect();
        call.outcome = match self.call(id, arguments, options, &mut |_| {}) {
            Ok((shown, run)) => {
                outcome.peak_bytes = outcome.peak_bytes.max(run.peak_bytes);
                outcome
                    .called
                    .push((call.name.clone(), outcome.steps.len()));
                outcome.steps.extend(run.steps);
                CallOutcome::Result(shown)
            }
            Err(error) => CallOutcome::Error(error),
        };
        call
    }

    fn shown(&self, span: Span, name: &str, ty: &Type, value: Value) -> ShownValue {
        let symbols = &self.program().symbols;
        let axes = match (ty, &value) {
            (Type::Tensor(tensor), _) => {
                let name = |axis: &strand_ir::Axis| axis.name.map(|id| symbols.name(id).to_owned());
                tensor.axes.iter().map(name).collect()
            }
            (_, Value::Tensor(array)) => vec![None; array.rank()],
            _ => Vec::new(),
        };
        let ty = match ty {
            Type::Error => "any".to_owned(),
            ty => self.program().display_type(ty),
        };
        let line = LineIndex::new(self.text()).line(span.start);
        ShownValue {
            line,
            name: name.to_owned(),
            ty,
            axes,
            value,
            picture: None,
        }
    }

    /// The first of the asked sizes of dims with which the text, right as it is written, has an error, and that error.
    pub fn unfit_size(&self, asked: &Map<String, i64>) -> Option<RunError> {
        let written = Self::new(self.text());
        if written.has_errors() {
            return None;
        }
        let mut given = Map::new();
        for size in written.sizes().iter().filter(|size| size.changeable) {
            let Some(value) = asked.get(&size.name).filter(|value| **value != size.value) else {
                continue;
            };
            given.insert(size.name.clone(), *value);
            let resized = Self::with_dims(self.text(), &given);
            let found = resized.diagnostics().iter().find(|found| found.is_error());
            if let Some(found) = found {
                return Some(RunError {
                    code: found.code,
                    message: format!("{} can't be {value}: {}", size.name, found.message),
                    span: found.span,
                    notes: found.notes.clone(),
                });
            }
        }
        None
    }

    /// A bound of what [`Document::run`] costs: with errors, of the functions that it still runs. `None` where there is
    /// no bound.
    pub fn cost(&self, options: &RunOptions) -> Option<Cost> {
        let program = self.program();
        let mut estimator = Estimator::new(program);
        let axes = self.axis_sizes(&options.sizes);
        let mut total = match self.has_errors() {
            true => Cost::default(),
            false => estimator.script()?,
        };
        for (at, function) in program.functions.iter().enumerate() {
            let runs = !self.has_errors() || first_faulty(program, FnId(at as u32)).is_none();
            if function.is_method() || !runs {
                continue;
            }
            let size = |id: &SymbolId| Some((*id, *axes.get(program.symbols.name(*id))? as f64));
            let sizes: Map<SymbolId, f64> = function.axis_names.iter().filter_map(size).collect();
            let cost = estimator.function(FnId(at as u32), &sizes)?;
            total.multiply_adds += cost.multiply_adds;
            total.bytes = total.bytes.max(cost.bytes);
        }
        Some(total)
    }
}

fn engine_options(options: &RunOptions) -> Options {
    Options {
        memory_limit: options.memory_limit,
        trace: options.trace,
        inspect: options.inspect,
        kernels: options.kernels.clone(),
        ..Options::default()
    }
}

/// The first function with errors among a function and those that it calls, at any depth.
fn first_faulty(program: &Program, id: FnId) -> Option<FnId> {
    let mut seen = vec![false; program.functions.len()];
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        let function = program.function(id);
        if function.has_error {
            return Some(id);
        }
        for stmt in function.instances.iter().flat_map(|body| &body.stmts) {
            stmt.each_expr(&mut |expr| {
                if let ExprKind::Call { function, .. } = expr.kind {
                    open.push(function);
                }
            });
        }
    }
    None
}
