/** The harness itself: what counts as a program, and what counts as equal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstDifference } from "./compare.mjs";
import { elements } from "./npy.mjs";
import { spansOf } from "./positions.mjs";
import { programsOf } from "./suites.mjs";

test("programs are the strand fences under their headings", () => {
  const markdown = [
    "# Chains",
    "## Plain",
    "```strand",
    "# a comment is no heading",
    "1 + 1",
    "```",
    "```text",
    "not a program",
    "```",
    "```strand fixed",
    "2",
    "```",
    "## Masked",
    "````strand error=E2401",
    "```",
    "````",
  ].join("\n");
  assert.deepEqual(programsOf(markdown), [
    { name: "Chains › Plain", line: 3, text: "# a comment is no heading\n1 + 1\n" },
    { name: "Chains › Masked", line: 14, text: "```\n" },
  ]);
});

test("the first difference is named by its path", () => {
  assert.equal(firstDifference({ a: [1, NaN] }, { a: [1, NaN] }), null);
  assert.deepEqual(firstDifference({ a: [1, 2] }, { a: [1, 3] }), { path: "/a/1", left: 2, right: 3 });
  assert.deepEqual(firstDifference([0], [-0]), { path: "/0", left: 0, right: -0 });
  assert.deepEqual(firstDifference([1], [1, 2]), { path: "/1", left: undefined, right: 2 });
  assert.notEqual(firstDifference([], {}), null);
  assert.notEqual(firstDifference(null, {}), null);
});

test("a .npy file gives its elements", () => {
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }".padEnd(117) + "\n";
  const bytes = new Uint8Array(10 + header.length + 8);
  bytes.set([0x93, 78, 85, 77, 80, 89, 1, 0, header.length, 0]);
  bytes.set(new TextEncoder().encode(header), 10);
  new DataView(bytes.buffer).setFloat32(10 + header.length, 1.5, true);
  new DataView(bytes.buffer).setFloat32(14 + header.length, -2, true);
  assert.deepEqual(elements(bytes), [1.5, -2]);
  assert.throws(() => elements(bytes.map((byte) => (byte === 0x66 ? 0x7a : byte))), /isn't understood/);
});

test("offsets become lines and columns in code points", () => {
  const span = spansOf("é𝔸b\n\nc");
  assert.deepEqual(span({ from: 0, to: 3 }), { start: { line: 1, column: 1 }, end: { line: 1, column: 3 } });
  assert.deepEqual(span({ from: 4, to: 6 }), { start: { line: 1, column: 4 }, end: { line: 3, column: 1 } });
});
