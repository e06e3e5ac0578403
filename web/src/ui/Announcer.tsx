import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Program } from "../app/program";
import { messages } from "../messages";

const PAUSE_MS = 1000;

function sentence(program: Program): string {
  const errors = program.checking.errors.value;
  const first = errors[0];
  if (first !== undefined) {
    return messages.announceErrors(errors.length, program.speech(first));
  }
  const { status } = program.running.state.value;
  if (status === "stopped") return messages.announceStopped;
  if (status === "done") return `${messages.announceClean} ${messages.announceRan}`;
  return program.checking.latest.value === null ? "" : messages.announceClean;
}

/** Tells a screen reader what changed, once per pause. */
export function Announcer({ program }: { program: Program }) {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      const next = `${program.announcement.value} ${sentence(program)}`.trim();
      clearTimeout(timer);
      timer = setTimeout(() => {
        setText(next);
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [program]);
  return (
    <div class="hidden-text" role="status" aria-live="polite">
      {text}
    </div>
  );
}
