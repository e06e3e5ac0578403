/**
 * The engine that the page loads compiles loops for large expressions, and says so in its steps; where WebAssembly may
 * not be compiled it interprets, with the same values.
 *
 *     node tests/wasm/compiling.mjs PACKAGE_FOLDER
 */
import assert from "node:assert/strict";
import { instance } from "./instance.mjs";

const [packageFolder] = process.argv.slice(2);
if (packageFolder === undefined) {
  console.error("usage: node tests/wasm/compiling.mjs PACKAGE_FOLDER");
  process.exit(2);
}

const OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 };

const PROGRAM = `
x = (arange(300000) to f32) / 1000.0 - 150.0
y = gelu(x) * sigmoid(x) + x * x - sin(x) / 2.0
z = where(y > 1.0, tanh(y), 0.0)
y
sum(z)
small = exp([1.0, 2.0, 3.0]) + 1.0
small
`;

/** The steps' kinds and the shown values of the program in a new instance. */
async function run() {
  const { Strand } = await instance(packageFolder);
  const strand = new Strand();
  const shown = [];
  const { error } = strand.run(PROGRAM, OPTIONS, (event) => {
    if (event.kind === "value") shown.push(event.value.id);
  });
  assert.equal(error, null);
  const { steps } = strand.steps(0, 100);
  return {
    kinds: steps.map(({ ops, kind }) => [ops.join(" "), kind]),
    files: shown.map((id) => strand.npy(id)),
  };
}

const compiled = await run();
const { Module } = WebAssembly;
let refused = 0;
// The engine itself may be compiled, what comes later may not.
WebAssembly.Module = new Proxy(Module, {
  construct: (target, [bytes]) => {
    if (bytes.length > 50_000) return new target(bytes);
    refused += 1;
    throw new EvalError("compiling isn't allowed");
  },
});
const interpreted = await run();
WebAssembly.Module = Module;

const kindsOf = ({ kinds }, kind) => kinds.filter(([, found]) => found === kind).map(([ops]) => ops);
assert.ok(kindsOf(compiled, "compiled").length >= 2, JSON.stringify(compiled.kinds));
assert.ok(
  kindsOf(compiled, "fused").some((ops) => ops.includes("exp")),
  "a small expression isn't compiled",
);
assert.deepEqual(kindsOf(interpreted, "compiled"), []);
assert.ok(refused > 0);
assert.equal(compiled.files.length, 3);
assert.deepEqual(compiled.files, interpreted.files);
console.log(`${kindsOf(compiled, "compiled").length} compiled steps, the values of interpreted ones`);
