/** TensorFlow.js on its WebAssembly backend, with SIMD and one thread. */
import * as tf from "@tensorflow/tfjs-core";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import { elementsOf, inputsOf, samples } from "./inputs.mjs";

function gelu(x) {
  const cube = tf.mul(tf.mul(x, x), x);
  const angle = tf.mul(tf.add(x, tf.mul(cube, 0.044715)), Math.sqrt(2 / Math.PI));
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(angle), 1));
}

function layerNorm(x, g, b) {
  const { mean, variance } = tf.moments(x, 1, true);
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5))), g), b);
}

function smallAdds(a, b) {
  let sum = tf.clone(a);
  for (let i = 0; i < 10_000; i++) {
    const next = tf.add(sum, b);
    sum.dispose();
    sum = next;
  }
  return sum;
}

/** Its product with a transposed operand is several times slower than the same with an explicit copy. */
const OPERATIONS = {
  affine: (x, w, b) => tf.add(tf.mul(x, tf.reshape(w, [-1, 1])), b),
  chain: (x) => tf.sub(tf.add(tf.mul(gelu(x), tf.sigmoid(x)), tf.mul(x, x)), tf.mul(x, 0.5)),
  sum_last: (x) => tf.sum(x, 1),
  sum_first: (x) => tf.sum(x, 0),
  softmax: (x) => tf.softmax(x, -1),
  matmul: (a, b) => tf.matMul(a, b),
  take: (x, places) => tf.gather(x, places),
  where_sum: (x) => tf.sum(tf.where(tf.greater(x, 0), x, tf.zerosLike(x))),
  transpose: (x) => tf.transpose(x),
  add: (a, b) => tf.add(a, b),
  cumsum: (x) => tf.cumsum(x, 1),
  row_softmax: (x, w) => tf.softmax(tf.matMul(x, w), -1),
  small_adds: smallAdds,
  argmax: (x) => tf.argMax(x, 1),
  gram: (x) => tf.matMul(x, tf.transpose(x)),
  layer_norm: layerNorm,
};

/** The mask is read by JavaScript, so this one must be awaited. */
async function maskSum(x) {
  const mask = tf.greater(x, 0);
  const kept = await tf.booleanMaskAsync(x, mask);
  const sum = tf.sum(kept);
  tf.dispose([mask, kept]);
  return sum;
}

let inputs = [];
let evaluate;

export async function load() {
  setWasmPaths("/packages/@tensorflow/tfjs-backend-wasm/dist/");
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  if (!(await tf.setBackend("wasm"))) throw new Error("the wasm backend didn't start");
  if (!(await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT"))) throw new Error("no SIMD");
}

export async function prepare(workload) {
  tf.dispose(inputs);
  inputs = [];
  const wanted = inputsOf(workload);
  const operation = workload.op === "mask_sum" ? maskSum : OPERATIONS[workload.op];
  if (operation === undefined || wanted.some(({ kind }) => kind === "i64" || kind === "f64")) return null;
  inputs = wanted.map((input) =>
    tf.tensor(elementsOf(input), input.shape, input.kind === "place" ? "int32" : "float32"),
  );
  evaluate = operation === maskSum ? maskSum : (...given) => tf.tidy(() => operation(...given));
  const result = await evaluate(...inputs);
  const found = samples(await result.data());
  result.dispose();
  return found;
}

export async function run(times) {
  for (let i = 0; i < times; i++) {
    const result = evaluate(...inputs);
    (evaluate === maskSum ? await result : result).dispose();
  }
}
