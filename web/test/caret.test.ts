import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, movedPlace } from "../src/app/caret.ts";

/** `|` marks the caret. */
function moved(before: string, after: string): string {
  const offset = before.indexOf("|");
  const place = movedPlace(before.replace("|", ""), after, offset);
  return `${after.slice(0, place)}|${after.slice(place)}`;
}

test("the caret stays by its token", () => {
  assert.equal(moved("x=|y", "x = y"), "x = |y");
  assert.equal(moved("f(x,y|)", "f(x, y)"), "f(x, y|)");
  assert.equal(moved("na|me=1", "name = 1"), "na|me = 1");
  assert.equal(moved("x  = 1|  \n\n\ny = 2", "x = 1\n\ny = 2"), "x = 1|\n\ny = 2");
  assert.equal(moved("  |", ""), "|");
  assert.equal(moved("|", "x = 1\n"), "|x = 1\n");
  assert.equal(moved('s="👩|x"', 's = "👩x"'), 's = "👩|x"');
});

test("only what differs is replaced", () => {
  for (const [before, after] of [
    ["a b c", "a  b c"],
    ["aaa", "aa"],
    ["", "x"],
    ["x", ""],
    ["same", "same"],
  ] as const) {
    const { from, to, insert } = difference(before, after);
    assert.equal(before.slice(0, from) + insert + before.slice(to), after);
    assert.ok(to - from <= before.length);
  }
  assert.deepEqual(difference("x=1\ny = 2\n", "x = 1\ny = 2\n"), { from: 1, to: 2, insert: " = " });
});
