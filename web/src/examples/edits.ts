/** The edits that programs suggest: whole lines, with what takes their place. */
import type { Edit } from "../engine/contract";

export interface Suggested {
  text: string;
  /** Whole lines with what takes their place. */
  replacements: readonly { old: string; new: string }[];
}

/** A suggestion as edits of its program's text. */
export function suggestedEdits({ text, replacements }: Suggested): Edit[] {
  return replacements.map((replacement) => {
    const from = `\n${text}`.indexOf(`\n${replacement.old}`);
    return { range: { from, to: from + replacement.old.length }, text: replacement.new };
  });
}
