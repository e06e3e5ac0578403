/** Positions of numbers on an edge of a plot. */
import { formatSingle } from "../format-number";

export interface Tick {
  value: number;
  label: string;
}

/** Round numbers within a range, about as many as asked for. */
export function ticks(low: number, high: number, about: number): Tick[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [{ value: low, label: formatSingle(low) }];
  const rough = span / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const found: Tick[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) {
    const value = at * step;
    found.push({ value, label: formatSingle(Number(value.toPrecision(12))) });
  }
  return found;
}

/** Whole numbers from 0 up to one below a count, about as many as asked for. */
export function places(count: number, about: number): Tick[] {
  if (count <= about) {
    return Array.from({ length: count }, (_, at) => ({ value: at, label: String(at) }));
  }
  return ticks(0, count - 1, about).filter(({ value }) => Number.isInteger(value));
}

/** The least and greatest finite numbers, or 0 and 0. */
export function range(numbers: Iterable<number>): { low: number; high: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low > high ? { low: 0, high: 0 } : { low, high };
}

/** A range with a little room at both ends, and never without extent. */
export function roomy({ low, high }: { low: number; high: number }): { low: number; high: number } {
  const room = (high - low) * 0.05 || Math.abs(low) * 0.1 || 1;
  return { low: low - room, high: high + room };
}
