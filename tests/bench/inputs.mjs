/** What the engines under measurement share: inputs from a hash, samples of a result, and the time of a batch. */

function hash(i, seed) {
  let h = (Math.imul(i, 0x9e3779b1) + seed) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}

/** The inputs of a workload as `{ name, shape, kind, low, high, seed }`, in the order of its operation. */
export function inputsOf(workload) {
  return Object.entries(workload.inputs).map(([name, given], at) => {
    const own = Array.isArray(given) ? { shape: given } : given;
    const { kind = workload.kind ?? "f32", below } = own;
    const { low = -1, high = 1 } = workload;
    return { name, shape: own.shape, kind, low, high: below ?? high, seed: (at + 1) * 7919 };
  });
}

/** The elements of an input; whole numbers are of 32 bits, as the peers want their positions. */
export function elementsOf({ shape, kind, low, high, seed }) {
  const count = shape.reduce((n, size) => n * size, 1);
  if (kind === "place") return Int32Array.from({ length: count }, (_, i) => hash(i, seed) % high);
  const Type = kind === "f64" ? Float64Array : Float32Array;
  const elements = new Type(count);
  for (let i = 0; i < count; i++) elements[i] = ((hash(i, seed) >>> 8) / 16777216) * (high - low) + low;
  return elements;
}

/** Places of up to 64 elements, evenly spread over `count`. */
export function places(count) {
  const some = Math.min(64, count);
  return Array.from({ length: some }, (_, i) =>
    some === 1 ? 0 : Math.floor((i * (count - 1)) / (some - 1)),
  );
}

export function samples(elements) {
  return places(elements.length).map((at) => Number(elements[at]));
}
