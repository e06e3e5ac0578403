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

export function Bars({ info, values }: { info: ValueInfo; values: readonly number[] }) {
  const scale = scaleOf(values);
  const step = Math.min(WIDTH / values.length, 40);
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${step * values.length} ${HEIGHT}`}
      width={step * values.length}
      height={HEIGHT}
      role="img"
      aria-label={description(info, scale)}
    >
      {values.map((value, index) => {
        if (!Number.isFinite(value)) return null;
        const top = Math.min(scale.y(value), scale.y(0));
        const height = Math.max(Math.abs(scale.y(value) - scale.y(0)), 1);
        return (
          <rect
            key={index}
            class={value < 0 ? "bar is-negative" : "bar"}
            x={index * step + step * 0.12}
            y={Math.min(top, HEIGHT - 1)}
            width={step * 0.76}
            height={height}
            rx={1.5}
          />
        );
      })}
      <line class="chart-zero" x1={0} x2={step * values.length} y1={scale.y(0)} y2={scale.y(0)} />
    </svg>
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
