/** The engine, as the build checks and runs the programs of its pages. */
import { readFileSync } from "node:fs";
import { initSync, Strand } from "../pkg/strand_wasm.js";
import { plain, type RunEvent, type RunResult } from "../src/engine/contract";

/** Its module, from the folder of the page. */
export const ENGINE = "pkg/strand_wasm_bg.wasm";

const OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 } as const;

/** An engine, from its module's file. */
export function engine(path: string): Strand {
  initSync({ module: readFileSync(path) });
  return new Strand();
}

/** A program's run: what it gave as it came, and how it ended. */
export function ran(strand: Strand, text: string): { events: RunEvent[]; result: RunResult } {
  const events: RunEvent[] = [];
  const result = strand.run(text, OPTIONS, (event) => {
    events.push(plain(event));
  });
  return { events, result: plain(result) };
}
