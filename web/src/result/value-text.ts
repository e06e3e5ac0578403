import type { ValueInfo } from "../engine/contract";
import { chooseFormat, formatNumber } from "./format-number";
import type { Grid } from "./grid";

const MINUS = "\u2212";

function written(value: number, info: ValueInfo, format: ReturnType<typeof chooseFormat>): string {
  if (info.dtype === "bool") return value === 0 ? "False" : "True";
  return formatNumber(value, format).replace(MINUS, "-");
}

/** The shown slice as NumPy prints it, with `...` where elements are left out. */
export function valueText(info: ValueInfo, grid: Grid): string {
  const format = chooseFormat(grid.cells, info.dtype);
  const texts = grid.cells.map((value) => written(value, info, format));
  if (info.axes.length === 0) return texts[0] ?? "";
  const width = Math.max(0, ...texts.map((text) => text.length));
  const columns = grid.columnIndices.length;
  const row = (at: number) => {
    const cells = texts.slice(at * columns, (at + 1) * columns).map((text) => text.padStart(width));
    if (grid.columns.length > 1) cells.splice(columns / 2, 0, "...");
    return `[${cells.join(" ")}]`;
  };
  const rows = grid.rowIndices.map((_, at) => row(at));
  if (info.axes.length === 1) return rows[0] ?? "[]";
  if (grid.rows.length > 1) rows.splice(rows.length / 2, 0, "...");
  return `[${rows.join("\n ")}]`;
}
