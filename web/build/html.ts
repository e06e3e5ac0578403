/** Text as HTML, for the pages that the build writes. */
import { StringStream } from "@codemirror/language";
import { strandParser } from "../src/editor/language";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The text with no character that HTML reads otherwise. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A Strand text with the editor's colours: `code-keyword` for what the editor calls a keyword. */
export function highlighted(text: string): string {
  const state = strandParser.startState(4);
  return text
    .split("\n")
    .map((line) => highlightedLine(line, state))
    .join("\n");
}

function highlightedLine(line: string, state: ReturnType<typeof strandParser.startState>): string {
  const stream = new StringStream(line, 4, 4);
  let html = "";
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = strandParser.token(stream, state);
    const piece = escaped(stream.current());
    const name = style?.split(".").at(-1);
    html += name === undefined ? piece : `<span class="code-${name}">${piece}</span>`;
  }
  return html;
}
