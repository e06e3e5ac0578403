/** A snippet's program: the lines that its reader sees, and the set-up before and between them. */

/** Lines that begin so belong to the program, and aren't shown. */
const HIDDEN = "~";

export interface SnippetSource {
  /** The whole program. */
  text: string;
  /** Whether each of its lines is hidden. */
  hidden: readonly boolean[];
  /** How many of its first lines are set-up that other snippets show. */
  setUp: number;
}

/** What the author wrote, after the pieces of its group that stand before it, which are set-up here. */
export function sourceOf(written: string, before: readonly string[]): SnippetSource {
  const plain = (line: string) => (line.startsWith(HIDDEN) ? line.slice(HIDDEN.length) : line);
  const setUp = before.flatMap(linesOf).map(plain);
  const own = linesOf(written);
  const hidden = [...setUp.map(() => true), ...own.map((line) => line.startsWith(HIDDEN))];
  const text = [...setUp, ...own.map(plain)].join("\n");
  // A text ends with a line that is seen.
  return { text: hidden.at(-1) === true ? `${text}\n` : text, hidden, setUp: setUp.length };
}

function linesOf(written: string): string[] {
  return written.replace(/^\n/, "").trimEnd().split("\n");
}
