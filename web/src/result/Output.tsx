import { firstChangedLine } from "../app/outcome";
import type { Program } from "../app/program";
import { messages } from "../messages";
import { useGradually } from "./gradually";
import { ScrollBox } from "../ui/ScrollBox";

/** What the program printed, or an earlier text of it that had no error. */
export function Output({ program }: { program: Program }) {
  const outcome = program.running.outcome.value;
  const drawn = useGradually(outcome?.printed.length ?? 0);
  if (outcome === null || outcome.printed.length === 0) return null;
  const now = program.checking.latest.value?.text ?? outcome.text;
  const runs = program.running.isRunning.value && program.running.state.value.text === now;
  const old = outcome.printedBy !== now && !runs;
  return (
    <div role="group" class={`output ${old ? "is-stale" : ""}`} aria-label={messages.output}>
      <h2 class="output-title">{messages.output}</h2>
      {old && (
        <p class="stale-note">
          {messages.staleSince(program.lineNumber(firstChangedLine(outcome.printedBy, now)))}
        </p>
      )}
      <ScrollBox label={messages.output} class="output-box">
        <ol>
          {outcome.printed.slice(0, drawn).map((text, index) => (
            <li key={index}>
              <pre>{text}</pre>
            </li>
          ))}
        </ol>
        {outcome.unsent > 0 && <p class="output-more">{messages.unsent(outcome.unsent)}</p>}
      </ScrollBox>
    </div>
  );
}
