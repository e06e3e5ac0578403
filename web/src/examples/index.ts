/** The programs of the Examples menu: those of the gallery. */
import { list } from "../generated/examples";

export interface Example {
  name: string;
  title: string;
  /** What it teaches, in one sentence. */
  about: string;
  text: string;
  /** An edit worth making, in a sentence or two. */
  suggestion: string;
  /** Whole lines with what takes their place. */
  replacements: readonly { old: string; new: string }[];
}

export const examples = list;

function first(): Example {
  const [opening] = list;
  if (opening === undefined) throw new Error("the gallery has no programs");
  return opening;
}

/** The program that the page opens with. */
export const openingProgram = first();

/** The edits that an example's suggestion is, as places of its text. */
export function suggestedEdits({
  text,
  replacements,
}: Example): { from: number; to: number; text: string }[] {
  return replacements.map((replacement) => {
    const from = `\n${text}`.indexOf(`\n${replacement.old}`);
    return { from, to: from + replacement.old.length, text: replacement.new };
  });
}
