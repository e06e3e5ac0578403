import assert from "node:assert/strict";
import { test } from "node:test";
import { narrowed } from "../src/ui/narrow-source";

const SOURCE = [
  " 4 │ fn scale(x: [n D], w: [n]) -> [n D] =",
  "   │                ^ D: last axis of x",
  "   │                        ^ n: the only axis of w",
  " 5 │     x * w",
  "   │         ~ this one",
].join("\n");

test("what fits stays as it is", () => {
  assert.equal(narrowed(SOURCE, 60), SOURCE);
  assert.equal(narrowed(SOURCE, Infinity), SOURCE);
});

test("words that don't fit beside their mark stand below it, and no line is too long", () => {
  for (let columns = 20; columns < 60; columns++) {
    const lines = narrowed(SOURCE, columns).split("\n");
    assert.ok(
      lines.every((line) => line.length <= columns),
      `${columns}: ${lines.join("\n")}`,
    );
  }
  assert.deepEqual(narrowed(SOURCE, 43).split("\n"), [
    " 4 │ fn scale(x: [n D], w: [n]) -> [n D] =",
    "   │                ^ D: last axis of x",
    "   │                        ^",
    "   │ n: the only axis of w",
    " 5 │     x * w",
    "   │         ~ this one",
  ]);
});

test("a line that doesn't fit is broken, and each mark goes with its part", () => {
  const drawn = narrowed(SOURCE, 26).split("\n");
  assert.deepEqual(drawn, [
    " 4 │ fn scale(x: [n D], w:",
    "   │                ^",
    "   │ D: last axis of x",
    "   │ [n]) -> [n D] =",
    "   │  ^",
    "   │ n: the only axis of w",
    " 5 │     x * w",
    "   │         ~ this one",
  ]);
});

test("a mark that is longer than its line goes on in the next part", () => {
  const source = [" 1 │ abcdefghijklmnopqrstuvwx", "   │ ~~~~~~~~~~~~~~~~~~~~~~~~ all"].join("\n");
  assert.deepEqual(narrowed(source, 17).split("\n"), [
    " 1 │ abcdefghijkl",
    "   │ ~~~~~~~~~~~~",
    "   │ all",
    "   │ mnopqrstuvwx",
    "   │ ~~~~~~~~~~~~",
  ]);
});
