/** Text as HTML, for the pages that the build writes. */
import { colouredLines, type Piece } from "../src/editor/highlight";
import { escaped } from "../src/share/html";

/** A Strand text with the editor's colours: `code-keyword` for what the editor calls a keyword. */
export function highlighted(text: string): string {
  return colouredLines(text)
    .map((pieces) => pieces.map(span).join(""))
    .join("\n");
}

function span({ text, kind, bold }: Piece): string {
  if (kind === null) return escaped(text);
  return `<span class="code-${kind}${bold ? " code-bold" : ""}">${escaped(text)}</span>`;
}
