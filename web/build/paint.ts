/** The opening program's page as markup, with what the engine says of it and gives for it. */
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { writtenBaked, type Baked } from "../src/app/baked";
import { Playground } from "../src/app/playground";
import { plain, type RunEvent, type Slice, type ValueInfo } from "../src/engine/contract";
import { openingProgram } from "../src/examples";
import { initialRectangles } from "../src/result/window-plan";
import { Page } from "../src/ui/Page";
import { engine, ran } from "./engine";

function valuesOf(event: RunEvent): ValueInfo[] {
  if (event.kind === "value") return [event.value];
  if (event.kind !== "call") return [];
  const { arguments: given, result } = event.call;
  return result === null ? given : [...given, result];
}

function bake(packageFolder: string): Baked {
  const strand = engine(packageFolder);
  const { text } = openingProgram;
  const check = plain(strand.check(text));
  const torch = plain(strand.torch(text));
  const { events, result } = ran(strand, text);
  const { error } = result;
  if (error !== null) throw new Error(`the opening program fails: ${error.message}`);
  const windows: Record<number, Slice[]> = {};
  for (const { id, shape } of events.flatMap(valuesOf)) {
    const outer = Uint32Array.from(shape.slice(0, -2), () => 0);
    windows[id] = initialRectangles(shape).map((at) =>
      plain(strand.view(id, outer, at.row, at.rows, at.column, at.columns)),
    );
  }
  return { checked: { text, check, torch, milliseconds: 0 }, events, windows };
}

/** The markup of `#page`, and the data that the app goes on from. */
export function paint(packageFolder: string): { markup: string; data: string } {
  const baked = bake(packageFolder);
  const opened = {
    text: openingProgram.text,
    origin: { kind: "example", name: openingProgram.name },
  } as const;
  const playground = new Playground({ opened, shared: null, notice: null }, baked);
  return { markup: renderToString(h(Page, { playground })), data: writtenBaked(baked) };
}
