/** What is coloured how: one list for the editor, and for texts that are drawn or written outside of it. */
import { highlightTree, tagHighlighter, tags, type Tag } from "@lezer/highlight";
import { wholeTextParser } from "./language";

/** Each has a colour of its own, `--code-…`. */
export type Kind =
  | "keyword"
  | "pipe"
  | "operator"
  | "function"
  | "builtin"
  | "axis"
  | "type"
  | "number"
  | "string"
  | "comment"
  | "bracket";

export interface Rule {
  tag: Tag | readonly Tag[];
  kind: Kind;
  bold?: boolean;
  italic?: boolean;
}

export const rules: readonly Rule[] = [
  { tag: tags.keyword, kind: "keyword" },
  { tag: tags.operatorKeyword, kind: "pipe", bold: true },
  { tag: tags.operator, kind: "operator" },
  { tag: tags.definition(tags.variableName), kind: "function", bold: true },
  { tag: tags.function(tags.variableName), kind: "function" },
  { tag: tags.standard(tags.variableName), kind: "builtin" },
  { tag: tags.typeName, kind: "axis" },
  { tag: tags.className, kind: "type" },
  { tag: [tags.number, tags.bool], kind: "number" },
  { tag: tags.string, kind: "string" },
  { tag: tags.comment, kind: "comment", italic: true },
  { tag: [tags.bracket, tags.punctuation], kind: "bracket" },
];

const highlighter = tagHighlighter(
  rules.map(({ tag, kind, bold }) => ({ tag, class: bold === true ? `${kind} bold` : kind })),
);

/** A piece of a line; null where it has the text's own colour. */
export interface Piece {
  text: string;
  kind: Kind | null;
  bold: boolean;
}

/** The text's lines in coloured pieces. Together they are the text. */
export function colouredLines(text: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const put = (piece: string, classes: string) => {
    const [kind, bold] = classes.split(" ");
    piece.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== "")
        lines.at(-1)?.push({ text: part, kind: kind === "" ? null : (kind as Kind), bold: bold === "bold" });
    });
  };
  let position = 0;
  highlightTree(wholeTextParser.parse(text), highlighter, (from, to, classes) => {
    put(text.slice(position, from), "");
    put(text.slice(from, to), classes);
    position = to;
  });
  put(text.slice(position), "");
  return lines;
}
