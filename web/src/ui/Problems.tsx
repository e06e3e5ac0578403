import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";
import { Drawing } from "./Drawing";

function Problem({ playground, diagnostic }: { playground: Playground; diagnostic: Diagnostic }) {
  const [open, setOpen] = useState(false);
  const { code, severity, message, line, column, fixes, range } = diagnostic;
  return (
    <li class={`problem is-${severity}`}>
      <button
        type="button"
        class="problem-line"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          if (!open) playground.goTo(range);
        }}
      >
        <span class="problem-place">
          {line}:{column}
        </span>
        <span class="problem-code">{code}</span>
        <span class="problem-message">{message}</span>
        {fixes.length > 0 && <span class="problem-fixes">{messages.fixes(fixes.length)}</span>}
      </button>
      {open && <Drawing playground={playground} diagnostic={diagnostic} />}
    </li>
  );
}

export function Problems({ playground }: { playground: Playground }) {
  const problems = playground.checking.problems.value;
  return (
    <section
      class={`problems ${problems.length === 0 ? "is-empty" : ""}`}
      id="problems"
      aria-label={messages.problems}
    >
      {problems.length === 0 ? (
        <p class="problems-none">{messages.noProblems}</p>
      ) : (
        <ul>
          {problems.map((diagnostic) => (
            <Problem
              key={`${diagnostic.code} ${diagnostic.range.from}`}
              playground={playground}
              diagnostic={diagnostic}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
