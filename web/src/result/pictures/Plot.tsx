/** A plot's frame: the area, numbers along its left and lower edges, and what they are. */
import type { ComponentChildren } from "preact";
import type { Tick } from "./scale";

export const WIDTH = 360;
const LEFT = 46;
const RIGHT = 12;
const TOP = 20;
const BOTTOM = 36;

export interface Extent {
  low: number;
  high: number;
}

export interface Scales {
  x: (value: number) => number;
  y: (value: number) => number;
  /** The area's own lower edge. */
  floor: number;
}

interface PlotProps {
  /** What a reader is told instead of the drawing. */
  label: string;
  height: number;
  across: Extent;
  up: Extent;
  bottom: readonly Tick[];
  left: readonly Tick[];
  /** The axis that runs right, and the one that runs up. */
  right: string;
  top: string;
  children: (scales: Scales) => ComponentChildren;
}

export function Plot({ label, height, across, up, bottom, left, right, top, children }: PlotProps) {
  const floor = height - BOTTOM;
  const wide = across.high - across.low || 1;
  const tall = up.high - up.low || 1;
  const x = (value: number) => LEFT + ((value - across.low) / wide) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => floor - ((value - up.low) / tall) * (floor - TOP);
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${WIDTH} ${height}`}
      width={WIDTH}
      height={height}
      role="img"
      aria-label={label}
    >
      {left.map(({ value, label: text }) => (
        <g key={value}>
          <line class="plot-grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
          <text class="plot-number" x={LEFT - 6} y={y(value) + 4} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {bottom.map(({ value, label: text }) => (
        <text class="plot-number" key={value} x={x(value)} y={floor + 14} text-anchor="middle">
          {text}
        </text>
      ))}
      {children({ x, y, floor })}
      <text class="plot-axis" x={WIDTH - RIGHT} y={height - 6} text-anchor="end">
        {right} →
      </text>
      <text class="plot-axis" x={4} y={12}>
        {top} ↑
      </text>
    </svg>
  );
}
