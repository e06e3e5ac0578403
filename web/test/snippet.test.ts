/** A snippet's program, from what its author wrote. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
