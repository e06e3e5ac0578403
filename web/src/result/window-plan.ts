import type { Rectangle } from "../engine/protocol";

/** NumPy's own limits (`numpy.printoptions`: threshold and edgeitems). */
const THRESHOLD = 1000;
const EDGE_ITEMS = 3;
/** A list of numbers drawn as a line is fetched up to this length (32 KB). */
export const LINE_LIMIT = 4096;

/** A stretch of positions along an axis that is shown. */
export interface Segment {
  from: number;
  to: number;
}

export interface WindowPlan {
  rows: Segment[];
  columns: Segment[];
}

function segments(size: number, abbreviate: boolean): Segment[] {
  if (size === 0) return [];
  if (!abbreviate || size <= 2 * EDGE_ITEMS) return [{ from: 0, to: size }];
  return [
    { from: 0, to: EDGE_ITEMS },
    { from: size - EDGE_ITEMS, to: size },
  ];
}

/** Rows and columns of a value's last two axes; a value of rank 1 is one row, one of rank 0 one cell. */
export function extent(shape: readonly number[]): { rows: number; columns: number } {
  return { rows: shape.at(-2) ?? 1, columns: shape.at(-1) ?? 1 };
}

/** Which rows and columns of a slice are shown: all, or like NumPy the first and last three above 1,000 elements. */
export function windowPlan(shape: readonly number[]): WindowPlan {
  const { rows, columns } = extent(shape);
  const abbreviate = rows * columns > THRESHOLD;
  return { rows: segments(rows, abbreviate), columns: segments(columns, abbreviate) };
}

/** The rectangles that hold a plan's cells, row by row. */
export function rectangles(plan: WindowPlan): Rectangle[] {
  return plan.rows.flatMap((row) =>
    plan.columns.map((column) => ({
      row: row.from,
      rows: row.to - row.from,
      column: column.from,
      columns: column.to - column.from,
    })),
  );
}

/** The rectangles that a value opens with: its plan's, and the values of its line where it has one axis. */
export function initialRectangles(shape: readonly number[]): Rectangle[] {
  const planned = rectangles(windowPlan(shape));
  if (shape.length !== 1) return planned;
  return [...planned, { row: 0, rows: 1, column: 0, columns: Math.min(extent(shape).columns, LINE_LIMIT) }];
}
