/** The engine in two parts: what the first can do alone, and that the later one comes when it is needed, once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ENGINE } from "../build/engine.ts";
import { PARTS } from "../build/engine-plugin.ts";
import { edited, galleryPrograms } from "../build/gallery.ts";
import { whenNeeded } from "../pkg/later.js";
import { initSync, Strand } from "../pkg/strand_wasm.js";
import { plain } from "../src/engine/contract.ts";

const OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 } as const;

const part = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "..", ENGINE, name)));

const { needed, strand } = ((): { needed: () => number; strand: Strand } => {
  const first = initSync({ module: part(PARTS.first) });
  let count = 0;
  whenNeeded(() => {
    count += 1;
    new WebAssembly.Instance(new WebAssembly.Module(part(PARTS.later)), { first: { ...first } });
  });
  return { needed: () => count, strand: new Strand() };
})();

const [opening, ...others] = galleryPrograms();

test("the page's first program, its wrong edit, words and PyTorch text need the first part alone", () => {
  assert.ok(opening !== undefined);
  const shown: number[] = [];
  assert.equal(plain(strand.check(opening.text)).diagnostics.length, 0);
  strand.run(opening.text, OPTIONS, (event) => {
    const seen = plain(event);
    if (seen.kind === "call" && seen.call.result !== null) shown.push(seen.call.result.id);
  });
  assert.equal(shown.length, 1);
  for (const id of shown) plain(strand.view(id, new Uint32Array(), 0, 3, 0, 3));
  const wrong = plain(strand.check(edited(opening)));
  assert.equal(wrong.diagnostics[0]?.code, "E0503");
  assert.ok(plain(strand.hover(opening.text, opening.text.indexOf("x[i]"))));
  assert.match(plain(strand.torch(opening.text)).text, /def scale/);
  assert.equal(needed(), 0);
});

test("what needs the later part has it brought, once, and goes on", () => {
  for (const { text } of others) {
    const wrong = plain(strand.check(text)).diagnostics.some(({ severity }) => severity === "error");
    let events = 0;
    assert.equal(plain(strand.run(text, OPTIONS, () => events++)).error, null);
    assert.ok(wrong || events > 0);
  }
  assert.equal(needed(), 1);
});
