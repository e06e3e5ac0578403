/**
 * The source lines of a drawing, cut to what fits a narrow box: of each line the stretch around what is marked in it,
 * so that a mark always stands beneath its code. A line whose marks lie too far apart is drawn once for each.
 */

/** A line of a drawing: what stands before its bar, and what after. */
interface Parts {
  gutter: string;
  text: string;
}

interface Mark {
  /** The first column and the one after the last. */
  from: number;
  to: number;
  sign: string;
  words: string;
}

const BAR = "│ ";
const CUT = "…";
/** What stands before words that have no room beside their mark. */
const HOOK = "└ ";
const LEAST_COLUMNS = 16;

function partsOf(line: string): Parts | null {
  const at = line.indexOf("│");
  if (at < 0 || !/^\s*[\d~]*\s*$/.test(line.slice(0, at))) return null;
  return { gutter: line.slice(0, at), text: line.slice(at + BAR.length) };
}

/** Columns of a character, as a terminal counts them. */
function columnsOf(character: string): number {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/u.test(
    character,
  )
    ? 2
    : 1;
}

/** The characters of a text, one for each column; the second column of a wide one is empty. */
function cellsOf(text: string): string[] {
  return Array.from(text).flatMap((character) =>
    columnsOf(character) === 2 ? [character, ""] : [character],
  );
}

function markOf(text: string): Mark | null {
  const [, space = "", sign = "", words = ""] = /^( *)([~^]+) ?(.*)$/.exec(text) ?? [];
  return sign === "" ? null : { from: space.length, to: space.length + sign.length, sign, words };
}

/** Words in lines of that width; a word that is wider stands alone. */
function wrapped(words: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The words of a mark on lines of their own: under it if they fit there, else as far right as they do. */
function wordsBelow(column: number, words: string, width: number): string[] {
  const lines = wrapped(words, width - HOOK.length);
  const longest = Math.max(...lines.map(({ length }) => length)) + HOOK.length;
  const space = " ".repeat(Math.max(0, Math.min(column, width - longest)));
  return lines.map((line, at) => space + (at === 0 ? HOOK : " ".repeat(HOOK.length)) + line);
}

/** Marks that fit into one stretch of their line. */
function together(marks: readonly Mark[], room: number): Mark[][] {
  const groups: Mark[][] = [];
  for (const mark of marks) {
    const last = groups.at(-1);
    const from = Math.min(mark.from, ...(last ?? []).map((one) => one.from));
    const to = Math.max(mark.to, ...(last ?? []).map((one) => one.to));
    if (last !== undefined && to - from <= room) last.push(mark);
    else groups.push([mark]);
  }
  return groups;
}

/** The first column of a line that is shown so that its marks are. */
function startOf(cells: readonly string[], marks: readonly Mark[], width: number): number {
  const first = Math.min(...marks.map(({ from }) => from));
  const last = Math.max(...marks.map(({ to }) => to));
  if (last < width) return 0;
  // What stands before the marks tells more than what comes after them.
  let from = Math.min(first, Math.max(0, last + 2 - width));
  if (cells[from] === "") from++;
  const start = cells.findIndex(
    (cell, at) => at > from && at <= first && cells[at - 1] === " " && cell !== " ",
  );
  return start > 0 ? start : from;
}

/** A stretch of a source line and the marks under it. */
function drawn(cells: readonly string[], marks: readonly Mark[], width: number): string[] {
  const from = cells.length <= width ? 0 : startOf(cells, marks, width);
  const before = cells.slice(0, from).some((cell) => cell !== " ") ? CUT : "";
  let to = from + width - before.length;
  // The sign that the line goes on takes a column too, and no half of a wide character.
  if (to < cells.length) to -= cells[to - 1] === "" ? 2 : 1;
  const lines = [`${before}${cells.slice(from, to).join("")}${to < cells.length ? CUT : ""}`.trimEnd()];
  for (const mark of marks) {
    const column = mark.from - from + before.length;
    const line = " ".repeat(column) + mark.sign.slice(0, width - column);
    const isBeside = line.length + 1 + mark.words.length <= width;
    lines.push(mark.words !== "" && isBeside ? `${line} ${mark.words}` : line);
    if (mark.words !== "" && !isBeside) lines.push(...wordsBelow(column, mark.words, width));
  }
  return lines;
}

/** A source line and the marks under it, drawn as often as it takes. */
function group(source: Parts, under: readonly Parts[], width: number): string[] {
  const blank = " ".repeat(source.gutter.length);
  const cells = cellsOf(source.text);
  const marks = under.map(({ text }) => markOf(text)).filter((mark) => mark !== null);
  const groups = cells.length <= width || marks.length === 0 ? [marks] : together(marks, width - 2);
  return groups.flatMap((some) =>
    drawn(cells, some, width).map((line, at) => `${at === 0 ? source.gutter : blank}${BAR}${line}`.trimEnd()),
  );
}

/** The source lines of a drawing in so many columns; as they are where they fit or are too narrow to be read. */
export function narrowed(source: string, columns: number): string {
  const lines = source.split("\n");
  if (columns < LEAST_COLUMNS || lines.every((line) => line.length <= columns)) return source;
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const parts = partsOf(line);
    at++;
    if (parts === null || parts.gutter.trim() === "") {
      out.push(line);
      continue;
    }
    const marks: Parts[] = [];
    for (let next = partsOf(lines[at] ?? ""); next?.gutter.trim() === ""; next = partsOf(lines[at] ?? "")) {
      marks.push(next);
      at++;
    }
    out.push(...group(parts, marks, columns - parts.gutter.length - BAR.length));
  }
  return out.join("\n");
}
