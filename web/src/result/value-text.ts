/** Values as NumPy prints them (`str` with its default options, without wrapping of long rows). */
import type { ValueInfo } from "../engine/contract";
import { isWhole, shortest } from "../engine/dtypes";
import type { Grid } from "./grid";

/** NumPy's `precision`. */
const PRECISION = 8;

/** Without an exponent, with at most eight decimals, and a dot in any case. */
function positional(value: number): string {
  const text = Math.abs(value) < 1e21 ? value.toFixed(PRECISION) : String(value);
  const exact = String(value);
  const decimals = /^-?\d+(?:\.(\d+))?$/.exec(exact)?.[1] ?? null;
  const plain = decimals !== null && decimals.length <= PRECISION ? exact : text;
  const sign = Object.is(value, -0) ? "-" : "";
  return sign + (plain.includes(".") ? plain.replace(/0+$/, "") : `${plain}.`);
}

function isExponential(values: readonly number[]): boolean {
  const sizes = values.filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs);
  if (sizes.length === 0) return false;
  const greatest = Math.max(...sizes);
  const least = Math.min(...sizes);
  return greatest >= 1e8 || least < 1e-4 || greatest / least > 1000;
}

function special(value: number): string {
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function exponential(value: number, decimals: number): string {
  const [digits = "", exponent = "+0"] = value.toExponential(decimals).split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${decimals === 0 ? `${digits}.` : digits}e${sign}${exponent.slice(1).padStart(2, "0")}`;
}

function exponentials(values: readonly number[]): string[] {
  const lengths = values.filter(Number.isFinite).map((value) => {
    const digits = value.toExponential().split("e")[0] ?? "";
    return Math.min(digits.split(".")[1]?.length ?? 0, PRECISION);
  });
  const decimals = Math.max(0, ...lengths);
  return values.map((value) => (Number.isFinite(value) ? exponential(value, decimals) : special(value)));
}

/** Padded on the right so that the dots stand below each other. */
function positionals(values: readonly number[]): string[] {
  const texts = values.map((value) => (Number.isFinite(value) ? positional(value) : null));
  const decimals = texts.map((text) => (text === null ? 0 : text.length - text.indexOf(".") - 1));
  const width = Math.max(0, ...decimals);
  return texts.map((text, at) => {
    if (text === null) return special(values[at] ?? NaN);
    return text + " ".repeat(width - (decimals[at] ?? 0));
  });
}

function texts(values: readonly number[], dtype: string): string[] {
  if (dtype === "bool") return values.map((value) => (value === 0 ? "False" : "True"));
  if (isWhole(dtype)) return values.map(String);
  const short = values.map((value) => shortest(value, dtype));
  return isExponential(short) ? exponentials(short) : positionals(short);
}

/** The shown slice, with `...` where elements are left out. */
export function valueText(info: Pick<ValueInfo, "axes" | "dtype">, grid: Grid): string {
  const all = texts(grid.cells, info.dtype).map((text, place) => grid.exact.get(place) ?? text);
  if (info.axes.length === 0) return (all[0] ?? "").trim().replace(/\.$/, ".0");
  const width = Math.max(info.dtype === "bool" ? 5 : 0, ...all.map((text) => text.length));
  const columns = grid.columnIndices.length;
  const row = (at: number) => {
    const cells = all.slice(at * columns, (at + 1) * columns).map((text) => text.padStart(width));
    if (grid.columns.length > 1) cells.splice(columns / 2, 0, "...");
    return `[${cells.join(" ")}]`;
  };
  const rows = grid.rowIndices.map((_, at) => row(at));
  if (info.axes.length === 1) return rows[0] ?? "[]";
  if (grid.rows.length > 1) rows.splice(rows.length / 2, 0, "...");
  return `[${rows.join("\n ")}]`;
}
