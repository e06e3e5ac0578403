/**
 * What crosses the WebAssembly edge, from the types that are generated with the engine. What is missing is `null`
 * here. All positions are UTF-16 offsets into the text handed in.
 */
import type * as edge from "../../pkg/strand_wasm.js";

/** A type of the edge with `null` for what is missing. */
export type Plain<T> = undefined extends T
  ? Plain<Exclude<T, undefined>> | null
  : T extends ArrayBufferView
    ? T
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Key in keyof T]: Plain<T[Key]> }
        : T;

export type Range = Plain<edge.Range>;
export type Label = Plain<edge.Label>;
export type Edit = Plain<edge.Edit>;
export type ShapeDiff = Plain<edge.ShapeDiff>;
export type Fix = Plain<edge.Fix>;
export type Diagnostic = Plain<edge.Diagnostic>;
export type FunctionInfo = Plain<edge.FunctionInfo>;
export type ChainInfo = Plain<edge.ChainInfo>;
export type Inlay = Plain<edge.Inlay>;
export type SizeInfo = Plain<edge.SizeInfo>;
export type Cost = Plain<edge.Cost>;
export type CheckResult = Plain<edge.CheckResult>;
export type Hover = Plain<edge.Hover>;
export type CompletionItem = Plain<edge.CompletionItem>;
export type Completions = Plain<edge.Completions>;
export type TorchText = Plain<edge.TorchText>;
export type PartnerSpan = Plain<edge.SpanPair>;
export type Summary = Plain<edge.Summary>;
export type ValueInfo = Plain<edge.ValueInfo>;
export type RunError = Plain<edge.RunError>;
export type Call = Plain<edge.Call>;
export type RunEvent = Plain<edge.RunEvent>;
export type RunResult = Plain<edge.RunResult>;
export type Slice = Plain<edge.Slice>;
export type StepInfo = Plain<edge.StepInfo>;
export type Steps = Plain<edge.Steps>;
export type MemoryInfo = Plain<edge.MemoryInfo>;
export type Drawn = Plain<edge.Drawn>;
export type RunOptions = Required<edge.RunOptions>;

/** Whether a value is drawn, not only written. */
export function hasPicture(info: Pick<ValueInfo, "host" | "view">): boolean {
  return info.host === null && info.view !== null && info.view !== "table";
}

/** Puts `null` for everything missing in what the engine gave. */
export function plain<T>(value: T): Plain<T> {
  return replaced(value) as Plain<T>;
}

function replaced(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(replaced);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item)]));
}
