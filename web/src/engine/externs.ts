/**
 * Functions of the page that extern declarations find. A module that the page names exports them, by Python module and
 * name:
 *
 *     export default {
 *       signal: {
 *         // A ufunc: one element of each argument in, one out; tensors broadcast.
 *         halve: { doc: "Half of it.", ufunc: (x) => x / 2 },
 *         // A module function: tensors as { dtype, shape, data } in, the same out, or plain numbers.
 *         smooth: { parameters: [{ name: "x", kind: "tensor", rank: 1 }, { name: "k", kind: "int", default: 3 }],
 *                   call: (x, k) => ({ shape: x.shape, data: x.data.map((v) => v / k) }) },
 *         count: (x) => x.data.length,
 *       },
 *     };
 *
 * They answer at once. The engine compares what they give with the declared type.
 */
import type { CarriedTensor, CarriedValue } from "../../pkg/strand_wasm.js";
import { isDtype, type Dtype } from "./dtypes";
import { sentenceOf } from "./failures";

/** Elements of a tensor: `f16` and `bf16` are a Float32Array here, `bool` a Uint8Array of 0 and 1. */
export type Elements =
  Uint8Array | Int8Array | Int16Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

/** A tensor as functions get it and give it: elements in C order. */
export interface ExternTensor {
  dtype: string;
  shape: readonly number[];
  data: Elements;
}

export type ExternValue = ExternTensor | number | bigint | boolean | string | null;

type Element = number | bigint | boolean;

const KINDS = ["tensor", "int", "float", "bool", "text"] as const;

/** What a parameter takes, where a function says more than its declaration. */
export interface ExternParameter {
  name: string;
  kind: (typeof KINDS)[number];
  dtype?: string;
  rank?: number;
  /** Stands in where the argument is left out. */
  default?: number | bigint | boolean | string;
}

interface Registered {
  doc: string;
  parameters: readonly ExternParameter[] | null;
  ufunc: ((...elements: Element[]) => unknown) | null;
  call: ((...values: ExternValue[]) => unknown) | null;
  /** The dtype of what a ufunc gives; by default that of its tensors. */
  dtype: string | null;
}

type Table = ReadonlyMap<string, ReadonlyMap<string, Registered>>;

type MakeElements = new (source: number | ArrayBufferLike) => Elements;

const ARRAYS: Readonly<Record<Dtype, MakeElements>> = {
  bool: Uint8Array,
  u8: Uint8Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  f16: Float32Array,
  bf16: Float32Array,
  f32: Float32Array,
  f64: Float64Array,
};

function arrayOf(dtype: string): MakeElements | undefined {
  return isDtype(dtype) ? ARRAYS[dtype] : undefined;
}

/** What a function of the page did wrong, as a sentence that goes on from its name. */
class Wrong extends Error {}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "object") return "data" in value ? "a tensor" : "an object";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return "a bool";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

function registered(given: unknown, where: string): Registered {
  const plain: Registered = { doc: "", parameters: null, ufunc: null, call: null, dtype: null };
  if (typeof given === "function") return { ...plain, call: given as Registered["call"] };
  if (!isRecord(given)) throw new Error(`${where} is neither a function nor an object with call or ufunc`);
  const { doc, ufunc, call, parameters, dtype } = given;
  if ((typeof ufunc === "function") === (typeof call === "function")) {
    throw new Error(`${where} needs a function as call, or one as ufunc`);
  }
  if (dtype !== undefined && !isDtype(dtype)) {
    throw new Error(`${where} has a dtype that isn't one`);
  }
  return {
    doc: typeof doc === "string" ? doc : "",
    parameters: parameters === undefined ? null : parametersOf(parameters, where),
    ufunc: typeof ufunc === "function" ? (ufunc as Registered["ufunc"]) : null,
    call: typeof call === "function" ? (call as Registered["call"]) : null,
    dtype: dtype ?? null,
  };
}

function parametersOf(given: unknown, where: string): ExternParameter[] {
  if (!Array.isArray(given)) throw new Error(`${where} has parameters that aren't a list`);
  const names = new Set<string>();
  for (const parameter of given as unknown[]) {
    if (!isRecord(parameter) || typeof parameter.name !== "string") {
      throw new Error(`${where} has a parameter without a name`);
    }
    if (!(KINDS as readonly unknown[]).includes(parameter.kind)) {
      throw new Error(`${where}: the kind of ${parameter.name} is one of ${KINDS.join(", ")}`);
    }
    if (names.has(parameter.name)) throw new Error(`${where} has two parameters ${parameter.name}`);
    names.add(parameter.name);
  }
  return given as ExternParameter[];
}

function tableOf(exported: unknown): Table {
  if (!isRecord(exported)) throw new Error("its default export isn't an object of modules");
  const table = new Map<string, Map<string, Registered>>();
  for (const [module, functions] of Object.entries(exported)) {
    if (!isRecord(functions)) throw new Error(`${module} isn't an object of functions`);
    const found = Object.entries(functions).map(
      ([name, given]) => [name, registered(given, `${module}.${name}`)] as const,
    );
    table.set(module, new Map(found));
  }
  return table;
}

/** The functions of one module of the page, or why there are none. */
export class Externs {
  private constructor(
    private readonly file: string,
    private readonly table: Table,
    private readonly failure: string | null,
  ) {}

  /** Loads the module at an address of this site. What goes wrong is said where a function of it is called. */
  static async load(url: string): Promise<Externs> {
    const file = new URL(url).pathname.split("/").pop() ?? url;
    try {
      const module = (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
      return Externs.of(file, module.default);
    } catch (error) {
      return new Externs(file, new Map(), `${file} couldn't be loaded: ${sentenceOf(error)}`);
    }
  }

  /** The functions of an object of modules. */
  static of(file: string, exported: unknown): Externs {
    return new Externs(file, tableOf(exported), null);
  }

  /** Calls a function for the engine. `undefined` leaves the answer to the engine; it throws a sentence. */
  readonly call = (module: string, name: string, values: CarriedValue[]): CarriedValue | undefined => {
    const functions = this.table.get(module);
    if (functions === undefined && /^(torch|math)(\.|$)/.test(module)) return undefined;
    if (this.failure !== null) throw new Error(this.failure);
    if (functions === undefined) throw new Error(`${this.file} has no module ${module}`);
    const found = functions.get(name);
    if (found === undefined) {
      throw new Error(`${this.file} has no ${name}, only ${[...functions.keys()].join(", ")}`);
    }
    const given = completed(found, values.map(received));
    if (found.ufunc !== null) return carried(elementwise(found.ufunc, found.dtype, given), given);
    return carried(found.call?.(...given), given);
  };
}

function received(value: CarriedValue): ExternValue {
  if (typeof value !== "object" || value === null) return value;
  const make = arrayOf(value.dtype);
  if (make === undefined) throw new Wrong(`it gets a tensor of ${value.dtype}`);
  // A copy, so that the elements lie at a multiple of their size and no function writes into another's.
  const { buffer } = value.bytes.slice();
  return { dtype: value.dtype, shape: [...value.shape], data: new make(buffer) };
}

/** The arguments, checked by what the function says of them, defaults filled in. */
function completed(found: Registered, given: ExternValue[]): ExternValue[] {
  const { parameters } = found;
  if (parameters === null) return given;
  if (given.length > parameters.length) {
    throw new Wrong(`it takes ${counted(parameters.length, "argument")}, not ${given.length}`);
  }
  return parameters.map((parameter, at) => {
    const value = given[at] ?? parameter.default;
    if (value === undefined) throw new Wrong(`${parameter.name} is missing`);
    const problem = misfit(parameter, value);
    if (problem !== null) throw new Wrong(`${parameter.name} ${problem}`);
    return value;
  });
}

function misfit(parameter: ExternParameter, value: ExternValue): string | null {
  const { kind, dtype, rank } = parameter;
  if (kind === "tensor") {
    if (typeof value !== "object" || value === null) return `is ${kindOf(value)}, not a tensor`;
    if (dtype !== undefined && dtype !== value.dtype) return `is ${value.dtype}, not ${dtype}`;
    if (rank !== undefined && rank !== value.shape.length)
      return `has ${counted(value.shape.length, "axis", "axes")}, not ${rank}`;
    return null;
  }
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  const fits = {
    int: isWhole,
    float: typeof value === "number" || typeof value === "bigint",
    bool: typeof value === "boolean",
    text: typeof value === "string",
  }[kind];
  return fits
    ? null
    : `is ${typeof value === "object" ? "a tensor" : kindOf(value)}, not ${kind === "int" ? "an int" : `a ${kind}`}`;
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** The shape that all shapes broadcast to. */
function broadcast(shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    let size = 1;
    for (const shape of shapes) {
      const own = shape[axis - rank + shape.length] ?? 1;
      if (own === 1 || own === size) continue;
      if (size !== 1)
        throw new Wrong(`it gets shapes that don't broadcast: ${shapes.map(shown).join(" and ")}`);
      size = own;
    }
    return size;
  });
}

function shown(shape: readonly number[]): string {
  return `[${shape.join(" ")}]`;
}

/** Where each element of a broadcast shape comes from in a tensor of another one. */
function places(shape: readonly number[], own: readonly number[]): (flat: number) => number {
  if (own.length === shape.length && own.every((size, axis) => size === shape[axis])) return (flat) => flat;
  const steps = shape.map(() => 0);
  let step = 1;
  for (let axis = own.length - 1; axis >= 0; axis--) {
    steps[axis + shape.length - own.length] = own[axis] === 1 ? 0 : step;
    step *= own[axis] ?? 1;
  }
  return (flat) => {
    let place = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const size = shape[axis] ?? 1;
      place += (flat % size) * (steps[axis] ?? 0);
      flat = Math.floor(flat / size);
    }
    return place;
  };
}

/** A function of single elements on whole tensors. */
function elementwise(
  each: (...elements: Element[]) => unknown,
  wanted: string | null,
  given: readonly ExternValue[],
): ExternValue {
  const tensors = given.filter((value) => typeof value === "object" && value !== null);
  const shape = broadcast(tensors.map((tensor) => tensor.shape));
  const dtype = wanted ?? tensors[0]?.dtype ?? "f32";
  const readers = given.map((value): ((flat: number) => Element) => {
    if (value === null || typeof value === "string")
      throw new Wrong(`it gets ${kindOf(value)}, not a number`);
    if (typeof value !== "object") return () => value;
    const place = places(shape, value.shape);
    const { data } = value;
    const isBool = value.dtype === "bool";
    return (flat) => {
      const element = data[place(flat)] ?? 0;
      return isBool ? element !== 0 : element;
    };
  });
  const one = (flat: number) => each(...readers.map((read) => read(flat)));
  if (tensors.length === 0) return one(0) as ExternValue;
  const count = sizeOf(shape);
  const data = fresh(dtype, count);
  for (let flat = 0; flat < count; flat++) store(data, flat, one(flat));
  return { dtype, shape, data };
}

function fresh(dtype: string, count: number): Elements {
  const make = arrayOf(dtype);
  if (make === undefined) throw new Wrong(`it gave ${dtype}, which isn't a dtype`);
  return new make(count);
}

function store(data: Elements, at: number, value: unknown): void {
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "boolean") {
    throw new Wrong(`it gave ${kindOf(value)} for an element`);
  }
  if (data instanceof BigInt64Array) {
    if (typeof value === "number" && !Number.isInteger(value)) {
      throw new Wrong(`it gave ${value} for an element of i64`);
    }
    data[at] = BigInt(value);
  } else {
    data[at] = Number(value);
  }
}

/** What a function gave, on its way to the engine. */
function carried(value: unknown, given: readonly ExternValue[]): CarriedValue {
  if (value === undefined) throw new Wrong("it gave nothing");
  if (value === null || typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value !== "object") throw new Wrong(`it gave ${kindOf(value)}`);
  if ("then" in value) throw new Wrong("it gave a promise, but extern functions answer at once");
  const first = given.find((other) => typeof other === "object" && other !== null);
  return tensorOf(value, first?.dtype ?? "f32");
}

function tensorOf(value: object, likely: string): CarriedTensor {
  if (ArrayBuffer.isView(value)) return packed(null, [(value as Uint8Array).length], value, likely);
  if (Array.isArray(value)) {
    const { shape, flat } = unnested(value);
    return packed(null, shape, flat, likely);
  }
  const { dtype, shape, data } = value as Partial<Record<keyof ExternTensor, unknown>>;
  if (typeof data !== "object" || data === null) throw new Wrong("it gave an object without data");
  const sizes = shape ?? [(data as ArrayLike<number>).length];
  const isShape =
    Array.isArray(sizes) &&
    sizes.every((size) => typeof size === "number" && Number.isInteger(size) && size >= 0);
  if (!isShape) throw new Wrong("it gave a shape that isn't a list of sizes");
  if (dtype !== undefined && !isDtype(dtype)) {
    throw new Wrong(
      typeof dtype === "string" ? `it gave ${dtype}, which isn't a dtype` : "it gave a dtype that isn't one",
    );
  }
  return packed(dtype ?? null, sizes as number[], data, likely);
}

/** Nested lists of numbers as a shape and its elements. */
function unnested(list: readonly unknown[]): { shape: number[]; flat: unknown[] } {
  const shape: number[] = [];
  let flat: unknown[] = [list];
  while (flat.length > 0 && flat.every(Array.isArray)) {
    const lists = flat;
    const [size] = lists.map((inner) => inner.length);
    if (lists.some((inner) => inner.length !== size)) throw new Wrong("it gave lists of different lengths");
    shape.push(size ?? 0);
    flat = lists.flat(1) as unknown[];
  }
  if (flat.some(Array.isArray)) throw new Wrong("it gave lists of different lengths");
  return { shape, flat };
}

function packed(dtype: string | null, shape: number[], data: object, likely: string): CarriedTensor {
  const found = dtype ?? (ArrayBuffer.isView(data) ? dtypeOf(data, likely) : likely);
  const length = ArrayBuffer.isView(data) || Array.isArray(data) ? (data as ArrayLike<unknown>).length : -1;
  if (length < 0) throw new Wrong("it gave data that is neither a typed array nor a list");
  if (length !== sizeOf(shape)) {
    throw new Wrong(`it gave ${counted(length, "element")} for the shape ${shown(shape)}`);
  }
  const make = arrayOf(found);
  const elements =
    make !== undefined && data instanceof make ? data : converted(found, data as ArrayLike<unknown>);
  if (found === "bool") for (let at = 0; at < length; at++) elements[at] = Number(elements[at] !== 0);
  const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  return { dtype: found, shape, bytes };
}

function converted(dtype: string, data: ArrayLike<unknown>): Elements {
  const elements = fresh(dtype, data.length);
  for (let at = 0; at < data.length; at++) store(elements, at, data[at]);
  return elements;
}

/** The dtype of a typed array; of several that it may be, the likely one. */
function dtypeOf(data: ArrayBufferView, likely: string): string {
  const make = arrayOf(likely);
  if (make !== undefined && data instanceof make) return likely;
  const found = Object.entries(ARRAYS).find(([dtype, make]) => dtype !== "bool" && data instanceof make);
  if (found === undefined) throw new Wrong(`it gave a ${data.constructor.name}, which no dtype has`);
  // The list has f16 before f32.
  return data instanceof Float32Array ? "f32" : found[0];
}
