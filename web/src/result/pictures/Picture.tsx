/** A value as `show(value, view=…)` asks for it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ShownValue } from "../../app/outcome";
import type { Drawn } from "../../engine/contract";
import { isGone } from "../../engine/failures";
import { messages } from "../../messages";
import { cellsOf } from "./cells";
import { Frames } from "./Frames";
import { Key, Levels } from "./Levels";
import { PlotOf } from "./Plots";

/** The picture at a position of the outer axes: the one that came with the run, or fetched from its worker. */
function usePicture(value: ShownValue, outer: readonly number[]): { drawn: Drawn | null; gone: boolean } {
  const { info, source, picture } = value;
  const isFirst = outer.every((position) => position === 0);
  const [fetched, setFetched] = useState<{ key: string; drawn: Drawn } | null>(null);
  const [gone, setGone] = useState(false);
  const key = `${info.id} ${outer.join(" ")}`;
  useEffect(() => {
    if (isFirst) return;
    let current = true;
    source
      .ask("picture", [info.id, [...outer], 0, 0])
      .then((drawn) => {
        if (current) setFetched({ key, drawn });
      })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
        if (current) setGone(true);
      });
    return () => {
      current = false;
    };
  }, [key, source]);
  if (isFirst) return { drawn: picture, gone: false };
  return { drawn: fetched?.key === key ? fetched.drawn : (fetched?.drawn ?? picture), gone };
}

function Cells({ value, drawn }: { value: ShownValue; drawn: Drawn }) {
  const { info } = value;
  const isHeat = info.view === "heat";
  const cells = useMemo(() => cellsOf(info, drawn, 0), [info, drawn]);
  const say = isHeat ? messages.heatLabel : messages.imageLabel;
  const label = say(info.name, cells.rows * drawn.step, cells.columns * drawn.step, info.summary);
  return (
    <>
      <Levels info={info} cells={cells} isHeat={isHeat} label={label} />
      {!cells.colored && <Key drawn={drawn} isHeat={isHeat} />}
    </>
  );
}

function Drawing({ value, drawn }: { value: ShownValue; drawn: Drawn }) {
  const { info } = value;
  switch (info.view) {
    case "heat":
    case "image":
      return <Cells value={value} drawn={drawn} />;
    case "frames":
      return <Frames value={value} drawn={drawn} />;
    default:
      return <PlotOf info={info} drawn={drawn} />;
  }
}

export function Picture({ value, outer }: { value: ShownValue; outer: readonly number[] }) {
  const { drawn, gone } = usePicture(value, outer);
  if (value.info.shape.includes(0)) return <p class="figure-empty">{messages.emptyValue}</p>;
  if (drawn === null) return null;
  const thinned = drawn.step > 1 && value.info.view !== "scatter";
  return (
    <div class="picture">
      {gone && <p class="stale-note">{messages.valuesGone}</p>}
      <Drawing value={value} drawn={drawn} />
      {thinned && <p class="figure-summary">{messages.everyOf(drawn.step)}</p>}
    </div>
  );
}
