/** Errors that a line has by itself while somebody is still writing it. */
import type { Diagnostic } from "../engine/contract";
import * as words from "../generated/words";

/** They wait this long after the last key, or until the caret leaves the line. */
export const UNFINISHED_MS = 700;

const HALF_WRITTEN = new Set(["E0101", "E0102", "E0106"]);
const UNKNOWN_NAME = "E0301";
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/gu;

const known = [...words.keywords, ...words.contextual, ...words.builtins, ...words.dtypes, ...words.domains];

/** Whether a longer name that is known, to the language or to this text, begins like this one. */
function beginsKnownName(name: string, text: string): boolean {
  if (name === "") return false;
  const isLonger = (other: string) => other.length > name.length && other.startsWith(name);
  return known.some(isLonger) || [...text.matchAll(NAME)].some(([other]) => isLonger(other));
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Whether the error, on the line where somebody types, may be there only because the line isn't finished. */
export function looksUnfinished({ code, range }: Diagnostic, text: string, caretLine: number): boolean {
  if (lineOf(text, range.from) !== caretLine) return false;
  if (HALF_WRITTEN.has(code)) return true;
  return code === UNKNOWN_NAME && beginsKnownName(text.slice(range.from, range.to), text);
}
