/** Colours a Strand text line by line, from the words of the language's own grammar. */
import {
  indentService,
  indentUnit,
  StreamLanguage,
  type StreamParser,
  type StringStream,
} from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import * as words from "../generated/words";

const keywords = new Set(words.keywords);
const contextual = new Set(words.contextual);
const builtins = new Set(words.builtins);
const dtypes = new Set(words.dtypes);
const domains = new Set(words.domains);

const INDENT = 4;
const NAME = /^[\p{XID_Start}_]\p{XID_Continue}*/u;
const NUMBER = /^\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?/;
const STRING = /^f?"(?:[^"\\]|\\.)*"?/;
/** Longest first. */
const OPERATOR = /^(?:\|>|=>|->|\.\.\.|\.\.|\*\*|\/\/|[<>=!]=|[-+*/%@<>=&|~^])/;

interface LineState {
  /** How many brackets of a shape are open: names inside are axes. */
  shapeDepth: number;
  /** The next `[` opens a shape: the token before it was `:`, `->`, `to` or `as`. */
  shapeNext: boolean;
  /** The next name is an axis or dim: `over=`, `dim`, `split`. */
  axisNext: boolean;
  previous: string;
}

function initialState(): LineState {
  return { shapeDepth: 0, shapeNext: false, axisNext: false, previous: "" };
}

/** `over`, `by`, `train` … are words of the language only in their places, and names everywhere else. */
function isContextualHere(name: string, stream: StringStream, previous: string): boolean {
  const rest = stream.string.slice(stream.pos);
  switch (name) {
    case "over":
      return /^\s*=(?!=)/.test(rest) || /^\s+[\p{XID_Start}_]/u.test(rest);
    case "by":
    case "pad":
      return /^\s+[\p{XID_Start}_\d-]/u.test(rest) && previous !== "";
    case "train":
    case "eval":
      return previous === "with";
    case "from":
      return /^\s*"/.test(rest);
    case "mut":
      return /^\s+[\p{XID_Start}_]/u.test(rest);
    case "python":
      return previous === "import";
    default:
      return previous === "" && /^\s+\S/.test(rest);
  }
}

function nameToken(name: string, stream: StringStream, state: LineState): string {
  const { previous } = state;
  const isAxis = state.axisNext || state.shapeDepth > 0;
  state.axisNext = false;
  if (previous === ".") return "propertyName";
  if (keywords.has(name)) {
    state.shapeNext = name === "to" || name === "as";
    if (name === "dim") state.axisNext = true;
    return name === "true" || name === "false" ? "bool" : "keyword";
  }
  if (previous === "fn") return "variableName.definition";
  if (isAxis) return "typeName";
  if (contextual.has(name) && isContextualHere(name, stream, previous)) {
    if (name === "over" || name === "split") state.axisNext = true;
    return "keyword";
  }
  if (dtypes.has(name) || domains.has(name)) return "className";
  const isCall = stream.peek() === "(" || previous === "|>";
  if (builtins.has(name) && (isCall || previous === "(" || previous === ",")) return "variableName.standard";
  if (isCall) return "variableName.function";
  return /^\p{Lu}/u.test(name) ? "typeName" : "variableName";
}

function bracketToken(bracket: string, state: LineState): string {
  if (bracket === "[" && (state.shapeNext || state.shapeDepth > 0)) state.shapeDepth++;
  else if (bracket === "]" && state.shapeDepth > 0) state.shapeDepth--;
  return "bracket";
}

function token(stream: StringStream, state: LineState): string | null {
  if (stream.sol()) Object.assign(state, { ...initialState(), shapeDepth: state.shapeDepth });
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  const start = stream.pos;
  const kind = significantToken(stream, state);
  state.previous = stream.string.slice(start, stream.pos);
  return kind;
}

function significantToken(stream: StringStream, state: LineState): string | null {
  if (stream.match(STRING)) return "string";
  if (stream.match(NUMBER)) return "number";
  const name = stream.match(NAME);
  if (Array.isArray(name)) {
    const kind = nameToken(name[0], stream, state);
    if (name[0] !== "to" && name[0] !== "as") state.shapeNext = false;
    return kind;
  }
  const operator = stream.match(OPERATOR);
  if (Array.isArray(operator)) {
    state.shapeNext = operator[0] === "->";
    if (operator[0] !== "=") state.axisNext = false;
    return operator[0] === "|>" || operator[0] === "=>" || operator[0] === "->"
      ? "operatorKeyword"
      : "operator";
  }
  const character = stream.next() ?? "";
  if ("()[]".includes(character)) {
    const kind = bracketToken(character, state);
    state.shapeNext = false;
    return kind;
  }
  state.shapeNext = character === ":";
  return "punctuation";
}

/** Names the tokens of a text; the styles are names of CodeMirror's tags. */
const strandParser: StreamParser<LineState> = {
  name: "strand",
  startState: initialState,
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", '"'] } },
};

const language = StreamLanguage.define(strandParser);

/** The tokens of a whole text, for those who have no editor. */
export const wholeTextParser = language.parser;

/** A new line is indented like the one before, deeper after a `:` or `=` that ends it. */
const indentation = indentService.of((context, position) => {
  const line = context.state.doc.lineAt(position);
  for (let number = line.number - (position === line.from ? 1 : 0); number >= 1; number--) {
    const before = context.state.doc.line(number);
    const text = (
      number === line.number ? before.text.slice(0, position - line.from) : before.text
    ).trimEnd();
    if (text.trim() === "") continue;
    const indent = /^ */.exec(text)?.[0].length ?? 0;
    const code = text.replace(/#.*$/, "").trimEnd();
    return /(?:[^=<>!]=|:)$/.test(code) ? indent + INDENT : indent;
  }
  return 0;
});

export function strandLanguage(): Extension {
  return [language, indentUnit.of(" ".repeat(INDENT)), indentation];
}
