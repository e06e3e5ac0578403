/** The source lines of a drawing, broken where a narrow box ends: a mark stays beneath what it marks. */

/** A line of a drawing: what stands before its bar, and what after. */
interface Parts {
  gutter: string;
  text: string;
}

const BAR = "│ ";
const LEAST_COLUMNS = 16;

function partsOf(line: string): Parts | null {
  const at = line.indexOf("│");
  if (at < 0 || !/^\s*\d*\s*$/.test(line.slice(0, at))) return null;
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

/** Where a line is broken: each part's first column and the one after its last. A break stands after a space if it can. */
function breaks(text: string, width: number): { from: number; to: number; text: string }[] {
  const found = [];
  let column = 0;
  let start = 0;
  let part = "";
  let space = -1;
  for (const character of text) {
    const columns = columnsOf(character);
    // A space may hang over the edge.
    if (character !== " " && column + columns - start > width && part !== "") {
      const cut = space > part.length / 2 ? space : part.length;
      const head = part.slice(0, cut);
      const taken = Array.from(head).reduce((sum, one) => sum + columnsOf(one), 0);
      found.push({ from: start, to: start + taken, text: head });
      start += taken;
      part = part.slice(cut);
      space = -1;
    }
    part += character;
    column += columns;
    if (character === " ") space = part.length;
  }
  found.push({ from: start, to: Infinity, text: part });
  return found;
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

/** A mark with its words: beside it where they fit, else below it. */
function markLines(mark: string, column: number, words: string, width: number): string[] {
  const line = " ".repeat(column) + mark;
  if (words === "") return [line];
  if (line.length + 1 + words.length <= width) return [`${line} ${words}`];
  return [line, ...wrapped(words, width)];
}

/** A source line and the marks under it. */
function group(source: Parts, marks: readonly Parts[], width: number): string[] {
  const under = marks.map(({ text }) => {
    const [, space = "", mark = "", words = ""] = /^( *)([~^]+) ?(.*)$/.exec(text) ?? [];
    return { column: space.length, mark, words, text };
  });
  const blank = " ".repeat(source.gutter.length);
  const out: string[] = [];
  breaks(source.text, width).forEach(({ from, to, text }, index) => {
    out.push(`${index === 0 ? source.gutter : blank}${BAR}${text.trimEnd()}`);
    for (const { column, mark, words, text: whole } of under) {
      if (mark === "") {
        if (index === 0) out.push(blank + BAR + whole);
        continue;
      }
      const end = column + mark.length;
      if (column >= to || end <= from) continue;
      const start = Math.max(column, from);
      const shown = mark.slice(0, Math.min(end, to) - start);
      const lines = markLines(shown, start - from, column >= from ? words : "", width);
      out.push(...lines.map((line) => blank + BAR + line));
    }
  });
  return out;
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
