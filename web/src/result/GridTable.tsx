/** The last two axes of a value as a table, with the axes' names on its edges and the numbers as heat. */
import { useMemo, useRef } from "preact/hooks";
import type { ValueInfo } from "../engine/contract";
import { shortest } from "../engine/dtypes";
import { messages } from "../messages";
import { chooseFormat, formatNumber, type NumberFormat } from "./format-number";
import { Bars } from "./Charts";
import type { Grid } from "./grid";

/** The heat has so many steps, each a class: a page without style attributes can be written by the build too. */
export const HEAT_STEPS = 20;

/** How far a value is from 0 towards the largest, in −1..1; 0 where it says nothing. */
function heat(value: number, largest: number): number {
  if (!Number.isFinite(value) || largest === 0) return 0;
  return Math.max(-1, Math.min(1, value / largest));
}

function largestOf(info: ValueInfo): number {
  const { summary } = info;
  const size = Math.max(Math.abs(summary?.min ?? 0), Math.abs(summary?.max ?? 0));
  return Number.isFinite(size) ? size : 0;
}

interface CellProps {
  value: number;
  /** An integer that is too large for a number. */
  exact: string | undefined;
  /** A class for a cell whose number just changed. */
  change: string;
  info: ValueInfo;
  format: NumberFormat;
  largest: number;
}

function Cell({ value, exact, change, info, format, largest }: CellProps) {
  if (info.dtype === "bool") {
    return (
      <td class={`cell is-bool ${value === 0 ? "is-false" : "is-true"} ${change}`}>
        {value === 0 ? "false" : "true"}
      </td>
    );
  }
  if (!Number.isFinite(value))
    return <td class={`cell is-special ${change}`}>{formatNumber(value, format)}</td>;
  const strength = heat(value, largest);
  return (
    <td
      class={`cell ${strength < 0 ? "is-negative" : "is-positive"} heat-${Math.round(Math.abs(strength) * HEAT_STEPS)} ${change}`}
      title={exact ?? String(shortest(value, info.dtype))}
    >
      {exact?.replace("-", "−") ?? formatNumber(value, format)}
    </td>
  );
}

/**
 * The class that outlines the cells which changed when this grid took the place of another one of its form. It has two
 * names in turn, so that the outline starts anew each time.
 */
function useChanges(grid: Grid): (place: number) => string {
  const last = useRef<Grid | null>(null);
  const turn = useRef(false);
  return useMemo(() => {
    const before = last.current;
    last.current = grid;
    if (before?.cells.length !== grid.cells.length) return () => "";
    turn.current = !turn.current;
    const name = turn.current ? "is-changed" : "is-changed-again";
    const same = (place: number) =>
      Object.is(before.cells[place], grid.cells[place]) && before.exact.get(place) === grid.exact.get(place);
    return (place) => (same(place) ? "" : name);
  }, [grid]);
}

/** Indices with a null where positions are left out. */
function withGap(indices: readonly number[], segments: number): (number | null)[] {
  if (segments < 2) return [...indices];
  const half = indices.length / 2;
  return [...indices.slice(0, half), null, ...indices.slice(half)];
}

interface Layout {
  /** Names of the axis that runs down and of the one that runs right; undefined where there is none. */
  down: string | null | undefined;
  right: string | null | undefined;
  rows: (number | null)[];
  columns: (number | null)[];
  /** Where the cell stands in the grid's list. */
  place: (row: number, column: number) => number;
}

function layoutOf(info: ValueInfo, grid: Grid, down: boolean): Layout {
  const rows = withGap(grid.rowIndices, grid.rows.length);
  const columns = withGap(grid.columnIndices, grid.columns.length);
  const rowAt = new Map(grid.rowIndices.map((index, at) => [index, at]));
  const columnAt = new Map(grid.columnIndices.map((index, at) => [index, at]));
  const place = (row: number, column: number) =>
    (rowAt.get(row) ?? 0) * grid.columnIndices.length + (columnAt.get(column) ?? 0);
  const right = info.axes.at(-1);
  if (down) {
    return {
      down: right,
      right: undefined,
      rows: columns,
      columns: rows,
      place: (row, column) => place(column, row),
    };
  }
  return { down: info.axes.length > 1 ? info.axes.at(-2) : undefined, right, rows, columns, place };
}

function Head({ layout }: { layout: Layout }) {
  const { right, down, columns } = layout;
  if (right === undefined) {
    return down === undefined ? null : (
      <tr>
        <th class="edge" scope="col">
          <span class="axis">{down ?? ""}</span> ↓
        </th>
        <td class="edge" />
      </tr>
    );
  }
  return (
    <tr>
      <th class="edge corner" scope="col">
        {down !== undefined && (
          <span class="corner-down">
            <span class="axis">{down ?? ""}</span>
            <span aria-hidden="true">↓</span>
          </span>
        )}
        <span class="corner-right">
          <span class="axis">{right ?? ""}</span>
          <span aria-hidden="true">→</span>
        </span>
      </th>
      {columns.map((column, at) =>
        column === null ? (
          <td class="gap" key={at}>
            …
          </td>
        ) : (
          <th class="index" scope="col" key={at}>
            {column}
          </th>
        ),
      )}
    </tr>
  );
}

interface GridTableProps {
  info: ValueInfo;
  grid: Grid;
  down: boolean;
  /** The values again where each has a bar above it. */
  bars?: readonly number[] | null;
}

export function GridTable({ info, grid, down, bars = null }: GridTableProps) {
  const layout = layoutOf(info, grid, down);
  const changes = useChanges(grid);
  const format = chooseFormat(grid.cells, info.dtype);
  const largest = largestOf(info);
  if (info.axes.length === 0) {
    const value = grid.cells[0] ?? NaN;
    const exact = grid.exact.get(0)?.replace("-", "−");
    const text = info.dtype === "bool" ? String(value !== 0) : (exact ?? formatNumber(value, format));
    return <p class="scalar">{text}</p>;
  }
  return (
    <table class="grid">
      <caption class="hidden-text">{`${info.name} ${info.type}`.trim()}</caption>
      <thead>
        {bars !== null && <Bars values={bars} />}
        <Head layout={layout} />
      </thead>
      <tbody>
        {layout.rows.map((row, at) => (
          <tr key={at}>
            {layout.down === undefined ? (
              <td class="edge" />
            ) : row === null ? (
              <td class="gap">⋮</td>
            ) : (
              <th class="index" scope="row">
                {row}
              </th>
            )}
            {layout.columns.map((column, index) =>
              row === null || column === null ? (
                <td class="gap" key={index} aria-label={messages.omitted}>
                  {row === null ? (column === null ? "⋱" : "⋮") : "…"}
                </td>
              ) : (
                <Cell
                  key={index}
                  value={grid.cells[layout.place(row, column)] ?? NaN}
                  exact={grid.exact.get(layout.place(row, column))}
                  change={changes(layout.place(row, column))}
                  info={info}
                  format={format}
                  largest={largest}
                />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
