import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { openingProgram } from "../examples";
import { messages } from "../messages";
import { coachingIsOver, endCoaching } from "../store/preferences";
import { CloseIcon } from "./icons";

const CHAIN = "n |> map(i => x[i] * w[i])";
const BROKEN = "x * w";
const from = openingProgram.text.indexOf(CHAIN);
const line = openingProgram.text.slice(0, from).split("\n").length;

/**
 * The page's only advice: one step from the opening program into its first error, whose fix leads back. Used or closed
 * once, it never returns.
 */
export function Coaching({ playground }: { playground: Playground }) {
  const [over, setOver] = useState(coachingIsOver);
  if (over || playground.text.value !== openingProgram.text || playground.notice.value !== null) return null;
  if (playground.engine.value.kind === "failed") return null;
  const end = () => {
    endCoaching();
    setOver(true);
  };
  return (
    <aside class="coaching" aria-label={messages.coachingLabel}>
      <span>
        {messages.coaching(line)} <code>{BROKEN}</code>
      </span>
      <button
        type="button"
        class="button small"
        onClick={() => {
          end();
          playground.edit([{ range: { from, to: from + CHAIN.length }, text: BROKEN }]);
        }}
      >
        {messages.doIt}
      </button>
      <button
        type="button"
        class="button quiet square small coaching-close"
        aria-label={messages.close}
        onClick={end}
      >
        <CloseIcon />
      </button>
    </aside>
  );
}
