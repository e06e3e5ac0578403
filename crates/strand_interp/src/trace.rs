//! What ran, step by step, as plain data.

use strand_array::{Array, LoopKind, Report};
use strand_source::Span;

use crate::host::{Made, Step, StepKind};
use crate::summary::summary;

/// After so many steps a run records none: a long loop would fill the memory with them.
pub const MOST_STEPS: usize = 10_000;

/// Collects the steps of a run until they are handed to the host.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    on: bool,
    inspect: bool,
    steps: Vec<Step>,
    pub(crate) count: usize,
}

impl Recorder {
    pub(crate) fn new(on: bool, inspect: bool) -> Self {
        Self {
            on,
            inspect,
            ..Self::default()
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on && self.count < MOST_STEPS
    }

    /// A step that the engine reports.
    pub(crate) fn report(&mut self, report: Report, span: Span) {
        self.push(Step {
            line: 0,
            span,
            ops: report.ops,
            kind: step_kind(report.kind),
            shape: report.shape,
            strides: report.strides,
            bytes: report.bytes,
            made: None,
        });
    }

    /// A step that the interpreter took itself, with what it gave.
    pub(crate) fn step(
        &mut self,
        ops: Vec<&'static str>,
        kind: StepKind,
        result: &Array,
        span: Span,
    ) {
        self.push(Step {
            line: 0,
            span,
            ops,
            kind,
            shape: result.shape().to_vec(),
            strides: vec![result.strides().to_vec()],
            bytes: if kind == StepKind::View {
                0
            } else {
                result.len() * result.dtype().size()
            },
            made: None,
        });
        self.gave(result);
    }

    /// The last step gave this array.
    pub(crate) fn gave(&mut self, array: &Array) {
        let inspect = self.inspect;
        if let Some(step) = self.steps.last_mut().filter(|_| self.count <= MOST_STEPS) {
            step.made = Some(Made {
                shape: array.shape().to_vec(),
                strides: array.strides().to_vec(),
                dtype: array.dtype().name(),
                values: inspect.then(|| summary(array)),
            });
        }
    }

    /// A step on numbers.
    pub(crate) fn scalar(&mut self, op: &'static str, span: Span) {
        self.push(Step {
            line: 0,
            span,
            ops: vec![op],
            kind: StepKind::Scalar,
            shape: Vec::new(),
            strides: Vec::new(),
            bytes: 0,
            made: None,
        });
    }

    fn push(&mut self, step: Step) {
        self.count += 1;
        if self.count <= MOST_STEPS {
            self.steps.push(step);
        }
    }

    /// The steps since the last call.
    pub(crate) fn take(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.steps)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

fn step_kind(kind: LoopKind) -> StepKind {
    match kind {
        LoopKind::One => StepKind::One,
        LoopKind::Strided => StepKind::Strided,
        LoopKind::Fused => StepKind::Fused,
        LoopKind::Compiled => StepKind::Compiled,
        LoopKind::Gather => StepKind::Gather,
        LoopKind::Matmul => StepKind::Matmul,
        LoopKind::View => StepKind::View,
        _ => StepKind::Axis,
    }
}
