/** A snippet's program, from what its author wrote. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState } from "@codemirror/state";
import { isForbidden } from "../src/engine/failures.ts";
import { hiddenLines, isOpen } from "../src/snippet/hidden.ts";
import { sourceOf } from "../src/snippet/source.ts";
import { unindented } from "../src/snippet/written.ts";

test("what a page indents by, and blank lines at the ends, aren't the program's", () => {
  assert.equal(
    unindented("\n\n    ~dim D = 3\n\n    fn f(x: [D]):\n        x\n  "),
    "~dim D = 3\n\nfn f(x: [D]):\n    x",
  );
  assert.equal(unindented("x = 1\n    + 2\n"), "x = 1\n    + 2");
  assert.equal(unindented("   "), "");
});

test("lines that begin with a tilde belong to the program, and are hidden", () => {
  const { text, hidden } = sourceOf("\n~dim D = 3\nx = 1\n~y = 2\nx + y\n", []);
  assert.equal(text, "dim D = 3\nx = 1\ny = 2\nx + y");
  assert.deepEqual(hidden, [true, false, true, false]);
});

test("a program that ends hidden still ends with a line that is seen", () => {
  const { text, hidden } = sourceOf("x = 1\n~print(x)\n", []);
  assert.equal(text, "x = 1\nprint(x)\n");
  assert.deepEqual(hidden, [false, true]);
});

test("the pieces of a group that stand before it are hidden set-up, line for line", () => {
  const { text, hidden } = sourceOf("a + b\n", ["a = 1\n~b = 2\n", "# more\n"]);
  assert.equal(text, "a = 1\nb = 2\n# more\na + b");
  assert.deepEqual(hidden, [true, true, true, false]);
  assert.equal(sourceOf("a + b\n", ["a = 1\n~b = 2\n", "# more\n"]).setUp, 3);
});

const hiding = EditorState.create({
  doc: "dim D = 3\nx = 1\ny = 2\nx + y",
  extensions: hiddenLines([true, false, true, false]),
});
const edit = (from: number, to: number, text = "") => ({ range: { from, to }, text });

test("an edit is open that changes lines which are seen, and only those", () => {
  assert.ok(isOpen(hiding, edit(14, 15, "2")));
  assert.ok(isOpen(hiding, edit(15, 15, " + 1")));
  assert.ok(!isOpen(hiding, edit(8, 9, "4")));
  assert.ok(!isOpen(hiding, edit(20, 21, "4")));
  // The line break before a hidden line holds it apart from the one before.
  assert.ok(!isOpen(hiding, edit(14, 16, "2")));
});

test("whole lines may be put in before hidden ones, and nothing into them", () => {
  assert.ok(isOpen(hiding, edit(0, 0, "dim E = 4\n")));
  assert.ok(isOpen(hiding, edit(10, 10, "z = 0\n")));
  assert.ok(!isOpen(hiding, edit(0, 0, "pub ")));
  assert.ok(!isOpen(hiding, edit(4, 4, "E, ")));
});

test("the browsers' words for a policy that forbids WebAssembly are known", () => {
  const refused = (message: string) => isForbidden(new WebAssembly.CompileError(message));
  assert.ok(refused("Refused to compile: it violates the following Content Security policy directive"));
  assert.ok(refused("call to WebAssembly.compileStreaming() blocked by CSP"));
  assert.ok(!refused("expected magic word 00 61 73 6d"));
  assert.ok(!isForbidden(new TypeError("blocked by CSP")));
});
