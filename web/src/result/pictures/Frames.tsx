/** Frames: one after the other, with a button that stops them. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ShownValue } from "../../app/outcome";
import type { Drawn } from "../../engine/contract";
import { isGone } from "../../engine/failures";
import { messages } from "../../messages";
import { PauseIcon, PlayIcon } from "../../ui/icons";
import { cellsOf } from "./cells";
import { Key, Levels } from "./Levels";

const FRAMES_A_SECOND = 6;

/** The frames from a place on that came in one answer. */
interface Part {
  first: number;
  drawn: Drawn;
}

const countOf = (part: Part) => part.drawn.shape[0] ?? 0;
const holds = (part: Part, frame: number) => part.first <= frame && frame < part.first + countOf(part);

/** The part that holds a frame; while it is on its way, the one before. What isn't near is forgotten. */
function usePart(value: ShownValue, first: Drawn, frame: number): { part: Part; gone: boolean } {
  const start: Part = useMemo(() => ({ first: 0, drawn: first }), [first]);
  const [fetched, setFetched] = useState<{ of: Drawn; part: Part } | null>(null);
  const [gone, setGone] = useState(false);
  const last = fetched?.of === first ? fetched.part : start;
  const part = [last, start].find((known) => holds(known, frame));
  const { info, source } = value;
  const missing = part === undefined;
  useEffect(() => {
    if (!missing) return;
    let current = true;
    const from = Math.floor(frame / Math.max(countOf(start), 1)) * Math.max(countOf(start), 1);
    source
      .ask("picture", [info.id, [], from, countOf(start)])
      .then((drawn) => {
        if (current) setFetched({ of: first, part: { first: from, drawn } });
      })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
        if (current) setGone(true);
      });
    return () => {
      current = false;
    };
  }, [missing, frame, source, start]);
  return { part: part ?? last, gone };
}

function wantsStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function Frames({ value, drawn }: { value: ShownValue; drawn: Drawn }) {
  const { info } = value;
  const count = info.shape[0] ?? 1;
  const [frame, setFrame] = useState(0);
  const [playing, setPlaying] = useState(() => count > 1 && !wantsStill());
  const at = Math.min(frame, Math.max(count - 1, 0));
  const { part, gone } = usePart(value, drawn, at);
  const ready = holds(part, at);
  const shown = Math.max(0, Math.min(at - part.first, countOf(part) - 1));
  const cells = useMemo(() => cellsOf(info, part.drawn, shown), [info, part, shown]);
  useEffect(() => {
    if (!playing || !ready) return;
    const timer = setTimeout(
      () => {
        setFrame((at + 1) % count);
      },
      1000 / (info.fps ?? FRAMES_A_SECOND),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [playing, ready, at, count, info.fps]);
  const axis = info.axes[0] ?? messages.frameWord;
  return (
    <div>
      <div class="frames-bar">
        <button
          type="button"
          class="button square small"
          aria-label={playing ? messages.pause : messages.play}
          title={playing ? messages.pause : messages.play}
          onClick={() => {
            setPlaying(!playing);
          }}
        >
          {playing ? <PauseIcon /> : <PlayIcon />}
        </button>
        <label class="outer-axis">
          <span class="axis">{axis}</span>
          <input
            type="range"
            min={0}
            max={Math.max(count - 1, 0)}
            value={at}
            aria-label={messages.positionOn(axis)}
            onInput={(event) => {
              setPlaying(false);
              setFrame(event.currentTarget.valueAsNumber);
            }}
          />
          <span class="outer-position">
            {at} / {Math.max(count - 1, 0)}
          </span>
        </label>
      </div>
      {gone && <p class="stale-note">{messages.valuesGone}</p>}
      <Levels
        info={info}
        cells={cells}
        isHeat={false}
        label={messages.framesLabel(info.name, count, cells.rows, cells.columns)}
      />
      {!cells.colored && <Key drawn={part.drawn} isHeat={false} />}
    </div>
  );
}
