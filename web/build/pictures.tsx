/** @jsxRuntime automatic @jsxImportSource preact */
/** What a program shows, as markup that needs no script: the build's pictures of the gallery. */
import { h } from "preact";
import type { Strand } from "../pkg/strand_wasm.js";
import { hasPicture, plain, type Drawn, type ValueInfo } from "../src/engine/contract";
import { messages } from "../src/messages";
import { gridOf } from "../src/result/grid";
import { GridTable, HEAT_STEPS } from "../src/result/GridTable";
import { brightnessOf, cellsOf, strengthOf, type Cells } from "../src/result/pictures/cells";
import { Edged } from "../src/result/pictures/Edged";
import { PlotOf } from "../src/result/pictures/Plots";
import { initialRectangles } from "../src/result/window-plan";

/** The shades of grey of an image, and of each colour in one. */
const GREYS = 32;
const SHADES = 12;
/** How many frames of a film are printed. */
const FRAMES = 8;

/** A colour as attributes of an element; equal text for equal colours. */
function colourOf(cells: Cells, at: number, isHeat: boolean): string {
  const level = cells.levels[at] ?? 0;
  if (cells.colored) {
    const [red, green, blue] = [0, 1, 2].map((channel) => shade(cells.levels[at * 3 + channel] ?? 1, SHADES));
    return `fill=rgb(${red},${green},${blue})`;
  }
  if (level === 0) return "class=px is-nan";
  if (!isHeat) return `fill=rgb(${Array(3).fill(shade(level, GREYS)).join(",")})`;
  const strength = strengthOf(level);
  const side = strength < 0 ? "is-negative" : "is-positive";
  return `class=px ${side} heat-${Math.round(Math.abs(strength) * HEAT_STEPS)}`;
}

function shade(level: number, steps: number): number {
  return Math.round((Math.round(brightnessOf(level) * steps) / steps) * 255);
}

/** The cells as one path for each colour, of runs along the rows. */
function paths(cells: Cells, isHeat: boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (let row = 0; row < cells.rows; row++) {
    let start = 0;
    for (let column = 1; column <= cells.columns; column++) {
      const colour = colourOf(cells, row * cells.columns + start, isHeat);
      const goesOn =
        column < cells.columns && colourOf(cells, row * cells.columns + column, isHeat) === colour;
      if (goesOn) continue;
      const width = column - start;
      found.set(colour, `${found.get(colour) ?? ""}M${start} ${row}h${width}v1h-${width}z`);
      start = column;
    }
  }
  return found;
}

function CellsPicture({ cells, isHeat, label }: { cells: Cells; isHeat: boolean; label: string }) {
  const { rows, columns } = cells;
  return (
    <svg
      class="cells"
      viewBox={`0 0 ${columns} ${rows}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={label}
    >
      {[...paths(cells, isHeat)].map(([colour, d]) => {
        const [name = "", value = ""] = colour.split("=");
        return h("path", { [name]: value, d });
      })}
    </svg>
  );
}

interface StillProps {
  info: ValueInfo;
  drawn: Drawn;
  /** Without names on the edges. */
  small: boolean;
}

function Still({ info, drawn, small }: StillProps) {
  switch (info.view) {
    case "line":
    case "bars":
    case "scatter":
    case "hist":
      return <PlotOf info={info} drawn={drawn} />;
    case "frames":
      return <Film info={info} drawn={drawn} small={small} />;
    default: {
      const cells = cellsOf(info, drawn, 0);
      const isHeat = info.view === "heat";
      const say = isHeat ? messages.heatLabel : messages.imageLabel;
      const label = say(info.name, cells.rows, cells.columns, info.summary);
      const picture = <CellsPicture cells={cells} isHeat={isHeat} label={label} />;
      if (small) return picture;
      return (
        <Edged info={info} cells={cells}>
          {picture}
        </Edged>
      );
    }
  }
}

/** Some of the frames, evenly spread; where there is little room, one of them. */
function Film({ info, drawn, small }: StillProps) {
  const count = drawn.shape[0] ?? 0;
  const some = small
    ? [Math.floor(count / 3)]
    : Array.from({ length: FRAMES }, (_, at) => Math.floor((at * count) / FRAMES));
  const frames = [...new Set(some)];
  return (
    <ol class="film">
      {frames.map((frame) => {
        const cells = cellsOf(info, drawn, frame);
        return (
          <li key={frame}>
            <CellsPicture cells={cells} isHeat={false} label={messages.frameLabel(info.name, frame, count)} />
            {!small && (
              <span>
                <span class="axis">{info.axes[0] ?? messages.frameWord}</span> {frame}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** A value of the engine's last run, as it is drawn or else written. */
export function Shown({ strand, info, small }: { strand: Strand; info: ValueInfo; small: boolean }) {
  if (info.host !== null) return <p class="scalar">{info.host}</p>;
  const outer = Uint32Array.from(info.shape.slice(0, -2), () => 0);
  if (hasPicture(info)) {
    const drawn = plain(strand.picture(info.id, outer, 0, 2 ** 16));
    return <Still info={info} drawn={drawn} small={small} />;
  }
  const slices = initialRectangles(info.shape).map((at) =>
    plain(strand.view(info.id, outer, at.row, at.rows, at.column, at.columns)),
  );
  return <GridTable info={info} grid={gridOf(info.shape, slices)} down={false} />;
}
