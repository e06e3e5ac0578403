//! The host of compiled loops of a module that JavaScript instantiates without glue.

use strand_array::jit::Kernels;

/// Loops that the module's `host.compile` compiles: given address and length of a module, it gives the slot, or -1
/// where it can't. `host.release` takes a slot back.
#[cfg(target_arch = "wasm32")]
pub fn kernels() -> Option<Kernels> {
    use strand_array::jit::{Host, Slot};

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        fn compile(module: *const u8, length: usize) -> i32;
        safe fn release(slot: u32);
    }

    struct Importing;

    impl Host for Importing {
        fn compile(&self, module: &[u8]) -> Option<Slot> {
            // SAFETY: the import reads the module and keeps no address.
            let slot = unsafe { compile(module.as_ptr(), module.len()) };
            let slot = u32::try_from(slot).ok()?;
            // SAFETY: the import puts the module's function there, with this module's memory and table.
            Some(unsafe { Slot::at(slot) })
        }

        fn release(&self, slot: Slot) {
            release(slot.place());
        }
    }

    Some(Kernels::new(Box::new(Importing)))
}

/// Nothing compiles loops here.
#[cfg(not(target_arch = "wasm32"))]
pub fn kernels() -> Option<Kernels> {
    None
}
