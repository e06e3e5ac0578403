import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cells, elementsOf, formula, indices } from "../src/steps/memory-map";

interface Recorded {
  shape: number[];
  strides: number[];
  out: { s: number[]; v: number[] };
}

/** Views of `np.arange(n).reshape(shape)`, as NumPy made them: an element's value is the cell that it lies in. */
const views = (
  JSON.parse(readFileSync(new URL("../../tests/oracle/array/views.json", import.meta.url), "utf8")) as {
    cases: Recorded[];
  }
).cases;

test("each element lies in the cell that NumPy's strides say", () => {
  let checked = 0;
  for (const { strides, out } of views) {
    const [first] = out.v;
    if (first === undefined) continue;
    const layout = { item: 8, offset: first * 8, shape: out.s, strides };
    assert.deepEqual(cells(layout), out.v);
    checked++;
  }
  assert.ok(checked > 80, `${checked} views`);
});

test("a cell knows its elements, and an element says how it is found", () => {
  const broadcast = { item: 4, offset: 4, shape: [3, 2], strides: [0, 4] };
  assert.deepEqual(elementsOf(cells(broadcast), 4), [[], [0, 2, 4], [1, 3, 5], []]);
  assert.equal(formula(broadcast, [2, 1]), "4 + 2·0 + 1·4 = byte 8");
  const reversed = { item: 4, offset: 8, shape: [3], strides: [-4] };
  assert.deepEqual(cells(reversed), [2, 1, 0]);
  assert.equal(formula(reversed, [2]), "8 + 2·−4 = byte 0");
  assert.deepEqual(indices([2, 0]), []);
});
