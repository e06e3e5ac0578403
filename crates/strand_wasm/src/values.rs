//! The values of the last run, and windows of them.

use js_sys::Float64Array;
use strand_session::{Array, ShownValue, Value, value_dtype, value_format};
use wasm_bindgen::JsError;

use crate::types::{Slice, Summary, ValueInfo};

/// A window's most elements.
const MOST_ELEMENTS: usize = 1 << 16;

/// Values by id.
#[derive(Default)]
pub(crate) struct Values {
    shown: Vec<ShownValue>,
}

impl Values {
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
            ty: shown.ty.clone(),
            axes: shown.axes.clone(),
            shape,
            dtype: value_dtype(&shown.value).to_owned(),
            host,
            summary,
        };
        self.shown.push(shown);
        info
    }

    fn tensor(&self, id: u32) -> Result<(&ShownValue, &Array), JsError> {
        match self.shown.get(id as usize) {
            Some(shown) => match &shown.value {
                Value::Tensor(array) => Ok((shown, array)),
                _ => Err(JsError::new(&format!("value {id} isn't a tensor"))),
            },
            None => Err(JsError::new(&format!("the last run has no value {id}"))),
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
            data: Float64Array::from(window.to_vec_f64().as_slice()),
        })
    }

    pub(crate) fn npy(&self, id: u32) -> Result<Vec<u8>, JsError> {
        match self.shown.get(id as usize) {
            Some(shown) => strand_session::npy(&shown.value).map_err(|error| JsError::new(&error)),
            None => Err(JsError::new(&format!("the last run has no value {id}"))),
        }
    }
}

fn summary(array: &Array) -> Summary {
    let found = strand_session::summary(array);
    Summary {
        min: found.min,
        max: found.max,
        mean: found.mean,
        nan: found.nan as f64,
        infinite: found.infinite as f64,
        count: array.len() as f64,
    }
}
