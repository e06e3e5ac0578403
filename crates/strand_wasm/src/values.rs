//! The values of the last run, and windows of them.

use js_sys::{Float64Array, Uint8Array};
use strand_session::{Array, ArrayDType, ShownValue, Value, View, value_dtype, value_format};
use wasm_bindgen::JsError;

use crate::types::{Drawn, Slice, Summary, ValueInfo};

/// A window's most elements.
const MOST_ELEMENTS: usize = 1 << 16;

/// The most values that a script shows: a loop may show millions, and each is kept with its memory.
const MOST_SHOWN: usize = 200;

/// Integers up to this one are exact as numbers of JavaScript.
const MOST_EXACT: u64 = 1 << 53;

/// Values by id.
#[derive(Default)]
pub(crate) struct Values {
    shown: Vec<ShownValue>,
    /// How many values the script has shown.
    by_script: usize,
}

impl Values {
    /// Keeps a value that the script shows, unless there are too many.
    pub(crate) fn add_shown(&mut self, shown: ShownValue) -> Option<ValueInfo> {
        self.by_script += 1;
        (self.by_script <= MOST_SHOWN).then(|| self.add(shown))
    }

    /// How many values of the script aren't kept.
    pub(crate) fn left_out(&self) -> usize {
        self.by_script.saturating_sub(MOST_SHOWN)
    }

    /// Keeps a value and says what it is.
    pub(crate) fn add(&mut self, shown: ShownValue) -> ValueInfo {
        let (shape, host, summary) = match &shown.value {
            Value::Tensor(array) => {
                let shape = array.shape().iter().map(|size| *size as f64).collect();
                (shape, None, Some(summary(array)))
            }
            value => (Vec::new(), Some(value_format::printed(value)), None),
        };
        let info = ValueInfo {
            id: self.shown.len() as u32,
            line: shown.line,
            name: shown.name.clone(),
            r#type: shown.ty.clone(),
            axes: shown.axes.clone(),
            shape,
            dtype: value_dtype(&shown.value).to_owned(),
            host,
            summary,
            view: shown
                .picture
                .as_ref()
                .and_then(|picture| picture.view)
                .map(|view| view.name().to_owned()),
            fps: shown
                .picture
                .as_ref()
                .and_then(|picture| picture.number_of(View::Frames))
                .map(|number| number as f64),
        };
        self.shown.push(shown);
        info
    }

    pub(crate) fn get(&self, id: u32) -> Result<&ShownValue, JsError> {
        let missing = || JsError::new(&format!("the last run has no value {id}"));
        self.shown.get(id as usize).ok_or_else(missing)
    }

    /// All values, by their ids.
    pub(crate) fn all(&self) -> impl Iterator<Item = &ShownValue> {
        self.shown.iter()
    }

    fn tensor(&self, id: u32) -> Result<(&ShownValue, &Array), JsError> {
        let shown = self.get(id)?;
        match &shown.value {
            Value::Tensor(array) => Ok((shown, array)),
            _ => Err(JsError::new(&format!("value {id} isn't a tensor"))),
        }
    }

    /// Rows and columns are `[start, count]`.
    pub(crate) fn view(
        &self,
        id: u32,
        outer: &[u32],
        rows: [u32; 2],
        columns: [u32; 2],
    ) -> Result<Slice, JsError> {
        let (shown, array) = self.tensor(id)?;
        let rank = array.rank();
        let mut window = array.clone();
        for at in 0..rank.saturating_sub(2) {
            let index = outer.get(at).copied().unwrap_or(0);
            window = window
                .select(0, i64::from(index))
                .map_err(|error| JsError::new(&error.to_string()))?;
        }
        let inner = [rows, columns];
        let inner = inner.get(2 - window.rank()..).unwrap_or(&[]);
        for (axis, [start, count]) in inner.iter().enumerate() {
            let size = window.shape().get(axis).copied().unwrap_or(0);
            let start = (*start as usize).min(size);
            let count = (*count as usize).min(size - start);
            window = window
                .slice(axis, Some(start as i64), Some((start + count) as i64), 1)
                .map_err(|error| JsError::new(&error.to_string()))?;
        }
        if window.len() > MOST_ELEMENTS {
            return Err(JsError::new(&format!(
                "a window has at most {MOST_ELEMENTS} elements"
            )));
        }
        Ok(Slice {
            axes: shown
                .axes
                .iter()
                .skip(rank.saturating_sub(2))
                .cloned()
                .collect(),
            shape: window.shape().iter().map(|size| *size as f64).collect(),
            exact: exact(&window),
            data: Float64Array::from(window.to_vec_f64().as_slice()),
        })
    }

    /// `frames` are the first and how many.
    pub(crate) fn drawn(&self, id: u32, outer: &[u32], frames: [u32; 2]) -> Result<Drawn, JsError> {
        let (shown, array) = self.tensor(id)?;
        let Some(picture) = &shown.picture else {
            return Err(JsError::new(&format!(
                "nobody asked for a picture of value {id}"
            )));
        };
        let frames = (frames[0] as usize, frames[1] as usize);
        let found = strand_session::drawn(array, picture, outer, frames);
        let found = found.map_err(|error| JsError::new(&error))?;
        Ok(Drawn {
            shape: found.shape.iter().map(|size| *size as f64).collect(),
            step: found.step as f64,
            low: found.low,
            high: found.high,
            levels: Uint8Array::from(found.levels.as_slice()),
            numbers: Float64Array::from(found.numbers.as_slice()),
            labels: Float64Array::from(found.labels.as_slice()),
        })
    }

    pub(crate) fn npy(&self, id: u32) -> Result<Vec<u8>, JsError> {
        strand_session::npy(&self.get(id)?.value).map_err(|error| JsError::new(&error))
    }
}

/// Integers as text, where one is too large for a number of JavaScript.
fn exact(window: &Array) -> Option<Vec<String>> {
    if window.dtype() != ArrayDType::I64 {
        return None;
    }
    let integers = window.to_vec_i64();
    let too_large = integers
        .iter()
        .any(|value| value.unsigned_abs() > MOST_EXACT);
    too_large.then(|| integers.iter().map(i64::to_string).collect())
}

fn summary(array: &Array) -> Summary {
    summary_info(strand_session::summary(array), array.len())
}

/// What is known of `count` values in short.
pub(crate) fn summary_info(found: strand_session::Summary, count: usize) -> Summary {
    Summary {
        min: found.min,
        max: found.max,
        mean: found.mean,
        nan: found.nan as f64,
        infinite: found.infinite as f64,
        count: count as f64,
    }
}
