//! The session for JavaScript: one object with typed methods. Places are UTF-16 offsets into the
//! text that is handed in. Values stay here; a page reads windows of them.

mod complete;
mod edge;
mod types;
mod values;

use js_sys::Function;
use strand_session::{Document, Event, Fill, Map};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

use edge::Places;
use types::{
    Call, CheckResult, Cost, Hover, RunEvent, RunOptions, RunResult, Sizes, Slice, TorchText,
};
use values::Values;

/// The seed of `fill: "normal"`.
const SAMPLE_SEED: u64 = 0;

/// The checker, and the values of the last run.
#[wasm_bindgen]
#[derive(Default)]
pub struct Strand {
    values: Values,
    /// The last text with its document, so that hover and PyTorch text don't check it again.
    last: Option<Document>,
}

/// Names count in normal form KC, whose tables the page's JavaScript has.
#[cfg(target_arch = "wasm32")]
fn nfkc(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFKC").into()
}

/// The engine's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[wasm_bindgen]
impl Strand {
    /// An engine without values.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        #[cfg(target_arch = "wasm32")]
        strand_session::set_normalizer(nfkc);
        Self::default()
    }

    /// Checks a text.
    pub fn check(&mut self, text: &str) -> Result<Ts<CheckResult>, JsError> {
        let document = Document::new(text);
        let result = edge::check_result(&document);
        self.last = Some(document);
        Ok(result.into_ts()?)
    }

    /// A finding of the text as Markdown, by its place in the list that checking gives.
    pub fn markdown(&mut self, text: &str, index: u32) -> Option<String> {
        let found = self.document(text).diagnostics().get(index as usize)?;
        Some(strand_session::markdown(found, text))
    }

    /// What is known of the piece of the text at a place.
    pub fn hover(&mut self, text: &str, offset: u32) -> Result<Option<Ts<Hover>>, JsError> {
        let document = self.document(text);
        let places = Places::new(text);
        let Some(hover) = document.hover(places.byte(offset)) else {
            return Ok(None);
        };
        let hover = Hover {
            range: places.range(hover.span),
            ty: hover.ty,
            detail: hover.detail,
        };
        Ok(Some(hover.into_ts()?))
    }

    /// What may stand at a place.
    pub fn complete(&self, text: &str, offset: u32) -> Result<Ts<complete::Completions>, JsError> {
        Ok(complete::complete(text, offset).into_ts()?)
    }

    /// The PyTorch text; empty while the text has errors.
    pub fn torch(&mut self, text: &str) -> Result<Ts<TorchText>, JsError> {
        Ok(edge::torch_text(self.document(text)).into_ts()?)
    }

    /// What running the text with other sizes costs; `undefined` with errors, or where there is no bound.
    pub fn cost(&mut self, text: &str, sizes: Ts<Sizes>) -> Result<Option<Ts<Cost>>, JsError> {
        let sizes = whole_sizes(&sizes.to_rust()?.0);
        let resized = self.document(text).sizes().iter().any(|size| {
            size.is_dim
                && sizes
                    .get(&size.name)
                    .is_some_and(|asked| *asked != size.value)
        });
        let options = strand_session::RunOptions {
            sizes,
            ..Default::default()
        };
        let other = resized.then(|| Document::with_dims(text, &options.sizes));
        // With a size that can't be, a run says so and calls what it doesn't touch.
        let priced = match &other {
            Some(document) if !document.has_errors() => document,
            _ => self.document(text),
        };
        let cost = priced.cost(&options);
        Ok(cost.map(|cost| edge::cost(cost).into_ts()).transpose()?)
    }

    /// The text in the one style; unchanged where it has errors of syntax.
    pub fn format(&self, text: &str) -> String {
        strand_session::format(text)
    }

    /// Runs the script, then every function with sample arguments, and gives events as they come.
    ///
    /// # Errors
    /// What the callback throws ends the run.
    pub fn run(
        &mut self,
        text: &str,
        options: Ts<RunOptions>,
        #[wasm_bindgen(unchecked_param_type = "(event: RunEvent) => void")] on_event: &Function,
    ) -> Result<Ts<RunResult>, JsValue> {
        let options = options.to_rust().map_err(JsError::from)?;
        let sizes = whole_sizes(&options.sizes.0);
        let document = Document::with_dims(text, &sizes);
        let places = Places::new(text);
        self.values = Values::default();
        let mut session = strand_session::RunOptions {
            sizes,
            ..Default::default()
        };
        if let types::Fill::Normal = options.fill {
            session.fill = Fill::Normal(SAMPLE_SEED);
        }
        if options.memory_limit >= 1.0 {
            session.memory_limit = options.memory_limit.min(f64::from(u32::MAX)) as usize;
        }
        let mut thrown = None;
        let outcome = document.run(&session, &mut |event| {
            if thrown.is_none() {
                let sent = self
                    .event(event, &places, &document)
                    .and_then(|event| match event {
                        Some(event) => on_event.call1(&JsValue::NULL, &event).map(|_| ()),
                        None => Ok(()),
                    });
                thrown = sent.err();
            }
        });
        if let Some(error) = thrown {
            return Err(error);
        }
        let unfit = document
            .has_errors()
            .then(|| document.unfit_size(&session.sizes));
        let result = RunResult {
            error: outcome
                .error
                .or(unfit.flatten())
                .as_ref()
                .map(|error| places.run_error(error, &document)),
            sizes: outcome.sizes.iter().map(edge::size_info).collect(),
            steps: outcome.steps.len() as f64,
            left_out: self.values.left_out() as f64,
            peak_bytes: outcome.peak_bytes as f64,
        };
        Ok(result.into_ts().map_err(JsError::from)?)
    }

    /// A window of a value of the last run: the last two axes are rows and columns, `outer` picks
    /// the others. Windows past the value's end are cut.
    ///
    /// # Errors
    /// An id that isn't one of the last run's.
    pub fn view(
        &self,
        id: u32,
        outer: &[u32],
        row: u32,
        rows: u32,
        column: u32,
        columns: u32,
    ) -> Result<Ts<Slice>, JsError> {
        let slice = self
            .values
            .view(id, outer, [row, rows], [column, columns])?;
        Ok(slice.into_ts()?)
    }

    /// A value of the last run as a `.npy` file.
    ///
    /// # Errors
    /// An id that isn't one of the last run's, or isn't a tensor's.
    pub fn npy(&self, id: u32) -> Result<Vec<u8>, JsError> {
        self.values.npy(id)
    }
}

impl Strand {
    fn document(&mut self, text: &str) -> &Document {
        let last = self.last.take().filter(|document| document.text() == text);
        self.last
            .insert(last.unwrap_or_else(|| Document::new(text)))
    }

    /// An event as the page gets it; `None` for a value of the script beyond those that are kept.
    fn event(
        &mut self,
        event: Event,
        places: &Places<'_>,
        document: &Document,
    ) -> Result<Option<JsValue>, JsValue> {
        use strand_session::CallOutcome;
        let event = match event {
            Event::Value(shown) => match self.values.add_shown(shown) {
                Some(value) => RunEvent::Value { value },
                None => return Ok(None),
            },
            Event::Print(text) => RunEvent::Print { text },
            Event::Call(call) => {
                let mut plain = Call {
                    function: call.name,
                    line: call.line,
                    arguments: call
                        .arguments
                        .into_iter()
                        .map(|arg| self.values.add(arg))
                        .collect(),
                    result: None,
                    error: None,
                    skipped: None,
                };
                match call.outcome {
                    CallOutcome::Result(shown) => plain.result = Some(self.values.add(shown)),
                    CallOutcome::Error(error) => {
                        plain.error = Some(places.run_error(&error, document));
                    }
                    CallOutcome::Skipped(why) => plain.skipped = Some(why),
                }
                RunEvent::Call { call: plain }
            }
        };
        Ok(Some(event.into_ts().map_err(JsError::from)?.into()))
    }
}

/// Sizes as whole numbers; what isn't one is left out, so that its default stands.
fn whole_sizes(sizes: &[(String, f64)]) -> Map<String, i64> {
    let whole = |value: f64| (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64);
    sizes
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), whole(*value)?)))
        .collect()
}
