import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf } from "../src/result/pictures/cells";
import { places, range, roomy, ticks } from "../src/result/pictures/scale";

const labels = (low: number, high: number, about: number) =>
  ticks(low, high, about).map(({ label }) => label);

test("numbers on an edge are round and within it", () => {
  assert.deepEqual(labels(0, 1, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
  assert.deepEqual(labels(-3.3, 3.3, 4), ["−2", "0", "2"]);
  assert.deepEqual(labels(0, 950, 4), ["0", "500"]);
  assert.deepEqual(labels(0.1, 0.3, 2), ["0.1", "0.2", "0.3"]);
});

test("an edge without extent has its one number", () => {
  assert.deepEqual(labels(2, 2, 4), ["2"]);
  assert.deepEqual(labels(0, Infinity, 4), ["0"]);
});

test("few places all have their number", () => {
  assert.deepEqual(
    places(3, 8).map(({ label }) => label),
    ["0", "1", "2"],
  );
  assert.ok(places(1000, 8).length <= 9);
});

test("a range leaves out what isn't finite", () => {
  assert.deepEqual(range([3, NaN, -1, Infinity]), { low: -1, high: 3 });
  assert.deepEqual(range([]), { low: 0, high: 0 });
  const { low, high } = roomy({ low: 5, high: 5 });
  assert.ok(low < 5 && high > 5);
});

const drawn = (shape: number[], levels: number[]) => ({
  shape,
  step: 1,
  low: 0,
  high: 1,
  levels: Uint8Array.from(levels),
  numbers: new Float64Array(),
  labels: new Float64Array(),
});

test("a frame is its own part of the levels", () => {
  const found = cellsOf({ view: "frames" }, drawn([2, 1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), 1);
  assert.deepEqual(
    { ...found, levels: [...found.levels] },
    {
      rows: 1,
      columns: 2,
      colored: true,
      levels: [7, 8, 9, 10, 11, 12],
    },
  );
  assert.equal(cellsOf({ view: "heat" }, drawn([2, 2], [1, 2, 3, 4]), 0).colored, false);
});
