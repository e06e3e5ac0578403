import { isWhole } from "../engine/dtypes";

/** How the numbers of one value are written, so that they line up: every one with the same count of decimals. */
export interface NumberFormat {
  decimals: number;
  exponent: boolean;
}

const MOST_DECIMALS = 4;

function decimalsOf(value: number): number {
  const text = value.toFixed(MOST_DECIMALS).replace(/0+$/, "");
  return text.length - text.indexOf(".") - 1;
}

/** NumPy's rule at precision 4: exponents where the largest is ≥ 1e8, the smallest < 1e-4, or they differ by 1e3 and need it. */
export function chooseFormat(values: Iterable<number>, dtype: string): NumberFormat {
  if (dtype === "bool" || isWhole(dtype)) return { decimals: 0, exponent: false };
  let largest = 0;
  let smallest = Infinity;
  let decimals = 1;
  for (const value of values) {
    if (!Number.isFinite(value) || value === 0) continue;
    const size = Math.abs(value);
    largest = Math.max(largest, size);
    smallest = Math.min(smallest, size);
    decimals = Math.max(decimals, decimalsOf(value));
  }
  const exponent = largest >= 1e8 || (smallest < 1e-4 && smallest !== Infinity);
  return { decimals, exponent };
}

export function formatNumber(value: number, format: NumberFormat): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "−inf";
  const text = format.exponent ? value.toExponential(MOST_DECIMALS - 1) : value.toFixed(format.decimals);
  return text.replace("-", "−");
}

/** A number that stands on its own, with at most six significant digits. */
export function formatSingle(value: number): string {
  if (!Number.isFinite(value)) return formatNumber(value, { decimals: 0, exponent: false });
  const rounded = Number(value.toPrecision(6));
  const text =
    rounded !== 0 && (Math.abs(rounded) >= 1e9 || Math.abs(rounded) < 1e-4)
      ? rounded.toExponential()
      : String(rounded);
  return text.replace("-", "−");
}

/** 1,234,567 */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** 140 B, 2.1 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ""}`;
}

/** 0.3 ms, 1.4 s */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return formatSeconds(milliseconds / 1000);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** 1.4 s, 5 minutes, 26 days: whole units, of the largest of which there are at least two. */
function formatSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds.toFixed(1)} s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} minutes`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} hours`;
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)} days`;
  if (seconds < 1e6 * YEAR) return `${formatCount(Math.floor(seconds / YEAR))} years`;
  return "over a million years";
}

/** 1,000,000 × 3 */
export function formatShape(shape: readonly number[]): string {
  return shape.map(formatCount).join(" × ");
}
