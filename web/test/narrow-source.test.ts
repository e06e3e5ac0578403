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

const drawnIn = (columns: number, ...lines: string[]) => narrowed(lines.join("\n"), columns).split("\n");

test("what fits stays as it is", () => {
  assert.equal(narrowed(SOURCE, 60), SOURCE);
  assert.equal(narrowed(SOURCE, Infinity), SOURCE);
});

test("no line is too long, only code has a number, and a mark stands beneath what it marks", () => {
  for (let columns = 17; columns < 60; columns++) {
    const lines = narrowed(SOURCE, columns).split("\n");
    const whole = lines.join("\n");
    let code = "";
    for (const line of lines) {
      assert.ok(line.length <= columns, `${columns}: ${whole}`);
      if (/^ \d/.test(line)) code = line;
      else assert.match(line, /│ +([~^]|└|\S+( \S+)*$)/, `${columns}: ${whole}`);
      const mark = line.search(/[~^](?= |$)/);
      if (mark > 0) assert.match(code.charAt(mark), /[Dnw]/, `${columns}: ${whole}`);
    }
  }
});

test("words that don't fit beside their mark stand below it, as far right as they fit", () => {
  assert.deepEqual(narrowed(SOURCE, 43).split("\n"), [
    " 4 │ fn scale(x: [n D], w: [n]) -> [n D] =",
    "   │                ^ D: last axis of x",
    "   │                        ^",
    "   │                └ n: the only axis of w",
    " 5 │     x * w",
    "   │         ~ this one",
  ]);
});

test("of a line that doesn't fit the stretch around its marks is shown", () => {
  assert.deepEqual(narrowed(SOURCE, 26).split("\n"), [
    " 4 │ …[n D], w: [n]) -> […",
    "   │     ^",
    "   │   └ D: last axis of x",
    "   │             ^",
    "   │ └ n: the only axis of",
    "   │   w",
    " 5 │     x * w",
    "   │         ~ this one",
  ]);
});

test("a line whose marks lie too far apart is drawn for each", () => {
  assert.deepEqual(
    drawnIn(
      24,
      "13 │ loss(emb, w, [3, 1, 7] to Index[V], [0, 2, 1] to Index[V])",
      "   │ ^^^^ this",
      "   │                                     ~~~~~~~~~~~~~~~~~~~~~ that one",
    ),
    [
      "13 │ loss(emb, w, [3, 1…",
      "   │ ^^^^ this",
      "13 │ …[0, 2, 1] to Inde…",
      "   │  ~~~~~~~~~~~~~~~~~~",
      "   │  └ that one",
    ],
  );
});

test("a mark that is longer than the box ends with it, and a wide character isn't halved", () => {
  assert.deepEqual(drawnIn(17, " 1 │ abcdefghijklmnopqrstuvwx", "   │ ~~~~~~~~~~~~~~~~~~~~~~~~ all"), [
    " 1 │ abcdefghijk…",
    "   │ ~~~~~~~~~~~~",
    "   │ └ all",
  ]);
  assert.deepEqual(drawnIn(17, " 1 │ # 中中中中中中 x + y", "   │                    ~ x"), [
    " 1 │ …x + y",
    "   │      ~ x",
  ]);
});
