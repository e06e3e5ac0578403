//! Row 33: elements by position, condition and size.

use serde_json::Value as Json;
use strand_array::selection::{self, Bounds};
use strand_array::{Array, Context, Result};

use crate::common::{array, bytes, cases, class_differs, differs, finish, strides};

struct Case<'a> {
    ctx: &'a Context,
    json: &'a Json,
}

impl Case<'_> {
    fn array(&self, name: &str) -> Array {
        array(self.ctx, &self.json[name])
    }

    fn axis(&self) -> Option<i64> {
        self.json["axis"].as_i64()
    }

    fn bounds(&self) -> Bounds {
        Bounds::named(self.json["mode"].as_str().unwrap()).unwrap()
    }

    /// Compares a result, or an error, with NumPy's.
    fn value(&self, found: Result<Array>) -> Option<String> {
        if let Some(why) = class_differs(&found, self.json) {
            return Some(why);
        }
        differs(&found.ok()?, &self.json["v"])
    }

    /// Compares the bytes of the array that a call wrote to.
    fn written(&self, target: &Array, found: Result<()>) -> Option<String> {
        let before = bytes(
            &self.json[if self.json["out"].is_null() {
                "a"
            } else {
                "out"
            }]["b"],
        );
        if let Some(why) = class_differs(&found, self.json) {
            return Some(why);
        }
        let (after, wanted) = (target.block_bytes(), &self.json["v"]);
        let wanted = match found {
            Ok(()) => bytes(wanted),
            Err(_) => before,
        };
        (after != wanted).then(|| format!("{after:02x?}, not {wanted:02x?}"))
    }

    fn check(&self) -> Option<String> {
        let (ctx, json) = (self.ctx, self.json);
        let a = || self.array("a");
        match json["f"].as_str().unwrap() {
            "take" if json["out"].is_null() => self.value(selection::take(
                ctx,
                &a(),
                &self.array("i"),
                self.axis(),
                self.bounds(),
            )),
            "take" => {
                let (out, mode) = (self.array("out"), self.bounds());
                let found =
                    selection::take_into(ctx, &a(), &self.array("i"), self.axis(), mode, &out);
                self.written(&out, found)
            }
            "put" => {
                let (a, i) = (a(), self.array("i"));
                let found = selection::put(ctx, &a, &i, &self.array("v0"), self.bounds());
                // NumPy has written the values before the wrong position; here nothing is.
                self.written(&a, found)
            }
            "compress" => self.value(selection::compress(
                ctx,
                &self.array("c"),
                &a(),
                self.axis(),
            )),
            "extract" => self.value(selection::extract(ctx, &self.array("c"), &a())),
            "nonzero" => {
                let found = selection::nonzero(ctx, &a());
                if let Some(why) = class_differs(&found, json) {
                    return Some(why);
                }
                let found = found.ok()?;
                let wanted = json["v"].as_array().unwrap();
                if found.len() != wanted.len() {
                    return Some(format!("{} arrays", found.len()));
                }
                found.iter().zip(wanted).find_map(|(f, w)| differs(f, w))
            }
            "argwhere" => self.value(selection::argwhere(ctx, &a())),
            "count_nonzero" => {
                let found = selection::count_nonzero(ctx, &a()).unwrap() as u64;
                (json["v"].as_u64() != Some(found)).then(|| format!("{found}"))
            }
            "where" => {
                let (c, x, y) = (self.array("c"), self.array("x"), self.array("y"));
                let found = selection::where_(ctx, &c, &x, &y);
                let layout = found.as_ref().ok().filter(|f| !f.is_empty());
                let other = layout.filter(|f| f.strides() != strides(&json["t"]));
                other
                    .map(|f| format!("strides {:?}", f.strides()))
                    .or_else(|| self.value(found))
            }
            call @ ("argmax" | "argmin") => {
                let function = if call == "argmax" {
                    selection::argmax
                } else {
                    selection::argmin
                };
                let out = (!json["out"].is_null()).then(|| self.array("out"));
                let keep = json["keep"].as_bool().unwrap();
                let found = function(ctx, &a(), self.axis(), keep, out.as_ref());
                match out {
                    Some(out) => self.written(&out, found.map(drop)),
                    None => self.value(found),
                }
            }
            "putmask" | "place" => {
                let function = if json["f"] == "place" {
                    selection::place
                } else {
                    selection::put_mask
                };
                let a = a();
                let found = function(ctx, &a, &self.array("m"), &self.array("v0"));
                self.written(&a, found)
            }
            "take_along_axis" => self.value(selection::take_along_axis(
                ctx,
                &a(),
                &self.array("i"),
                self.axis(),
            )),
            "put_along_axis" => {
                let (a, i) = (a(), self.array("i"));
                let values = self.array("v0");
                let found = selection::put_along_axis(ctx, &a, &i, &values, self.axis());
                self.written(&a, found)
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn row_33_elements_by_position_condition_and_size() {
    let (mut complaints, mut checked) = (vec![], 0);
    for json in cases("selection") {
        let ctx = Context::default();
        let case = Case {
            ctx: &ctx,
            json: &json,
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.check()));
        let found = found.unwrap_or_else(|_| Some("a panic".into()));
        complaints.extend(found.map(|why| format!("{why}: {json}")));
        checked += 1;
    }
    finish(checked, 1000, &complaints);
}
