//! What JavaScript hands in.

use js_sys::{Array, Object, Reflect};
use strand_session::Map;
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsError, JsValue};

/// What sample arguments are filled with.
#[derive(Clone, Copy, Debug, Default, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Every value is its own index.
    #[default]
    Index,
    /// Draws of the normal distribution from a fixed seed.
    Normal,
}

/// Values of axis names and of dims that are written as numbers.
#[derive(Clone, Debug, Default, Tsify)]
#[tsify(type = "Record<string, number>")]
pub struct Sizes(pub Map<String, i64>);

/// How to run.
#[derive(Clone, Debug, Default, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOptions {
    /// Sizes that aren't the default ones.
    pub sizes: Sizes,
    /// What sample arguments are filled with.
    pub fill: Fill,
    /// The most bytes that the values may take; 0 for 1 GiB.
    pub memory_limit: f64,
    /// Whether steps say the range of their values, which takes a look at each.
    pub inspect: bool,
}

impl Sizes {
    /// Reads the properties of an object. What isn't a whole number is left out, so that its default stands.
    pub(crate) fn read(from: &JsValue) -> Result<Self, JsError> {
        let object: &Object = from
            .dyn_ref()
            .ok_or_else(|| JsError::new("sizes are an object of numbers"))?;
        let pair = |entry: JsValue| {
            let entry: Array = entry.unchecked_into();
            Some((entry.get(0).as_string()?, whole(entry.get(1).as_f64()?)?))
        };
        Ok(Self(
            Object::entries(object).iter().filter_map(pair).collect(),
        ))
    }
}

impl RunOptions {
    /// Reads an object; what it lacks has its default.
    pub(crate) fn read(from: &JsValue) -> Result<Self, JsError> {
        let field = |name: &str| -> Result<Option<JsValue>, JsError> {
            let value = Reflect::get(from, &JsValue::from_str(name));
            let value = value.map_err(|_| JsError::new("the options are an object"))?;
            Ok((!value.is_undefined()).then_some(value))
        };
        let mut options = Self::default();
        if let Some(sizes) = field("sizes")? {
            options.sizes = Sizes::read(&sizes)?;
        }
        if let Some(fill) = field("fill")? {
            options.fill = match fill.as_string().as_deref() {
                Some("index") => Fill::Index,
                Some("normal") => Fill::Normal,
                _ => return Err(JsError::new("fill is \"index\" or \"normal\"")),
            };
        }
        if let Some(limit) = field("memoryLimit")? {
            let limit = limit.as_f64();
            options.memory_limit = limit.ok_or_else(|| JsError::new("memoryLimit is a number"))?;
        }
        options.inspect = field("inspect")?.is_some_and(|inspect| inspect.is_truthy());
        Ok(options)
    }
}

fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}
