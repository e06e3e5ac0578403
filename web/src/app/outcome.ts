/** What a run gave, in the order it came, as the Result tab shows it. */
import type {
  Call,
  CheckResult,
  Drawn,
  RunError,
  RunEvent,
  RunOptions,
  Slice,
  ValueInfo,
} from "../engine/contract";
import type { ValueSource } from "../engine/run-client";
import { gridOf, type Grid } from "../result/grid";

/** A value with the windows of it that are here. */
export interface ShownValue {
  info: ValueInfo;
  /** The windows that it opens with; null while the run goes on. */
  grid: Grid | null;
  /** The picture that the program asks for, of its first frames; null without one or while the run goes on. */
  picture: Drawn | null;
  /** Where the rest of it is. */
  source: ValueSource;
}

export interface ShownCall {
  kind: "call";
  key: string;
  name: string;
  line: number;
  arguments: ShownValue[];
  result: ShownValue | null;
  error: RunError | null;
  /** Why it wasn't run, or null. */
  skipped: string | null;
  /** The text that gave it. */
  text: string;
}

export type ShownItem =
  ShownCall | { kind: "value"; key: string; line: number; value: ShownValue; text: string };

export interface Outcome {
  text: string;
  items: ShownItem[];
  /** Lines of `print`, and the text that printed them. */
  printed: string[];
  printedBy: string;
  /** The sizes that the reader had chosen. */
  sizes: Record<string, number>;
  fill: RunOptions["fill"];
  /** Printed lines and values beyond those that a page shows. */
  unsent: number;
}

export interface RunRecord {
  text: string;
  values: ValueSource;
  events: RunEvent[];
  windows: Record<number, Slice[]> | null;
  pictures: Record<number, Drawn>;
  unsent: number;
  /** Whether the script ran: with errors in the text only functions do. */
  scriptRan: boolean;
  sizes: Record<string, number>;
  fill: RunOptions["fill"];
}

function shownValue(info: ValueInfo, record: RunRecord): ShownValue {
  const slices = record.windows?.[info.id];
  const grid = slices === undefined ? null : gridOf(info.shape, slices);
  return { info, grid, picture: record.pictures[info.id] ?? null, source: record.values };
}

function shownCall(call: Call, record: RunRecord): ShownCall {
  return {
    kind: "call",
    key: `call ${call.function}`,
    name: call.function,
    line: call.line,
    arguments: call.arguments.map((info) => shownValue(info, record)),
    result: call.result === null ? null : shownValue(call.result, record),
    error: call.error,
    skipped: call.skipped,
    text: record.text,
  };
}

/**
 * The items of a run. What an error kept from running, a function or the script, shows what it last gave in `before`,
 * with the text that gave it.
 */
export function outcomeOf(record: RunRecord, before: Outcome | null): Outcome {
  const kept = record.scriptRan || before === null ? null : before;
  const items: ShownItem[] = kept?.items.filter(({ kind }) => kind === "value") ?? [];
  const printed = [...(kept?.printed ?? [])];
  const printedBy = kept === null || printed.length === 0 ? record.text : kept.printedBy;
  for (const event of record.events) {
    if (event.kind === "print") {
      printed.push(event.text);
    } else if (event.kind === "value") {
      const { line } = event.value;
      const value = shownValue(event.value, record);
      items.push({ kind: "value", key: `value ${items.length}`, line, value, text: record.text });
    } else {
      const call = shownCall(event.call, record);
      const last = call.skipped !== null ? before?.items.find((item) => item.key === call.key) : undefined;
      items.push(last?.kind === "call" ? { ...last, line: call.line, skipped: call.skipped } : call);
    }
  }
  const { text, sizes, fill, unsent } = record;
  return { text, items, printed, printedBy, sizes, fill, unsent };
}

/**
 * What of an outcome still speaks of a text that has no errors: functions that it has, and values of expressions that
 * stand in it. Null where nothing does.
 */
export function remaining(outcome: Outcome, text: string, check: CheckResult): Outcome | null {
  if (outcome.text === text) return outcome;
  const functions = new Set(check.functions.map(({ name }) => name));
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  const stands = (name: string) =>
    lines.has(name) || text.includes(`show(${name}`) || text.includes(`${name} |> show`);
  const items = outcome.items.filter((item) =>
    item.kind === "call" ? functions.has(item.name) : stands(item.value.info.name),
  );
  const printed = items.length === outcome.items.length && text.includes("print") ? outcome.printed : [];
  return items.length === 0 && printed.length === 0 ? null : { ...outcome, items, printed };
}

/** The 1-based line where two texts first differ. */
export function firstChangedLine(before: string, after: string): number {
  const a = before.split("\n");
  const b = after.split("\n");
  let line = 0;
  while (line < a.length && line < b.length && a[line] === b[line]) line++;
  return Math.min(line, Math.max(b.length - 1, 0)) + 1;
}
