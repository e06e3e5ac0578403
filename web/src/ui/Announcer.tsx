import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { messages } from "../messages";

const PAUSE_MS = 1000;

function sentence(playground: Playground): string {
  const errors = playground.checking.errors.value;
  const first = errors[0];
  if (first !== undefined) {
    return messages.announceErrors(errors.length, first.speech);
  }
  const { status } = playground.running.state.value;
  if (status === "stopped") return messages.announceStopped;
  if (status === "done") return `${messages.announceClean} ${messages.announceRan}`;
  return playground.checking.latest.value === null ? "" : messages.announceClean;
}

/** Tells a screen reader what changed, once per pause. */
export function Announcer({ playground }: { playground: Playground }) {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      const next = `${playground.announcement.value} ${sentence(playground)}`.trim();
      clearTimeout(timer);
      timer = setTimeout(() => {
        setText(next);
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [playground]);
  return (
    <div class="hidden-text" role="status" aria-live="polite">
      {text}
    </div>
  );
}
