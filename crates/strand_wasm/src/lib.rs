//! The session for JavaScript: one object with typed methods. Places are UTF-16 offsets into the
//! text that is handed in. Values stay here; a page reads windows of them.

mod complete;
mod edge;
mod externs;
#[cfg(target_arch = "wasm32")]
mod kernels;
mod options;
mod plain;
mod steps;
mod types;
#[cfg(target_arch = "wasm32")]
mod unicode;
mod values;

use js_sys::Function;
use strand_session::{Document, Event};
use tsify::Ts;
use wasm_bindgen::prelude::*;

use edge::Places;
use options::{Fill, RunOptions, Sizes};
use plain::{Plain, typed};
use steps::Ran;
use types::{
    Call, CheckResult, Cost, Drawn, Hover, MemoryInfo, RunEvent, RunResult, Slice, Steps, TorchText,
};
use values::Values;

#[wasm_bindgen(typescript_custom_section)]
const CARRIED: &str = "
/** An argument or result of a function of the page. */
export type CarriedValue = CarriedTensor | number | bigint | boolean | string | null;
";

/// The seed of `fill: "normal"`.
const SAMPLE_SEED: u64 = 0;

/// The checker, and the values of the last run.
#[wasm_bindgen]
#[derive(Default)]
pub struct Strand {
    values: Values,
    ran: Ran,
    /// The page's functions that extern declarations find.
    externs: Option<strand_session::Externs>,
    /// Loops that are compiled while programs run; they stay from run to run.
    kernels: Option<strand_session::Kernels>,
    /// The last text with its document, so that hover and PyTorch text don't check it again.
    last: Option<Document>,
}

/// The engine's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[wasm_bindgen(raw_module = "./later.js")]
extern "C" {
    /// Has the host put the engine's later part in place, where it isn't yet.
    #[wasm_bindgen(js_name = load)]
    fn load();
}

/// Has the host put the engine's later part in place. The engine calls it by itself before it first needs that part.
#[wasm_bindgen(js_name = loadLater)]
pub fn load_later() {
    load();
}

#[wasm_bindgen]
impl Strand {
    /// An engine without values.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        #[cfg(target_arch = "wasm32")]
        unicode::hand_in();
        Self {
            #[cfg(target_arch = "wasm32")]
            kernels: Some(kernels::kernels()),
            ..Self::default()
        }
    }

    /// Checks a text.
    pub fn check(&mut self, text: &str) -> Ts<CheckResult> {
        let document = self.last.insert(Document::new(text));
        typed(&edge::check_result(document))
    }

    /// A finding of the text as Markdown, by its place in the list that checking gives.
    pub fn markdown(&mut self, text: &str, index: u32) -> Option<String> {
        let found = self.document(text).diagnostics().get(index as usize)?;
        Some(strand_session::markdown(found, text))
    }

    /// What is known of the piece of the text at a place.
    pub fn hover(&mut self, text: &str, offset: u32) -> Option<Ts<Hover>> {
        let document = self.document(text);
        let places = Places::new(text);
        let hover = document.hover(places.byte(offset))?;
        Some(typed(&Hover {
            range: places.range(hover.span),
            r#type: hover.ty,
            detail: hover.detail,
        }))
    }

    /// What may stand at a place.
    pub fn complete(&self, text: &str, offset: u32) -> Ts<complete::Completions> {
        typed(&complete::complete(text, offset))
    }

    /// The PyTorch text; empty while the text has errors.
    pub fn torch(&mut self, text: &str) -> Ts<TorchText> {
        typed(&edge::torch_text(self.document(text)))
    }

    /// What running the text with other sizes costs; `undefined` where there is no bound.
    pub fn cost(&mut self, text: &str, sizes: Ts<Sizes>) -> Result<Option<Ts<Cost>>, JsError> {
        let sizes = Sizes::read(&sizes.js_value())?.0;
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
        Ok(cost.map(|cost| typed(&edge::cost(cost))))
    }

    /// The text in the one style; unchanged where it has errors of syntax.
    pub fn format(&self, text: &str) -> String {
        strand_session::format(text)
    }

    /// Hands in functions that extern declarations find: `call` gets module, name and arguments, gives `undefined`
    /// where there is no such function, and throws where one fails.
    #[wasm_bindgen(js_name = setExterns)]
    pub fn set_externs(
        &mut self,
        #[wasm_bindgen(
            unchecked_param_type = "(module: string, name: string, values: CarriedValue[]) => CarriedValue | undefined"
        )]
        call: &Function,
    ) {
        self.externs = Some(externs::externs(call));
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
        let options = RunOptions::read(&options.js_value())?;
        let sizes = options.sizes.0;
        let document = Document::with_dims(text, &sizes);
        let places = Places::new(text);
        self.values = Values::default();
        let mut session = strand_session::RunOptions {
            sizes,
            ..Default::default()
        };
        if let Fill::Normal = options.fill {
            session.fill = strand_session::Fill::Normal(SAMPLE_SEED);
        }
        if options.memory_limit >= 1.0 {
            session.memory_limit = options.memory_limit.min(f64::from(u32::MAX)) as usize;
        }
        session.inspect = options.inspect;
        session.externs = self.externs.clone();
        session.kernels = self.kernels.clone();
        let mut thrown = None;
        let mut outcome = document.run(&session, &mut |event| {
            if thrown.is_none() {
                let event = self.event(event, &places, &document);
                thrown = event.and_then(|event| on_event.call1(&JsValue::NULL, &event).err());
            }
        });
        if let Some(error) = thrown {
            return Err(error);
        }
        let unfit = document
            .has_errors()
            .then(|| document.unfit_size(&session.sizes));
        self.ran = Ran::new(text, &mut outcome);
        let result = RunResult {
            error: outcome
                .error
                .take()
                .or(unfit.flatten())
                .as_ref()
                .map(|error| places.run_error(error, &document)),
            sizes: outcome.sizes.iter().map(edge::size_info).collect(),
            steps: self.ran.count() as f64,
            steps_cut: self.ran.is_cut(),
            left_out: self.values.left_out() as f64,
            peak_bytes: outcome.peak_bytes as f64,
        };
        Ok(typed(&result))
    }

    /// At most `count` steps of the last run from the one numbered `first`.
    pub fn steps(&self, first: u32, count: u32) -> Ts<Steps> {
        typed(&self.ran.steps(first, count))
    }

    /// Where the elements of a value of the last run lie.
    ///
    /// # Errors
    /// An id that isn't one of the last run's, or isn't a tensor's.
    pub fn memory(&self, id: u32) -> Result<Ts<MemoryInfo>, JsError> {
        Ok(typed(&self.values.memory(id)?))
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
        Ok(typed(&slice))
    }

    /// What a page draws of a value of the last run that `show` asks a picture of, in at most 64 KB. `outer` picks from
    /// a heat map's axes before the last two; frames come from `first` on, at most `count` of them.
    ///
    /// # Errors
    /// An id that isn't one of the last run's, or of a value without a picture.
    pub fn picture(
        &self,
        id: u32,
        outer: &[u32],
        first: u32,
        count: u32,
    ) -> Result<Ts<Drawn>, JsError> {
        let drawn = self.values.drawn(id, outer, [first, count])?;
        Ok(typed(&drawn))
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
    fn event(&mut self, event: Event, places: &Places<'_>, document: &Document) -> Option<JsValue> {
        use strand_session::CallOutcome;
        let event = match event {
            Event::Value(shown) => RunEvent::Value {
                value: self.values.add_shown(shown)?,
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
        Some(event.plain())
    }
}
