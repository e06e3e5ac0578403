import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  chooseFormat,
  formatBytes,
  formatMilliseconds,
  formatNumber,
  formatSingle,
} from "../src/result/format-number.ts";
import { gridOf, type Grid } from "../src/result/grid.ts";
import { valueText } from "../src/result/value-text.ts";
import { extent, initialRectangles, windowPlan } from "../src/result/window-plan.ts";

interface Printed {
  dtype: string;
  shape: number[];
  data: (number | string)[];
  text: string;
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "oracle/numpy_text.json"), "utf8"),
) as Record<string, Printed>;

const NUMBERS: Record<string, number> = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/** The grid of an array that is here whole, through the windows that a page would ask for. */
function gridOfArray(shape: number[], data: readonly number[]): Grid {
  const { columns: width } = extent(shape);
  const slices = initialRectangles(shape).map(({ row, rows, column, columns }) => ({
    axes: [],
    shape: [rows, columns],
    exact: null,
    data: Float64Array.from(
      Array.from({ length: rows }, (_, i) =>
        data.slice((row + i) * width + column, (row + i) * width + column + columns),
      ).flat(),
    ),
  }));
  return gridOf(shape, slices);
}

for (const [name, { dtype, shape, data, text }] of Object.entries(recorded)) {
  test(`a copied value reads as NumPy prints it: ${name}`, () => {
    const values = data.map((value) => (typeof value === "string" ? (NUMBERS[value] ?? NaN) : value));
    const axes = shape.map(() => null);
    assert.equal(valueText({ axes, dtype }, gridOfArray(shape, values)), text);
  });
}

test("a value is shown whole up to 1,000 elements of a slice, and by its edges above", () => {
  assert.deepEqual(windowPlan([1000]), { rows: [{ from: 0, to: 1 }], columns: [{ from: 0, to: 1000 }] });
  assert.deepEqual(windowPlan([1001]).columns, [
    { from: 0, to: 3 },
    { from: 998, to: 1001 },
  ]);
  assert.deepEqual(windowPlan([2, 1001]).rows, [{ from: 0, to: 2 }]);
  assert.deepEqual(windowPlan([0, 5]).rows, []);
  assert.deepEqual(windowPlan([]), { rows: [{ from: 0, to: 1 }], columns: [{ from: 0, to: 1 }] });
});

test("no value asks for more than 64 KB", () => {
  for (const shape of [[], [1_000_000], [1000, 1000], [1, 1_000_000], [40, 25], [9, 9, 1000], [1e6, 1]]) {
    const elements = initialRectangles(shape).reduce((sum, { rows, columns }) => sum + rows * columns, 0);
    assert.ok(elements * 8 <= 64 * 1024, `${shape.join(" × ")}: ${elements}`);
  }
});

test("the cells of a grid stand where their indices say", () => {
  const grid = gridOfArray(
    [100, 100],
    Array.from({ length: 10_000 }, (_, index) => index),
  );
  assert.deepEqual(grid.rowIndices, [0, 1, 2, 97, 98, 99]);
  grid.rowIndices.forEach((row, r) => {
    grid.columnIndices.forEach((column, c) => {
      assert.equal(grid.cells[r * 6 + c], row * 100 + column);
    });
  });
});

test("the numbers of one value are written alike", () => {
  const written = (values: number[], dtype = "f32") => {
    const format = chooseFormat(values, dtype);
    return values.map((value) => formatNumber(value, format));
  };
  assert.deepEqual(written([0, 1, 2].map(Math.fround)), ["0.0", "1.0", "2.0"]);
  assert.deepEqual(written([0.1, 2.25, -10].map(Math.fround)), ["0.10", "2.25", "−10.00"]);
  assert.deepEqual(written([1 / 3, 100]), ["0.3333", "100.0000"]);
  assert.deepEqual(written([1, 20], "i64"), ["1", "20"]);
  assert.deepEqual(written([NaN, Infinity, -Infinity, 1]), ["nan", "inf", "−inf", "1.0"]);
  assert.deepEqual(written([1e-7, 1]), ["1.000e−7", "1.000e+0"]);
});

test("single numbers, bytes and times are short", () => {
  assert.equal(formatSingle(Math.fround(0.1)), "0.1");
  assert.equal(formatSingle(-1234567.89), "−1234570");
  assert.equal(formatSingle(1e-7), "1e−7");
  assert.equal(formatBytes(140), "140 B");
  assert.equal(formatBytes(2_100_000), "2.1 MB");
  assert.equal(formatBytes(32_000_000), "32 MB");
  assert.equal(formatMilliseconds(0.31), "0.3 ms");
  assert.equal(formatMilliseconds(1400), "1.4 s");
});

test("integers past the exact ones of a number keep their digits", () => {
  const digits = ["9007199254740993", "-9223372036854775808", "7"];
  const slice = {
    axes: ["n"],
    shape: [3],
    exact: digits,
    data: Float64Array.from(digits.map(Number)),
  };
  const grid = gridOf([3], [slice, slice]);
  assert.equal(
    valueText({ axes: ["n"], dtype: "i64" }, grid),
    "[    9007199254740993 -9223372036854775808                    7]",
  );
});
