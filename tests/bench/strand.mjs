/** Strand's own engine. */
import { instantiate } from "./host.mjs";
import { inputsOf, places } from "./inputs.mjs";

const KINDS = { f32: 0, f64: 1, i64: 2, place: 3 };

let engine;

export async function load() {
  const source = await fetch("/strand.wasm");
  engine = (await instantiate(await source.arrayBuffer())).engine;
}

export function prepare(workload) {
  const name = new TextEncoder().encode(workload.op);
  const place = engine.name();
  new Uint8Array(engine.memory.buffer, place, name.length).set(name);
  engine.begin(name.length);
  for (const { shape, kind, low, high, seed } of inputsOf(workload)) {
    const [rows, columns] = shape.length === 1 ? [0, shape[0]] : shape;
    if (engine.input(KINDS[kind], rows, columns, low, high, seed) !== 0)
      throw new Error("no room for inputs");
  }
  const count = engine.prepare();
  if (count < 0) throw new Error(`${workload.op} failed`);
  return places(count).map((at) => engine.value(at));
}

export function run(times) {
  if (engine.run(times) !== 0) throw new Error("a run failed");
}
