//! Plain data as values of JavaScript, without a framework: the engine's weight is what a visitor waits for.

use std::cell::RefCell;

use js_sys::{Array, Float64Array, Object, Uint8Array};
use strand_session::Map;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An object whose properties are set without a `Result` for each: nothing traps its setters.
    type Record;

    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Record, key: &JsValue, value: JsValue);
}

/// What JavaScript gets as a plain value.
pub(crate) trait Plain {
    /// The value.
    fn plain(&self) -> JsValue;
}

/// A value with the type that TypeScript knows it by.
pub(crate) fn typed<T: Plain + Tsify>(data: &T) -> Ts<T> {
    Ts::new_unchecked(data.plain())
}

/// Declares structs that are objects in JavaScript and in TypeScript: `has_error` is `hasError` there, `r#type` is
/// `type`, and `None` is `null`.
macro_rules! plain {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$note:meta])* pub $field:ident: $ty:ty,)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, tsify::Tsify)]
        #[tsify(missing_as_null)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$note])* pub $field: $ty,)*
        }

        impl $crate::plain::Plain for $name {
            fn plain(&self) -> wasm_bindgen::JsValue {
                $crate::plain::object(&[$(stringify!($field)),*], &[$(&self.$field),*])
            }
        }
    )*};
}
pub(crate) use plain;

/// An object of fields, which are named as in Rust.
pub(crate) fn object(fields: &[&'static str], values: &[&dyn Plain]) -> JsValue {
    let record = Object::new().unchecked_into::<Record>();
    for (field, value) in fields.iter().zip(values) {
        with_key(field, &mut |key| record.set(key, value.plain()));
    }
    record.into()
}

thread_local! {
    /// The properties' names: a text that crosses once isn't decoded again.
    static KEYS: RefCell<Map<&'static str, JsValue>> = const { RefCell::new(Map::new()) };
}

/// Runs `use_key` on the property that a field is.
fn with_key(field: &'static str, use_key: &mut dyn FnMut(&JsValue)) {
    let key = KEYS.with_borrow_mut(|keys| {
        keys.get_or_insert_with(field, || JsValue::from_str(&property(field)))
            .clone()
    });
    use_key(&key);
}

/// `hasError` for `has_error`.
fn property(field: &str) -> String {
    let mut name = String::new();
    let mut words = field.trim_start_matches("r#").split('_');
    name.push_str(words.next().unwrap_or(""));
    for word in words {
        let (first, rest) = word.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

impl Plain for bool {
    fn plain(&self) -> JsValue {
        JsValue::from_bool(*self)
    }
}

impl Plain for u32 {
    fn plain(&self) -> JsValue {
        JsValue::from_f64(f64::from(*self))
    }
}

impl Plain for f64 {
    fn plain(&self) -> JsValue {
        JsValue::from_f64(*self)
    }
}

impl Plain for &str {
    fn plain(&self) -> JsValue {
        JsValue::from_str(self)
    }
}

impl Plain for String {
    fn plain(&self) -> JsValue {
        JsValue::from_str(self)
    }
}

impl Plain for Uint8Array {
    fn plain(&self) -> JsValue {
        self.into()
    }
}

impl Plain for Float64Array {
    fn plain(&self) -> JsValue {
        self.into()
    }
}

impl<T: Plain> Plain for Option<T> {
    fn plain(&self) -> JsValue {
        self.as_ref().map_or(JsValue::NULL, T::plain)
    }
}

impl<T: Plain> Plain for Vec<T> {
    fn plain(&self) -> JsValue {
        let array = Array::new();
        for item in self {
            array.push(&item.plain());
        }
        array.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_named_as_javascript_does() {
        let names = ["from", "r#type", "has_error", "peak_bytes"].map(property);
        assert_eq!(names, ["from", "type", "hasError", "peakBytes"]);
    }
}
