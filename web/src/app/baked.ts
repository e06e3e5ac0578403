/**
 * The finished picture of the opening program, made by the build: what the checker found and what a run gave. The page
 * is painted from it before the engine is there, and goes on from it.
 */
import type { Checked } from "../engine/check-client";
import type { RunEvent, Slice } from "../engine/contract";
import { EngineEnded } from "../engine/failures";
import type { ValueSource } from "../engine/run-client";
import { outcomeOf, type Outcome } from "./outcome";

export const BAKED_ID = "baked";

export interface Baked {
  checked: Checked;
  events: RunEvent[];
  windows: Record<number, Slice[]>;
}

/** As JSON has it: numbers in plain lists. */
type Written = Omit<Baked, "windows"> & {
  windows: Record<number, (Omit<Slice, "data"> & { data: number[] })[]>;
};

export function writtenBaked({ checked, events, windows }: Baked): string {
  const lists = Object.entries(windows).map(([id, slices]) => [
    id,
    slices.map((slice) => ({ ...slice, data: [...slice.data] })),
  ]);
  // A `<` in the text could end the element that holds this.
  return JSON.stringify({ checked, events, windows: Object.fromEntries(lists) as unknown }).replaceAll(
    "<",
    "\\u003c",
  );
}

/** What the build put into the page, or null where it put nothing. */
export function readBaked(): Baked | null {
  const text = document.getElementById(BAKED_ID)?.textContent ?? "";
  if (text === "") return null;
  const { checked, events, windows } = JSON.parse(text) as Written;
  const lists = Object.entries(windows).map(([id, slices]) => [
    id,
    slices.map((slice) => ({ ...slice, data: Float64Array.from(slice.data) })),
  ]);
  return { checked, events, windows: Object.fromEntries(lists) as Record<number, Slice[]> };
}

/** Nothing more of the values can be asked for until the program has run here. */
const nothingMore: ValueSource = {
  ask: () => Promise.reject(new EngineEnded("the values were made by the build")),
};

export function bakedOutcome({ checked, events, windows }: Baked): Outcome {
  return outcomeOf(
    {
      text: checked.text,
      values: nothingMore,
      events,
      windows,
      pictures: {},
      unsent: 0,
      scriptRan: true,
      sizes: {},
      fill: "index",
    },
    null,
  );
}
