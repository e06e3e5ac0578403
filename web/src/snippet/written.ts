/** What an author wrote, without what only the page around it wants: the lines' common indentation, blank ends. */
export function unindented(written: string): string {
  const lines = written
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .trimEnd()
    .split(/\r?\n/);
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common)).join("\n");
}
