/** The engine, as the build checks and runs the programs of its pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync, Strand } from "../pkg/strand_wasm.js";
import { plain, type RunEvent, type RunResult } from "../src/engine/contract";
import { PARTS } from "./engine-plugin";

/** Its package, from the folder of the page. */
export const ENGINE = "pkg";

const OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 } as const;

/** Puts both parts in place, from the folder of the package. */
export function start(packageFolder: string): void {
  const first = initSync({ module: readFileSync(join(packageFolder, PARTS.first)) });
  const later = new WebAssembly.Module(readFileSync(join(packageFolder, PARTS.later)));
  new WebAssembly.Instance(later, { first: { ...first } });
}

/** An engine, from the folder of its package. */
export function engine(packageFolder: string): Strand {
  start(packageFolder);
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
