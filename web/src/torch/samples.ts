/** Sample arguments as PyTorch text: the very values that the page shows, made again by whoever pastes it. */
import type { RunOptions, ValueInfo } from "../engine/contract";
import { isDtype, isFloat, isWhole, shortest, TORCH_DTYPES } from "../engine/dtypes";

/** As wide as black lets a line be. */
const WIDTH = 88;
/** Up to this many elements are written out. */
const MOST_WRITTEN = 64;

export interface Argument {
  info: ValueInfo;
  /** All its elements, row by row, or null where they aren't all here. */
  cells: readonly number[] | null;
  /** Whether it is its parameter's default. */
  isDefault: boolean;
}

export interface Sizes {
  /** Values of axis names and dims. */
  values: Readonly<Record<string, number>>;
  fill: RunOptions["fill"];
}

function torchDtype(dtype: string): string {
  return TORCH_DTYPES[isDtype(dtype) ? dtype : "f32"];
}

/** What makes a tensor of another dtype out of one of f32 or i64. */
function converted(dtype: string): string {
  const plain: Record<string, string> = { f64: ".double()", f16: ".half()", bf16: ".bfloat16()" };
  if (dtype === "f32" || dtype === "i64") return "";
  return plain[dtype] ?? `.to(${torchDtype(dtype)})`;
}

/** An element as Python writes it. */
function element(value: number, dtype: string): string {
  if (dtype === "bool") return value === 0 ? "False" : "True";
  const text = String(shortest(value, dtype));
  return !isFloat(dtype) || /[.e]/.test(text) ? text : `${text}.0`;
}

function dtypeArgument(dtype: string): string {
  return ["bool", "i64", "f32"].includes(dtype) ? "" : `, dtype=${torchDtype(dtype)}`;
}

/** The elements written out, or null where they are too many. */
function written({ info, cells }: Argument): string | null {
  const { shape, dtype } = info;
  if (cells === null || cells.length > MOST_WRITTEN || shape.length > 2) return null;
  const texts = cells.map((cell) => element(cell, dtype));
  const tail = `${dtypeArgument(dtype)})`;
  if (shape.length === 0) return `torch.tensor(${texts[0] ?? ""}${tail}`;
  if (shape.length === 1) {
    const text = `torch.tensor([${texts.join(", ")}]${tail}`;
    return text.length > WIDTH - 12 ? null : text;
  }
  const columns = shape[1] ?? 0;
  const rows = Array.from(
    { length: shape[0] ?? 0 },
    (_, row) => `[${texts.slice(row * columns, (row + 1) * columns).join(", ")}]`,
  );
  const line = `torch.tensor([${rows.join(", ")}]${tail}`;
  if (line.length <= WIDTH - 12) return line;
  if (rows.some((row) => row.length > WIDTH - 9)) return null;
  const argument = dtypeArgument(dtype);
  const last = argument === "" ? "\n)" : `,\n    ${argument.slice(2)},\n)`;
  return `torch.tensor(\n    [\n${rows.map((row) => `        ${row},\n`).join("")}    ]${last}`;
}

/** Digits that the largest index of an axis needs. */
function digitsOf(size: number): number {
  return String(Math.max(size - 1, 1)).length;
}

/** What stands before `.float()` where every value is its own index: whole numbers, and what they are divided by. */
function counted(shape: readonly number[]): { terms: string[]; divisor: number } {
  let divisor = 1;
  const terms: string[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] ?? 0;
    const behind = shape.length - 1 - axis;
    const place = behind === 0 ? "" : `[:${", None".repeat(behind)}]`;
    terms.unshift(`torch.arange(${size})${place}${divisor === 1 ? "" : ` * ${divisor}`}`);
    if (axis > 0) divisor *= 10 ** digitsOf(size);
  }
  return { terms, divisor };
}

/** The largest value of `counted`, which probabilities are divided by. */
function topOf(shape: readonly number[]): number {
  return Math.max((shape[0] ?? 1) - 1, 0) + 1;
}

function countedFloats(name: string, info: ValueInfo): string[] {
  const { shape, dtype, type } = info;
  const cast = dtype === "f32" ? ".float()" : dtype === "f64" ? "" : converted(dtype);
  const bent = /\bProb\b/.test(type) ? ` / ${topOf(shape)}` : /\bPositive\b/.test(type) ? " + 0.5" : "";
  const { terms, divisor } = counted(shape);
  if (terms.length === 1 && bent === "") {
    return [`${name} = torch.arange(${shape[0] ?? 0}.0${dtypeArgument(dtype)})`];
  }
  const sum = terms.join(" + ");
  const first =
    name.length + 3 + sum.length <= WIDTH
      ? `${name} = ${sum}`
      : `${name} = (\n    ${terms.join("\n    + ")}\n)`;
  const divided = divisor === 1 ? "" : ` / ${divisor}`;
  const value = `${name}.double()${divided}${bent}`;
  return [first, cast === "" ? `${name} = ${value}` : `${name} = (${value})${cast}`];
}

/** The size in `Index[…]`, in Python. */
function indexed(type: string, values: Sizes["values"]): string | null {
  const size = /Index\[([^\]]*)\]/.exec(type)?.[1];
  if (size === undefined) return null;
  return size.replace(/[\p{XID_Start}_]\p{XID_Continue}*/gu, (name) => String(values[name] ?? name));
}

function reshaped(shape: readonly number[]): string {
  const count = shape.reduce((product, size) => product * size, 1);
  return shape.length === 1
    ? `torch.arange(${count})`
    : `torch.arange(${count}).reshape(${shape.length === 0 ? "()" : shape.join(", ")})`;
}

function drawn(info: ValueInfo, sizes: Sizes): string | null {
  const { shape, dtype, type } = info;
  const places = shape.length === 0 ? "()" : shape.join(", ");
  const size = indexed(type, sizes.values);
  if (isWhole(dtype) && size !== null) {
    return `torch.randint(0, ${size}, (${shape.join(", ")}${shape.length === 1 ? "," : ""}))`;
  }
  if (!isFloat(dtype)) return null;
  const cast = converted(dtype);
  if (/\bProb\b/.test(type)) return `torch.rand(${places})${cast}`;
  const made = `torch.randn(${places})${cast}`;
  if (/\bPositive\b/.test(type)) return `${made}.abs() + 0.01`;
  return /\bNonNegative\b/.test(type) ? `${made}.abs()` : made;
}

function madeTensor(name: string, argument: Argument, sizes: Sizes): string[] {
  const { info, isDefault } = argument;
  const { shape, dtype, type } = info;
  if (sizes.fill === "normal" && !isDefault) {
    const text = drawn(info, sizes);
    if (text !== null) return [`${name} = ${text}`];
  }
  if (shape.includes(0)) {
    return [`${name} = torch.zeros(${shape.join(", ")}, dtype=${torchDtype(dtype)})`];
  }
  const text = written(argument);
  if (text !== null) return [`${name} = ${text}`];
  if (dtype === "bool") return [`${name} = ${reshaped(shape)} % 2 == 0`];
  if (isWhole(dtype)) {
    const size = indexed(type, sizes.values);
    const modulo = size === null ? "" : / /.test(size) ? ` % (${size})` : ` % ${size}`;
    return [`${name} = ${reshaped(shape)}${modulo}${converted(dtype)}`];
  }
  return countedFloats(name, info);
}

/** Statements that give a name the argument's value; null where no text can say it. */
function made(name: string, argument: Argument, sizes: Sizes): string[] | null {
  const { info } = argument;
  if (info.host === null) return madeTensor(name, argument, sizes);
  if (info.dtype === "model") return [`${name} = ${info.type}(torch.Generator().manual_seed(0))`];
  if (info.dtype === "str") return [`${name} = ${JSON.stringify(info.host)}`];
  return /^(?:int|float|bool)$/.test(info.dtype) ? [`${name} = ${info.host}`] : null;
}

export interface SampleCall {
  /** The function, as Python calls it. */
  name: string;
  arguments: readonly Argument[];
  /** What its arguments are called, each a name that nothing else has. */
  names: readonly string[];
  /** Why it can't be called, or null. */
  without: string | null;
}

/** Makes a function's sample arguments and prints what it gives for them. */
export function sampleCall(call: SampleCall, sizes: Sizes): string {
  if (call.without !== null) return `# ${call.name}: ${call.without}`;
  const statements = call.arguments.map((argument, at) => made(call.names[at] ?? "", argument, sizes));
  const unsaid = statements.indexOf(null);
  if (unsaid >= 0) return `# ${call.name}: ${call.arguments[unsaid]?.info.name ?? ""} can't be written`;
  const lines = statements.flatMap((lines) => lines ?? []);
  const isDrawn = lines.some((line) => / = torch\.rand/.test(line));
  if (isDrawn) lines.unshift("torch.manual_seed(0)");
  const printed = `print(${call.name}(${call.names.join(", ")}))`;
  lines.push(
    printed.length <= WIDTH
      ? printed
      : `print(\n    ${call.name}(\n${call.names.map((name) => `        ${name},\n`).join("")}    )\n)`,
  );
  return lines.join("\n");
}
