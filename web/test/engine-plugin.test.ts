import assert from "node:assert/strict";
import { test } from "node:test";
import { withBuildSection } from "../build/engine-plugin.ts";

test("the build id stands in the module, which still compiles", async () => {
  const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
  for (const id of ["0123456789ab", "x".repeat(300)]) {
    const module = await WebAssembly.compile(withBuildSection(empty, id) as BufferSource);
    const [section] = WebAssembly.Module.customSections(module, "strand-build");
    assert.equal(new TextDecoder().decode(section), id);
  }
});
