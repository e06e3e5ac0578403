//! Compiles the engine's loops: instantiates their modules beside the engine.

use js_sys::WebAssembly::{Instance, Module, Table};
use js_sys::{Function, Object, Reflect, Uint8Array};
use strand_session::{KernelHost, Kernels, Slot};
use wasm_bindgen::prelude::*;

/// Loops that JavaScript compiles. Where it may not (a policy without `wasm-unsafe-eval`), none is.
pub(crate) fn kernels() -> Kernels {
    Kernels::new(Box::new(Page))
}

struct Page;

impl KernelHost for Page {
    fn compile(&self, module: &[u8], free: Option<Slot>) -> Option<Slot> {
        let place = put(module, free.map(|slot| slot.place())).ok()?;
        // SAFETY: `put` instantiated the module with this engine's memory and table, grew the table by a place for its
        // function and put it there. Nothing else writes that place: wasm-bindgen's and the engine's later part's lie
        // within the table's first size.
        Some(unsafe { Slot::at(place) })
    }
}

/// Puts the function of a module into the engine's table.
fn put(bytes: &[u8], free: Option<u32>) -> Result<u32, JsValue> {
    let table: Table = wasm_bindgen::function_table().unchecked_into();
    let (own, imports) = (Object::new(), Object::new());
    Reflect::set(&own, &"m".into(), &wasm_bindgen::memory())?;
    Reflect::set(&own, &"t".into(), &table)?;
    Reflect::set(&imports, &"e".into(), &own)?;
    let module = Module::new(&Uint8Array::from(bytes))?;
    let exports = Instance::new(&module, &imports)?.exports();
    let function: Function = Reflect::get(&exports, &"f".into())?.unchecked_into();
    let place = match free {
        Some(place) => place,
        None => table.grow(1)?,
    };
    table.set(place, &function)?;
    Ok(place)
}
