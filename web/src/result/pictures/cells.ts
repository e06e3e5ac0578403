/** The cells of heat maps, images and frames, as both the page and the build draw them. */
import type { Drawn, ValueInfo } from "../../engine/contract";

export interface Cells {
  rows: number;
  columns: number;
  /** Whether each cell is three levels: red, green and blue. */
  colored: boolean;
  /** 1 to 255, and 0 for what isn't a number. */
  levels: Uint8Array;
}

/** The level of 0 in a heat map. */
const MIDDLE = 128;

/** How far from 0 a heat map's level is: -1 to 1. */
export function strengthOf(level: number): number {
  return (level - MIDDLE) / (MIDDLE - 1);
}

/** How bright an image's level is: 0 to 1. */
export function brightnessOf(level: number): number {
  return (level - 1) / 254;
}

/** How many axes a picture of a view has before its rows. */
function framesAxes(info: Pick<ValueInfo, "view">): number {
  return info.view === "frames" ? 1 : 0;
}

/** The cells of one frame; a heat map and an image are one. */
export function cellsOf(info: Pick<ValueInfo, "view">, drawn: Drawn, frame: number): Cells {
  const [rows = 0, columns = 0, channels] = drawn.shape.slice(framesAxes(info));
  const size = rows * columns * (channels ?? 1);
  return {
    rows,
    columns,
    colored: channels !== undefined,
    levels: drawn.levels.subarray(frame * size, (frame + 1) * size),
  };
}
