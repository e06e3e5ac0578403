/** What of the PyTorch text is taken: all of it or one function, as it is or with inputs that make it run. */
import type { ShownCall } from "../app/outcome";
import type { CheckResult, FunctionInfo, RunOptions, TorchText } from "../engine/contract";
import { assembled, closure, importsOf, moduleOf, type Item, type Module, type Piece } from "./module";
import { pythonTokens } from "./python-tokens";
import { sampleCall, type Argument } from "./samples";

export interface Written extends TorchText {
  /** The program that it was written for, and what is known of that. */
  source: string;
  check: CheckResult;
}

/** What a run of the same program made up for its functions. */
export interface Inputs {
  calls: readonly ShownCall[];
  sizes: Readonly<Record<string, number>>;
  fill: RunOptions["fill"];
}

export interface Taken {
  text: string;
  pieces: readonly Piece[];
  imports: readonly string[];
}

/** Functions of the program that stand in the text by themselves. */
export function takeable({ check }: Written): FunctionInfo[] {
  return check.functions.filter(({ name }) => !name.includes("."));
}

/** What Python calls a function: a name that Python keeps for itself is written otherwise. */
function pythonName({ text, spans, source }: Written, { name, range }: FunctionInfo): string {
  const place = source.indexOf(name, source.indexOf("fn", range.from) + 2);
  const definitions = new Map(
    pythonTokens(text)
      .filter(({ kind }) => kind === "definition")
      .map(({ from, to }) => [from, text.slice(from, to)]),
  );
  const span = spans.find((pair) => pair.source.from === place && definitions.has(pair.target.from));
  return definitions.get(span?.target.from ?? -1) ?? name;
}

/** The names of a definition's parameters. */
function parametersOf(module: Module, name: string): string[] {
  const block = module.blocks.find((one) => one.kind === "definition" && one.names[0] === name);
  if (block === undefined) return [];
  const text = module.text.slice(block.from, block.to);
  const tokens = pythonTokens(text).filter(({ kind }) => kind !== "space" && kind !== "comment");
  const names: string[] = [];
  let depth = 0;
  let before = "";
  for (const { kind, from, to } of tokens) {
    const written = text.slice(from, to);
    if (depth === 1 && kind === "name" && (before === "(" || before === "," || before === "*"))
      names.push(written);
    if (/^[([{]$/.test(written)) depth++;
    if (/^[)\]}]$/.test(written) && --depth === 0) break;
    before = written;
  }
  return names;
}

function hasDefault({ signature, parameters }: FunctionInfo, at: number): boolean {
  const name = parameters[at]?.name ?? "";
  const next = parameters[at + 1]?.name;
  const from = signature.search(new RegExp(`[(,] *${name}(?::| =)`, "u"));
  const rest = signature.slice(from + 1);
  const end =
    next === undefined ? rest.indexOf(") ->") : rest.search(new RegExp(`, *${next}(?::|,|\\)| =)`, "u"));
  return from >= 0 && rest.slice(0, end < 0 ? undefined : end).includes(" = ");
}

/** All elements of a value, or null where the page has only windows of it. */
function cellsOf({ info, grid }: ShownCall["arguments"][number]): readonly number[] | null {
  if (grid === null || info.shape.length > 2) return null;
  const count = info.shape.reduce((product, size) => product * size, 1);
  return grid.cells.length === count ? grid.cells : null;
}

function free(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? free(`${name}_`, taken) : name;
}

function callText(written: Written, module: Module, info: FunctionInfo, inputs: Inputs): string | null {
  const call = inputs.calls.find(({ name }) => name === info.name);
  if (call === undefined) return null;
  const name = pythonName(written, info);
  const parameters = parametersOf(module, name);
  const global = new Set(module.blocks.flatMap(({ names }) => names));
  const values = call.arguments.map((value, at): Argument => ({
    info: value.info,
    cells: cellsOf(value),
    isDefault: hasDefault(info, at),
  }));
  const names = values.map((value, at) => free(parameters[at] ?? value.info.name, global));
  const why = call.skipped ?? (call.result === null ? (call.error?.message ?? null) : null);
  const without = values.length === info.parameters.length ? null : why;
  return sampleCall({ name, arguments: values, names, without }, { values: inputs.sizes, fill: inputs.fill });
}

const TORCH_IMPORT = "import torch";

/** With `import torch` where it is needed and missing. */
function withTorch(items: readonly Item[], module: Module): Item[] {
  if (importsOf(items, module).includes(TORCH_IMPORT)) return [...items];
  const last = items.findLastIndex(
    ({ kind }, index) => kind === "import" || (index === 0 && kind === "comment"),
  );
  return [...items.slice(0, last + 1), { kind: "import", text: TORCH_IMPORT }, ...items.slice(last + 1)];
}

/** One function, or the module where that is null; with inputs it runs as it is pasted. */
export function taken(written: Written, only: FunctionInfo | null, inputs: Inputs | null): Taken {
  const module = moduleOf(written.text);
  // A model that is handed in must be there to be made.
  const models = inputs === null ? [] : (only?.parameters ?? []).map(({ type }) => type);
  let items: Item[] =
    only === null ? [...module.blocks] : closure(module, [pythonName(written, only), ...models]);
  if (inputs !== null) {
    const called = only === null ? takeable(written) : [only];
    const calls = called.flatMap((info) => callText(written, module, info, inputs) ?? []);
    if (calls.some((text) => text.includes("torch."))) items = withTorch(items, module);
    items.push(...calls.map((text): Item => ({ kind: "script", text })));
  }
  const pieces =
    only === null && inputs === null
      ? [{ text: written.text, from: 0 }]
      : assembled(module, items, inputs?.sizes ?? {});
  return { text: pieces.map(({ text }) => text).join(""), pieces, imports: importsOf(items, module) };
}
