import type { Playground } from "../app/playground";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";
import { Words } from "./Words";

/** One line; it opens the problem's drawing in the editor, beneath the line that it speaks of. */
function Problem({ playground, diagnostic }: { playground: Playground; diagnostic: Diagnostic }) {
  const { code, severity, message, line, column, fixes } = diagnostic;
  const open = playground.drawn.value === diagnostic;
  return (
    <li class={`problem is-${severity}`}>
      <button
        type="button"
        class="problem-line"
        aria-expanded={open}
        onClick={() => {
          if (open) playground.closeDrawing();
          else playground.openDrawing(diagnostic);
        }}
      >
        <span class="problem-place">
          {line}:{column}
        </span>
        <span class="problem-code">{code}</span>
        <span class="problem-message">
          <Words text={message} />
        </span>
        {fixes.length > 0 && <span class="problem-fixes">{messages.fixes(fixes.length)}</span>}
      </button>
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
