import type { Slice } from "../engine/contract";
import { windowPlan, type Segment } from "./window-plan";

/** The shown cells of one slice of a value: positions along both axes, and a number for each pair of them. */
export interface Grid {
  rows: Segment[];
  columns: Segment[];
  rowIndices: number[];
  columnIndices: number[];
  /** Row by row, as many as `rowIndices` times `columnIndices`. */
  cells: number[];
  /** The cells that are integers too large for a number, as text, by their place in `cells`. */
  exact: ReadonlyMap<number, string>;
  /** All values in order, where the value has one axis (up to the length that is drawn). */
  line: number[] | null;
}

function indices(segments: Segment[]): number[] {
  return segments.flatMap((segment) =>
    Array.from({ length: segment.to - segment.from }, (_, offset) => segment.from + offset),
  );
}

function starts(segments: Segment[]): number[] {
  let sum = 0;
  return segments.map((segment) => {
    const start = sum;
    sum += segment.to - segment.from;
    return start;
  });
}

/** Puts the windows that answer `initialRectangles(shape)` (or its plan's rectangles alone) together. */
export function gridOf(shape: readonly number[], slices: readonly Slice[]): Grid {
  const plan = windowPlan(shape);
  const rowIndices = indices(plan.rows);
  const columnIndices = indices(plan.columns);
  const cells = new Array<number>(rowIndices.length * columnIndices.length).fill(NaN);
  const exact = new Map<number, string>();
  const rowStarts = starts(plan.rows);
  const columnStarts = starts(plan.columns);
  plan.rows.forEach((_, r) => {
    plan.columns.forEach((columns, c) => {
      const slice = slices[r * plan.columns.length + c];
      const data = slice?.data ?? [];
      const width = columns.to - columns.from;
      for (let i = 0; i < data.length; i++) {
        const row = (rowStarts[r] ?? 0) + Math.floor(i / width);
        const column = (columnStarts[c] ?? 0) + (i % width);
        const place = row * columnIndices.length + column;
        cells[place] = data[i] ?? NaN;
        const text = slice?.exact?.[i];
        if (text !== undefined) exact.set(place, text);
      }
    });
  });
  const extra = slices[plan.rows.length * plan.columns.length];
  return { ...plan, rowIndices, columnIndices, cells, exact, line: extra ? Array.from(extra.data) : null };
}
