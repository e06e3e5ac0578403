//! Compiles the engine's loops: instantiates their modules beside the engine.

use std::cell::RefCell;

use js_sys::WebAssembly::{Instance, Module, Table};
use js_sys::{Function, Object, Reflect, Uint8Array};
use strand_session::{KernelHost, Kernels, Slot};
use wasm_bindgen::prelude::*;

/// Loops that JavaScript compiles. Where it may not (a policy without `wasm-unsafe-eval`), none is.
pub(crate) fn kernels() -> Kernels {
    Kernels::new(Box::new(Page))
}

struct Page;

thread_local! {
    /// Places of the table that hold no loop any more. The table is one for all of the instance's engines.
    static FREE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

impl KernelHost for Page {
    fn compile(&self, module: &[u8]) -> Option<Slot> {
        let place = put(&function_of(module).ok()?).ok()?;
        // SAFETY: the function's module was instantiated with this engine's memory and table, and `put` put it at a
        // place by which it grew the table. Nothing else writes that place: wasm-bindgen's and the engine's later
        // part's lie within the table's first size.
        Some(unsafe { Slot::at(place) })
    }

    fn release(&self, slot: Slot) {
        // The table is what keeps the function's module alive.
        let none = JsValue::NULL.unchecked_into::<Function>();
        if table().set(slot.place(), &none).is_ok() {
            FREE.with_borrow_mut(|free| free.push(slot.place()));
        }
    }
}

fn table() -> Table {
    wasm_bindgen::function_table().unchecked_into()
}

/// The function of a module, which works on the engine's memory.
fn function_of(module: &[u8]) -> Result<Function, JsValue> {
    let (own, imports) = (Object::new(), Object::new());
    Reflect::set(&own, &"m".into(), &wasm_bindgen::memory())?;
    Reflect::set(&own, &"t".into(), &table())?;
    Reflect::set(&imports, &"e".into(), &own)?;
    let module = Module::new(&Uint8Array::from(module))?;
    let exports = Instance::new(&module, &imports)?.exports();
    Ok(Reflect::get(&exports, &"f".into())?.unchecked_into())
}

/// Puts a function into the engine's table.
fn put(function: &Function) -> Result<u32, JsValue> {
    let place = match FREE.with_borrow_mut(Vec::pop) {
        Some(place) => place,
        None => table().grow(1)?,
    };
    table().set(place, function)?;
    Ok(place)
}
