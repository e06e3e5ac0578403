/** The programs of the Examples menu: those of the gallery. */
import { list } from "../generated/examples";
import type { Suggested } from "./edits";

export interface Example extends Suggested {
  name: string;
  title: string;
  /** What it teaches, in one sentence. */
  about: string;
  /** An edit worth making, in a sentence or two. */
  suggestion: string;
}

export const examples = list;

function first(): Example {
  const [opening] = list;
  if (opening === undefined) throw new Error("the gallery has no programs");
  return opening;
}

/** The program that the page opens with. */
export const openingProgram = first();
