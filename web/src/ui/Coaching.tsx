import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { examples, openingProgram, type Example } from "../examples";
import { suggestedEdits } from "../examples/edits";
import { messages } from "../messages";
import { coachingIsOver, endCoaching } from "../store/preferences";
import { CloseIcon } from "./icons";
import { Words } from "./Words";

/** Where the opening program is to be broken, and by what: its own suggestion, in which nothing but that is said. */
const [breaking] = suggestedEdits(openingProgram);
const breakingLine = openingProgram.text.slice(0, breaking?.range.from).split("\n").length;

/**
 * One step from the opening program into its first error, whose fix leads back: used or closed once, it never returns.
 * Below every other example stands the edit that it suggests, until it is made or closed.
 */
export function Coaching({ playground }: { playground: Playground }) {
  const [over, setOver] = useState(coachingIsOver);
  const [closed, setClosed] = useState<readonly string[]>([]);
  if (playground.notice.value !== null || playground.engine.value.kind === "failed") return null;
  const text = playground.text.value;
  if (text === openingProgram.text) {
    if (over) return null;
    const end = () => {
      endCoaching();
      setOver(true);
    };
    return (
      <Advice
        end={end}
        edit={() => {
          edit(playground, openingProgram);
        }}
      >
        {messages.coaching(breakingLine)} <code>{breaking?.text.trim()}</code>
      </Advice>
    );
  }
  const example = examples.find((one) => one.text === text);
  if (example === undefined || closed.includes(example.name)) return null;
  return (
    <Advice
      end={() => {
        setClosed([...closed, example.name]);
      }}
      edit={() => {
        edit(playground, example);
      }}
    >
      <Words text={example.suggestion} />
    </Advice>
  );
}

function edit(playground: Playground, example: Example): void {
  playground.edit(suggestedEdits(example));
}

interface AdviceProps {
  children: ComponentChildren;
  edit: () => void;
  end: () => void;
}

function Advice({ children, edit, end }: AdviceProps) {
  return (
    <aside class="coaching" aria-label={messages.coachingLabel}>
      <span>{children}</span>
      <button
        type="button"
        class="button small"
        onClick={() => {
          end();
          edit();
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
