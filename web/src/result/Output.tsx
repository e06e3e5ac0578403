import type { Outcome } from "../app/outcome";
import { messages } from "../messages";
import { useGradually } from "./gradually";
import { ScrollBox } from "../ui/ScrollBox";

/** What the program printed. */
export function Output({ outcome }: { outcome: Outcome }) {
  const drawn = useGradually(outcome.printed.length);
  return (
    <div role="group" class="output" aria-label={messages.output}>
      <h2 class="output-title">{messages.output}</h2>
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
