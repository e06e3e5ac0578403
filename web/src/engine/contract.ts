/** What crosses the WebAssembly edge. All positions are UTF-16 offsets into the text handed in. */
export interface Range {
  from: number;
  to: number;
}
export interface Label {
  range: Range;
  text: string;
}
export interface Edit {
  range: Range;
  text: string;
}
export interface Fix {
  title: string;
  type: string | null;
  edits: Edit[];
}
export interface Diagnostic {
  code: string;
  severity: "error" | "warning" | "hint";
  message: string;
  range: Range;
  line: number;
  column: number;
  labels: Label[];
  notes: string[];
  fixes: Fix[];
  rendered: string;
}
export interface StageInfo {
  name: string;
  type: string;
}
export interface ChainInfo {
  range: Range;
  stages: StageInfo[];
  lowering: "plain" | "vmap" | "masked";
  reason: string;
}
export interface ParameterInfo {
  name: string;
  type: string;
}
export interface FunctionInfo {
  name: string;
  signature: string;
  range: Range;
  line: number;
  parameters: ParameterInfo[];
  result: string;
  chains: ChainInfo[];
  hasError: boolean;
}
export interface Inlay {
  position: number;
  text: string;
}
export interface SizeInfo {
  name: string;
  kind: "dim" | "axis";
  value: number;
  changeable: boolean;
}
export interface Cost {
  multiplyAdds: number;
  bytes: number;
}
export interface CheckResult {
  diagnostics: Diagnostic[];
  functions: FunctionInfo[];
  inlays: Inlay[];
  sizes: SizeInfo[];
  cost: Cost | null;
}
export interface Hover {
  range: Range;
  type: string;
  detail: string[];
}
export interface PartnerSpan {
  source: Range;
  target: Range;
}
export interface TorchText {
  text: string;
  spans: PartnerSpan[];
}
export interface RunOptions {
  sizes: Record<string, number>;
  fill: "index" | "normal";
  memoryLimit: number;
}
export interface Summary {
  min: number | null;
  max: number | null;
  mean: number | null;
  nan: number;
  infinite: number;
  count: number;
}
export interface ValueInfo {
  id: number;
  line: number;
  name: string;
  type: string;
  axes: (string | null)[];
  shape: number[];
  dtype: string;
  host: string | null;
  summary: Summary | null;
}
export interface RunError {
  code: string;
  message: string;
  range: Range;
  line: number;
  rendered: string;
}
export interface Call {
  function: string;
  line: number;
  arguments: ValueInfo[];
  result: ValueInfo | null;
  error: RunError | null;
  skipped: string | null;
}
export interface TraceStep {
  line: number;
  name: string;
  detail: string;
  bytes: number;
}
export type RunEvent =
  | { kind: "value"; value: ValueInfo }
  | { kind: "call"; call: Call }
  | { kind: "print"; line: number; text: string };
export interface RunResult {
  error: RunError | null;
  sizes: SizeInfo[];
  trace: TraceStep[];
  peakBytes: number;
}
export interface Slice {
  axes: (string | null)[];
  shape: number[];
  data: ArrayLike<number>;
}
