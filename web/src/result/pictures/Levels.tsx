/** Heat maps, images and frames: each number a cell in a colour. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Drawn, ValueInfo } from "../../engine/contract";
import { messages } from "../../messages";
import { formatSingle } from "../format-number";
import { brightnessOf, strengthOf, type Cells } from "./cells";
import { Edged } from "./Edged";

/** The longer side of a picture is drawn about this long. */
const SIDE = 320;

type Colour = readonly [red: number, green: number, blue: number];

function parsed(text: string): Colour {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

function mixed(from: Colour, to: Colour, part: number): Colour {
  const at = (channel: 0 | 1 | 2) => Math.round(from[channel] + (to[channel] - from[channel]) * part);
  return [at(0), at(1), at(2)];
}

/** The theme's colours for the levels of a heat map or a grey image; what isn't a number has its own. */
function palette(canvas: HTMLCanvasElement, isHeat: boolean): Colour[] {
  const style = getComputedStyle(canvas);
  const [none, cell, high, low] = [
    parsed(style.outlineColor),
    parsed(style.backgroundColor),
    parsed(style.color),
    parsed(style.borderTopColor),
  ];
  return Array.from({ length: 256 }, (_, level) => {
    if (level === 0) return none;
    if (!isHeat) return mixed([0, 0, 0], [255, 255, 255], brightnessOf(level));
    const part = strengthOf(level);
    return part < 0 ? mixed(cell, low, -part) : mixed(cell, high, part);
  });
}

function paint(canvas: HTMLCanvasElement, cells: Cells, isHeat: boolean): void {
  const { rows, columns, colored, levels } = cells;
  const context = canvas.getContext("2d");
  if (context === null || rows === 0 || columns === 0) return;
  const image = context.createImageData(columns, rows);
  const colours = palette(canvas, isHeat);
  for (let at = 0; at < rows * columns; at++) {
    const own = colored ? [...levels.subarray(at * 3, at * 3 + 3)] : [];
    const isColour = colored && !own.includes(0);
    const colour = isColour ? own.map(grey) : colours[colored ? 0 : (levels[at] ?? 0)];
    image.data.set([...(colour ?? []), 255], at * 4);
  }
  const small = document.createElement("canvas");
  small.width = columns;
  small.height = rows;
  small.getContext("2d")?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
}

function grey(level: number): number {
  return Math.round(brightnessOf(level) * 255);
}

/** Counts up whenever the theme changes, so that what is painted follows it. */
function useTheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => {
      setCount((before) => before + 1);
    };
    const system = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    system.addEventListener("change", changed);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", changed);
    };
  }, []);
  return count;
}

interface LevelsProps {
  info: ValueInfo;
  cells: Cells;
  isHeat: boolean;
  label: string;
}

/** The cells with the names of their axes on the edges. */
export function Levels({ info, cells, isHeat, label }: LevelsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const { rows, columns } = cells;
  useLayoutEffect(() => {
    if (canvas.current !== null) paint(canvas.current, cells, isHeat);
  }, [cells, isHeat, theme]);
  const scale = Math.max(1, Math.floor(SIDE / Math.max(rows, columns, 1)));
  return (
    <Edged info={info} cells={cells}>
      <canvas
        ref={canvas}
        class="levels-cells"
        width={columns * scale}
        height={rows * scale}
        role="img"
        aria-label={label}
      />
    </Edged>
  );
}

/** What the ends of the scale stand for. */
export function Key({ drawn, isHeat }: { drawn: Drawn; isHeat: boolean }) {
  return (
    <p class="key">
      <span>{formatSingle(drawn.low)}</span>
      <span class={`key-bar ${isHeat ? "is-heat" : "is-grey"}`} aria-hidden="true" />
      <span>{formatSingle(drawn.high)}</span>
      <span class="hidden-text">{messages.keyLabel(isHeat)}</span>
    </p>
  );
}
