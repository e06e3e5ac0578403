/** Reading the .npy files that the engine writes: little-endian, C order. */

/** A half-precision number from its bits. */
function half(bits) {
  const sign = bits >> 15 === 1 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

const READERS = {
  "<f2": (view, at) => half(view.getUint16(at * 2, true)),
  "<f4": (view, at) => view.getFloat32(at * 4, true),
  "<f8": (view, at) => view.getFloat64(at * 8, true),
  "<i2": (view, at) => view.getInt16(at * 2, true),
  "<i4": (view, at) => view.getInt32(at * 4, true),
  "<i8": (view, at) => Number(view.getBigInt64(at * 8, true)),
  "|i1": (view, at) => view.getInt8(at),
  "|u1": (view, at) => view.getUint8(at),
  "|b1": (view, at) => view.getUint8(at) !== 0,
};

/** The elements of a .npy file as one flat list. */
export function elements(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = view.getUint8(6) === 1 ? 10 : 12;
  const length = start === 10 ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  const descr = /'descr': '([^']+)'/.exec(header)?.[1];
  const shape = /'shape': \(([^)]*)\)/.exec(header)?.[1];
  const reader = READERS[descr];
  if (reader === undefined || shape === undefined || !header.includes("'fortran_order': False")) {
    throw new Error(`a .npy header that isn't understood: ${header.trim()}`);
  }
  const count = shape
    .split(",")
    .filter((part) => part.trim() !== "")
    .reduce((product, part) => product * Number(part), 1);
  const data = new DataView(bytes.buffer, bytes.byteOffset + start + length);
  return Array.from({ length: count }, (_, at) => reader(data, at));
}
