//! The steps of the last run, and the memory of its values.

use js_sys::Float64Array;
use strand_session::{
    MOST_STEPS, RunOutcome, Step, StepKind, Summary, block_items, layout, share_memory,
};
use wasm_bindgen::JsError;

use crate::edge::Places;
use crate::types::{MadeInfo, MemoryInfo, StepInfo, Steps};
use crate::values::{Values, summary_info};

/// What a run did, for a page that asks later.
#[derive(Default)]
pub(crate) struct Ran {
    text: String,
    steps: Vec<Step>,
    called: Vec<(String, usize)>,
}

impl Ran {
    pub(crate) fn new(text: &str, outcome: &mut RunOutcome) -> Self {
        Self {
            text: text.to_owned(),
            steps: std::mem::take(&mut outcome.steps),
            called: std::mem::take(&mut outcome.called),
        }
    }

    /// How many steps are recorded.
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// Whether the script or a call may have gone on after the last step that is recorded of it.
    pub(crate) fn is_cut(&self) -> bool {
        let starts = self.called.iter().map(|(_, first)| *first);
        let ends = starts.clone().chain([self.steps.len()]);
        let mut lengths = [0].into_iter().chain(starts).zip(ends);
        lengths.any(|(from, to)| to.saturating_sub(from) >= MOST_STEPS)
    }

    /// At most `count` steps from `first` on.
    pub(crate) fn steps(&self, first: u32, count: u32) -> Steps {
        let places = Places::new(&self.text);
        let chosen = self.steps.iter().enumerate();
        let chosen = chosen.skip(first as usize).take(count as usize);
        let has_nan = |step: &Step| {
            let values = step.made.as_ref().and_then(|made| made.values);
            values.is_some_and(|values| values.nan > 0)
        };
        Steps {
            total: self.count() as f64,
            cut: self.is_cut(),
            bytes: self.steps.iter().map(|step| step.bytes as f64).sum(),
            views: self
                .steps
                .iter()
                .filter(|step| step.kind == StepKind::View)
                .count() as f64,
            first_nan: self.steps.iter().position(has_nan).map(|at| at as f64),
            steps: chosen
                .map(|(at, step)| self.info(at, step, &places))
                .collect(),
        }
    }

    fn info(&self, at: usize, step: &Step, places: &Places<'_>) -> StepInfo {
        let later = self.called.partition_point(|(_, first)| *first <= at);
        let function = later.checked_sub(1).and_then(|call| self.called.get(call));
        StepInfo {
            range: places.range(step.span),
            line: step.line,
            function: function.map(|(name, _)| name.clone()),
            ops: step.ops.iter().map(|op| (*op).to_owned()).collect(),
            kind: step.kind.as_str().to_owned(),
            shape: numbers(&step.shape),
            strides: step.strides.iter().map(|strides| signed(strides)).collect(),
            bytes: step.bytes as f64,
            made: step.made.as_ref().map(|made| MadeInfo {
                shape: numbers(&made.shape),
                strides: signed(&made.strides),
                dtype: made.dtype.to_owned(),
                values: made.values.map(|values: Summary| {
                    let count: usize = made.shape.iter().product();
                    summary_info(values, count)
                }),
            }),
        }
    }
}

impl Values {
    /// Where a value's elements lie, and which of the other values lie there too.
    pub(crate) fn memory(&self, id: u32) -> Result<MemoryInfo, JsError> {
        let value = &self.get(id)?.value;
        let Some(found) = layout(value) else {
            return Err(JsError::new(&format!("value {id} isn't a tensor")));
        };
        let others = self.all().enumerate();
        let others =
            others.filter(|(at, other)| *at as u32 != id && share_memory(value, &other.value));
        Ok(MemoryInfo {
            bytes: found.bytes as f64,
            item: found.item as f64,
            offset: found.offset as f64,
            shape: numbers(&found.shape),
            strides: signed(&found.strides),
            c_contiguous: found.c_contiguous,
            f_contiguous: found.f_contiguous,
            is_view: found.is_view,
            shared_with: others.map(|(at, _)| at as u32).collect(),
            items: Float64Array::from(block_items(value).as_slice()),
        })
    }
}

fn numbers(sizes: &[usize]) -> Vec<f64> {
    sizes.iter().map(|size| *size as f64).collect()
}

fn signed(strides: &[isize]) -> Vec<f64> {
    strides.iter().map(|stride| *stride as f64).collect()
}
