/** Instantiates modules of the engine that need no glue, with a host for the loops that they compile. */

/** The engine's exports; `compiled` says how many loops were compiled: none where `allowed` is false. */
export async function instantiate(source, allowed = true) {
  const host = { compiled: 0 };
  let engine;
  const compile = (address, length, free) => {
    if (!allowed) return -1;
    const module = new WebAssembly.Module(new Uint8Array(engine.memory.buffer, address, length));
    const imports = { e: { m: engine.memory, t: engine.__indirect_function_table } };
    const { exports } = new WebAssembly.Instance(module, imports);
    const slot = free < 0 ? engine.__indirect_function_table.grow(1) : free;
    engine.__indirect_function_table.set(slot, exports.f);
    host.compiled += 1;
    return slot;
  };
  const { instance } = await WebAssembly.instantiate(source, { host: { compile } });
  engine = instance.exports;
  return { engine, host };
}
