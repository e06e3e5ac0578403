/** Lines, bars, points and histograms. */
import type { Drawn, ValueInfo } from "../../engine/contract";
import { messages } from "../../messages";
import { formatSingle } from "../format-number";
import { Plot } from "./Plot";
import { places, range, roomy, ticks } from "./scale";

const LOW_HEIGHT = 180;
const HIGH_HEIGHT = 280;
/** As many colours and forms tell things apart. */
const SERIES = 6;

interface PictureProps {
  info: ValueInfo;
  drawn: Drawn;
}

function axisName(info: ValueInfo, at: number): string {
  return info.axes.at(at) ?? messages.placeWord;
}

/** The rows of what was drawn. */
function rowsOf(drawn: Drawn): number[][] {
  const columns = drawn.shape.at(-1) ?? 0;
  const rows = drawn.shape.length > 1 ? (drawn.shape[0] ?? 0) : 1;
  return Array.from({ length: rows }, (_, row) => [
    ...drawn.numbers.slice(row * columns, (row + 1) * columns),
  ]);
}

function Legend({ name, labels }: { name: string | null; labels: readonly string[] }) {
  return (
    <ul class="legend">
      {name !== null && <li class="axis">{name}</li>}
      {labels.map((label, at) => (
        <li key={label}>
          <svg class="legend-mark" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
            <Mark series={at % SERIES} x={0} y={0} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

/** A form for each series, so that colour isn't all that tells them apart. */
function Mark({ series, x, y }: { series: number; x: number; y: number }) {
  const name = `mark series-${series}`;
  switch (series) {
    case 0:
      return <circle class={name} cx={x} cy={y} r={3.6} />;
    case 1:
      return <rect class={name} x={x - 3.2} y={y - 3.2} width={6.4} height={6.4} />;
    case 2:
      return <path class={name} d={`M${x} ${y - 4.4}l4.4 7.6h-8.8z`} />;
    case 3:
      return <path class={name} d={`M${x} ${y - 4.8}l4.8 4.8-4.8 4.8-4.8-4.8z`} />;
    case 4:
      return <path class={name} d={`M${x - 4.4} ${y - 3.2}h8.8l-4.4 7.6z`} />;
    default:
      return <path class={`${name} is-open`} d={`M${x - 3.6} ${y - 3.6}l7.2 7.2m0-7.2l-7.2 7.2`} />;
  }
}

function path(numbers: readonly number[], x: (at: number) => number, y: (value: number) => number): string {
  let drawing = false;
  return numbers
    .map((number, at) => {
      if (!Number.isFinite(number)) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${x(at).toFixed(1)} ${y(number).toFixed(1)}`;
    })
    .join("");
}

function Lines({ info, drawn }: PictureProps) {
  const rows = rowsOf(drawn);
  const count = drawn.shape.at(-1) ?? 0;
  const size = info.shape.at(-1) ?? count;
  const up = roomy(range(drawn.numbers));
  const several = drawn.shape.length > 1;
  const label = messages.linesLabel(info.name, rows.length, axisName(info, -1), size, drawn.low, drawn.high);
  return (
    <>
      <Plot
        label={label}
        height={LOW_HEIGHT}
        across={{ low: 0, high: Math.max(size - 1, 1) }}
        up={up}
        bottom={places(size, 8)}
        left={ticks(up.low, up.high, 4)}
        right={axisName(info, -1)}
        top={messages.valueWord}
      >
        {({ x, y }) =>
          rows.map((numbers, row) => (
            <path
              key={row}
              class={`plot-line series-${row % SERIES} ${row >= SERIES ? "is-dashed" : ""}`}
              d={path(numbers, (at) => x(at * drawn.step), y)}
            />
          ))
        }
      </Plot>
      {several && <Legend name={info.axes[0] ?? null} labels={rows.map((_, row) => String(row))} />}
      {several && rows.length < (info.shape[0] ?? 0) && (
        <p class="figure-summary">{messages.firstOf(rows.length, info.shape[0] ?? 0)}</p>
      )}
    </>
  );
}

function BarPlot({ info, drawn }: PictureProps) {
  const numbers = [...drawn.numbers];
  const size = info.shape[0] ?? numbers.length;
  const up = { low: Math.min(drawn.low, 0), high: Math.max(drawn.high, 0) };
  if (up.low === up.high) up.high = 1;
  return (
    <Plot
      label={messages.barsLabel(info.name, axisName(info, 0), size, drawn.low, drawn.high)}
      height={LOW_HEIGHT}
      across={{ low: -0.5, high: size - 0.5 }}
      up={up}
      bottom={places(size, 12)}
      left={ticks(up.low, up.high, 4)}
      right={axisName(info, 0)}
      top={messages.valueWord}
    >
      {({ x, y }) => {
        const width = x(drawn.step) - x(0);
        return numbers.map((number, at) =>
          Number.isFinite(number) ? (
            <rect
              key={at}
              class={number < 0 ? "bar is-negative" : "bar"}
              x={x(at * drawn.step) - width * 0.4}
              width={width * 0.8}
              y={Math.min(y(number), y(0))}
              height={Math.max(Math.abs(y(number) - y(0)), 1)}
            />
          ) : null,
        );
      }}
    </Plot>
  );
}

function Histogram({ info, drawn }: PictureProps) {
  const counts = [...drawn.numbers];
  const most = Math.max(1, ...counts);
  const { low, high } = drawn;
  const width = (high - low) / Math.max(counts.length, 1);
  return (
    <Plot
      label={messages.histLabel(info.name, counts.length, low, high, most)}
      height={LOW_HEIGHT}
      across={{ low, high }}
      up={{ low: 0, high: most }}
      bottom={ticks(low, high, 6)}
      left={ticks(0, most, 4)}
      right={messages.valueWord}
      top={messages.countWord}
    >
      {({ x, y, floor }) =>
        counts.map((count, at) => (
          <rect
            key={at}
            class="bar"
            x={x(low + at * width) + 0.4}
            width={Math.max(x(low + width) - x(low) - 0.8, 0.4)}
            y={y(count)}
            height={Math.max(floor - y(count), 0)}
          />
        ))
      }
    </Plot>
  );
}

function Scatter({ info, drawn }: PictureProps) {
  const points = rowsOf(drawn);
  const labels = [...new Set(drawn.labels)].sort((a, b) => a - b);
  const series = new Map(labels.map((label, at) => [label, at % SERIES]));
  const column = (at: number) => `${info.axes[1] ?? messages.columnWord} ${at}`;
  const across = roomy(range(points.map(([x = NaN]) => x)));
  const up = roomy(range(points.map(([, y = NaN]) => y)));
  return (
    <>
      <Plot
        label={messages.scatterLabel(
          info.name,
          info.shape[0] ?? 0,
          column(0),
          across,
          column(1),
          up,
          labels.length,
        )}
        height={HIGH_HEIGHT}
        across={across}
        up={up}
        bottom={ticks(across.low, across.high, 6)}
        left={ticks(up.low, up.high, 6)}
        right={column(0)}
        top={column(1)}
      >
        {({ x, y }) =>
          points.map(([px = NaN, py = NaN], at) =>
            Number.isFinite(px) && Number.isFinite(py) ? (
              <Mark key={at} series={series.get(drawn.labels[at] ?? NaN) ?? 0} x={x(px)} y={y(py)} />
            ) : null,
          )
        }
      </Plot>
      {labels.length > 0 && <Legend name={null} labels={labels.slice(0, 24).map(formatSingle)} />}
      {drawn.step > 1 && <p class="figure-summary">{messages.everyOf(drawn.step)}</p>}
    </>
  );
}

/** The plot of a line, bars, a scatter or a histogram; null for another view. */
export function PlotOf({ info, drawn }: { info: ValueInfo; drawn: Drawn }) {
  switch (info.view) {
    case "line":
      return <Lines info={info} drawn={drawn} />;
    case "bars":
      return <BarPlot info={info} drawn={drawn} />;
    case "scatter":
      return <Scatter info={info} drawn={drawn} />;
    case "hist":
      return <Histogram info={info} drawn={drawn} />;
    default:
      return null;
  }
}
