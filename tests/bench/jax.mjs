/** jax-js, jitted, on its WebAssembly device. A function takes its arguments away; `ref` keeps one. */
import { defaultDevice, init, jit, nn, numpy as np, vmap } from "@jax-js/jax";
import { elementsOf, inputsOf, samples } from "./inputs.mjs";

function chain(x) {
  const gated = nn.gelu(x.ref, { approximate: true }).mul(nn.sigmoid(x.ref));
  return gated.add(x.ref.mul(x.ref)).sub(x.mul(0.5));
}

/** A transposed array is a view; adding 0 makes the copy. */
const OPERATIONS = {
  affine: (x, w, b) => x.mul(w.reshape([-1, 1])).add(b),
  chain,
  sum_last: (x) => x.sum(1),
  sum_first: (x) => x.sum(0),
  sum: (x) => x.sum(),
  softmax: (x) => nn.softmax(x, -1),
  matmul: (a, b) => np.matmul(a, b),
  take: (x, places) => np.take(x, places, 0),
  where_sum: (x) => np.where(x.ref.greater(0), x, 0).sum(),
  transpose: (x) => x.transpose().add(0),
  add: (a, b) => a.add(b),
  row_softmax: (x, w) => vmap((row, m) => nn.softmax(np.matmul(row, m), -1), [0, null])(x, w),
  argmax: (x) => np.argmax(x, 1),
  gram: (x) => np.matmul(x.ref, x.transpose()),
  layer_norm: (x, g, b) => nn.standardize(x, -1, { epsilon: 1e-5 }).mul(g).add(b),
};

let inputs = [];
let evaluate;

export async function load() {
  if (!(await init("wasm")).includes("wasm")) throw new Error("the wasm device didn't start");
  defaultDevice("wasm");
}

/** One unbroken chain of additions is quadratic in its queue, so that it waits now and then. */
async function smallAdds(a, b) {
  const add = (smallAdds.jitted ??= jit((x, y) => x.add(y)));
  let sum = a;
  for (let i = 0; i < 10_000; i++) {
    sum = add(sum, b.ref);
    if (i % 64 === 63) await sum.blockUntilReady();
  }
  b.dispose();
  return sum;
}

/** Its cumsum takes seconds at these sizes, so it isn't among the operations. */
export async function prepare(workload) {
  inputs.forEach((input) => input.dispose());
  inputs = [];
  const wanted = inputsOf(workload);
  const operation = OPERATIONS[workload.op];
  const small = workload.op === "small_adds";
  if ((operation === undefined && !small) || wanted.some(({ kind }) => kind === "i64")) return null;
  inputs = wanted.map((input) => np.array(elementsOf(input)).reshape(input.shape));
  await Promise.all(inputs.map((input) => input.blockUntilReady()));
  evaluate = small ? smallAdds : jit(operation);
  const result = await evaluate(...inputs.map((input) => input.ref));
  return samples(await result.data());
}

export async function run(times) {
  for (let i = 0; i < times; i++) {
    const result = await evaluate(...inputs.map((input) => input.ref));
    await result.blockUntilReady();
    result.dispose();
  }
}
