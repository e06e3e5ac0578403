/** Instantiates modules of the engine that need no glue, with a host for the loops that they compile. */

/**
 * The engine's exports; `compiled` says how many loops were compiled: none where `allowed` is false; `held` how many of
 * them the engine still has, and `most` how many it had at once.
 */
export async function instantiate(source, allowed = true) {
  const host = { compiled: 0, held: 0, most: 0 };
  const free = [];
  let engine;
  const compile = (address, length) => {
    if (!allowed) return -1;
    const module = new WebAssembly.Module(new Uint8Array(engine.memory.buffer, address, length));
    const imports = { e: { m: engine.memory, t: engine.__indirect_function_table } };
    const { exports } = new WebAssembly.Instance(module, imports);
    const slot = free.pop() ?? engine.__indirect_function_table.grow(1);
    engine.__indirect_function_table.set(slot, exports.f);
    host.compiled += 1;
    host.held += 1;
    host.most = Math.max(host.most, host.held);
    return slot;
  };
  const release = (slot) => {
    engine.__indirect_function_table.set(slot, null);
    host.held -= 1;
    free.push(slot);
  };
  const { instance } = await WebAssembly.instantiate(source, { host: { compile, release } });
  engine = instance.exports;
  return { engine, host };
}
