import type { Program } from "../app/program";
import { messages } from "../messages";
import { PlayIcon, StopIcon } from "./icons";

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Run, or Stop while a run takes long. */
export function RunButton({ program }: { program: Program }) {
  const { running, sizing } = program;
  if (running.state.value.long) {
    return (
      <button
        type="button"
        class="button run is-stop"
        aria-label={messages.stopLabel}
        title={messages.stopLabel}
        onClick={() => {
          program.stop();
        }}
      >
        <StopIcon />
        <span>{messages.stop}</span>
        <kbd aria-hidden="true">{isMac ? "⌘⏎" : "Ctrl ⏎"}</kbd>
      </button>
    );
  }
  const dear = running.isCheap(sizing.cost.value) ? null : sizing.cost.value;
  return (
    <button
      type="button"
      class="button run"
      title={messages.runLabel}
      onClick={() => {
        program.run();
      }}
    >
      <PlayIcon />
      <span>{dear === null ? messages.run : messages.runDear(running.secondsFor(dear), dear.bytes)}</span>
      <kbd aria-hidden="true">{isMac ? "⌘⏎" : "Ctrl ⏎"}</kbd>
    </button>
  );
}
