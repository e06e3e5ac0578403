/** Values along one axis, as bars where they are few and as a line where they are many. */
import type { ValueInfo } from "../engine/contract";
import { messages } from "../messages";
import { formatSingle } from "./format-number";

const WIDTH = 320;
const HEIGHT = 72;

interface Scale {
  low: number;
  high: number;
  y: (value: number) => number;
}

/** From 0 or the least value at the bottom to the greatest at the top. */
function scaleOf(values: readonly number[]): Scale {
  let low = 0;
  let high = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const span = high - low || 1;
  return { low, high, y: (value) => HEIGHT - ((value - low) / span) * HEIGHT };
}

function description(info: ValueInfo, { low, high }: Scale): string {
  return `${info.name} along ${info.axes[0] ?? "its axis"}, between ${formatSingle(low)} and ${formatSingle(high)}`;
}

/** A row of a table with a bar above each number: what it shows is in the numbers. */
export function Bars({ values }: { values: readonly number[] }) {
  const { y } = scaleOf(values);
  return (
    <tr class="bars" aria-hidden="true">
      <td />
      {values.map((value, index) => {
        const top = Math.min(y(value), y(0));
        return (
          <td key={index}>
            <svg width="100%" height={HEIGHT} viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none">
              {Number.isFinite(value) && (
                <rect
                  class={value < 0 ? "bar is-negative" : "bar"}
                  x={12}
                  y={Math.min(top, HEIGHT - 1)}
                  width={76}
                  height={Math.max(Math.abs(y(value) - y(0)), 1)}
                />
              )}
              <line class="chart-zero" x1={-4} x2={104} y1={y(0)} y2={y(0)} />
            </svg>
          </td>
        );
      })}
    </tr>
  );
}

function path(values: readonly number[], scale: Scale): string {
  let drawing = false;
  return values
    .map((value, index) => {
      if (!Number.isFinite(value)) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${((index / (values.length - 1)) * WIDTH).toFixed(2)} ${scale.y(value).toFixed(2)}`;
    })
    .join("");
}

export function LineChart({ info, values }: { info: ValueInfo; values: readonly number[] }) {
  const scale = scaleOf(values);
  const size = info.shape[0] ?? values.length;
  return (
    <>
      <svg
        class="chart is-line"
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        width={WIDTH}
        height={HEIGHT + 4}
        role="img"
        aria-label={description(info, scale)}
      >
        <line class="chart-zero" x1={0} x2={WIDTH} y1={scale.y(0)} y2={scale.y(0)} />
        <path class="line" d={path(values, scale)} />
      </svg>
      {values.length < size && <p class="figure-summary">{messages.firstOf(values.length, size)}</p>}
    </>
  );
}
