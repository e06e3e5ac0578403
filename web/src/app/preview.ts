/** What a fix would change, line by line, so that it can be seen before it is made. */
import type { Edit } from "../engine/contract";

/** Lines that stand together and change together. */
export interface Hunk {
  /** The 1-based line of the first one, before the edit. */
  line: number;
  before: string[];
  after: string[];
}

interface Touched {
  from: number;
  to: number;
  edits: Edit[];
}

/** The text after the edits, which don't overlap. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { range, text: insert } of [...edits].sort((a, b) => b.range.from - a.range.from)) {
    result = result.slice(0, range.from) + insert + result.slice(range.to);
  }
  return result;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

/** Whole lines that the edits touch; edits of neighbouring lines stand in one. */
function touchedLines(text: string, edits: readonly Edit[]): Touched[] {
  const touched: Touched[] = [];
  for (const edit of [...edits].sort((a, b) => a.range.from - b.range.from)) {
    const from = lineStart(text, edit.range.from);
    const to = lineEnd(text, edit.range.to);
    const last = touched.at(-1);
    if (last !== undefined && from <= last.to + 1) {
      last.to = Math.max(last.to, to);
      last.edits.push(edit);
    } else {
      touched.push({ from, to, edits: [edit] });
    }
  }
  return touched;
}

function hunkOf(text: string, { from, to, edits }: Touched): Hunk {
  const here = edits.map(({ range, text: insert }) => ({
    range: { from: range.from - from, to: range.to - from },
    text: insert,
  }));
  const before = text.slice(from, to).split("\n");
  const after = applied(text.slice(from, to), here).split("\n");
  let line = text.slice(0, from).split("\n").length;
  while (before.length > 1 && before[0] === after[0]) {
    before.shift();
    after.shift();
    line++;
  }
  while (before.length > 1 && after.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return { line, before, after };
}

/** The changed lines of the edits, in the text's order. */
export function previewOf(text: string, edits: readonly Edit[]): Hunk[] {
  return touchedLines(text, edits).map((touched) => hunkOf(text, touched));
}
