/** An instance of the engine that the page loads, both parts of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

let instances = 0;

/** Its classes, from the folder of the package. */
export async function instance(packageFolder) {
  // The glue holds one instance; another address gives another glue.
  const glue = pathToFileURL(join(packageFolder, "strand_wasm.js"));
  glue.search = `instance=${instances++}`;
  const strand = await import(glue.href);
  const first = strand.initSync({ module: readFileSync(join(packageFolder, "strand_wasm_bg.wasm")) });
  const later = new WebAssembly.Module(readFileSync(join(packageFolder, "strand_wasm_later.wasm")));
  new WebAssembly.Instance(later, { first });
  return strand;
}
