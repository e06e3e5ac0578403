/** What stands on a soft keyboard: the characters that it hides, and above them what is wrong at the caret. */
import { useEffect, useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";
import { CaretType } from "./CaretType";
import { Words } from "./Words";
import { NextIcon, PlayIcon, StopIcon, TabIcon, UndoIcon } from "./icons";

interface Key {
  label: string;
  insert: string;
  /** Where the caret stands in what was put in; at its end where it isn't said. */
  caret?: number;
  /** Whether there is a space on both sides of it. */
  spaced?: boolean;
}

const KEYS: readonly Key[] = [
  { label: "|>", insert: "|> ", spaced: true },
  { label: "=>", insert: "=> ", spaced: true },
  { label: "[ ]", insert: "[]", caret: 1 },
  { label: "( )", insert: "()", caret: 1 },
  { label: ":", insert: ":" },
  { label: "_", insert: "_" },
  { label: "over=", insert: "over=" },
];

/** A touch of a key must not take the focus, or the soft keyboard would go. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

/** A soft keyboard takes at least this part of the height. */
const LEAST_TAKEN = 0.2;

/**
 * Whether a soft keyboard is up: some shrink the page, others cover it, and none says so. What is covered becomes a
 * length that the style sheet reads.
 */
export function useKeyboard(): boolean {
  const [up, setUp] = useState(false);
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return;
    const tallest = new Map<number, number>();
    const measure = () => {
      // While somebody has zoomed in, what is covered is their choice.
      if (viewport.scale > 1.05) return;
      const covered = Math.max(0, Math.round(window.innerHeight - viewport.height - viewport.offsetTop));
      document.documentElement.style.setProperty("--keyboard", `${covered}px`);
      const width = Math.round(viewport.width);
      const most = Math.max(tallest.get(width) ?? 0, viewport.height);
      tallest.set(width, most);
      setUp(viewport.height < most * (1 - LEAST_TAKEN));
    };
    measure();
    viewport.addEventListener("resize", measure);
    viewport.addEventListener("scroll", measure);
    return () => {
      viewport.removeEventListener("resize", measure);
      viewport.removeEventListener("scroll", measure);
    };
  }, []);
  return up;
}

export function KeyBar({ playground }: { playground: Playground }) {
  const running = playground.running.state.value.long;
  return (
    <div class="keys" role="toolbar" aria-label={messages.keysLabel} onPointerDown={keepFocus}>
      {KEYS.map(({ label, insert, caret, spaced = false }) => (
        <button
          key={label}
          type="button"
          class="key"
          tabIndex={-1}
          onClick={() => {
            playground.insert(insert, caret ?? insert.length, spaced);
          }}
        >
          {label}
        </button>
      ))}
      <button
        type="button"
        class="key"
        tabIndex={-1}
        aria-label={messages.keyTab}
        onClick={() => {
          playground.indent();
        }}
      >
        <TabIcon />
      </button>
      <button
        type="button"
        class="key"
        tabIndex={-1}
        aria-label={messages.keyUndo}
        onClick={() => {
          playground.undo();
        }}
      >
        <UndoIcon />
      </button>
      <button
        type="button"
        class="key is-run"
        tabIndex={-1}
        aria-label={running ? messages.stop : messages.run}
        onClick={() => {
          if (running) playground.stop();
          else playground.run();
        }}
      >
        {running ? <StopIcon /> : <PlayIcon />}
      </button>
    </div>
  );
}

/** The problem of the caret's line, else the first one. */
function problemHere(playground: Playground): Diagnostic | undefined {
  const problems = playground.checking.problems.value;
  const line = playground.text.value.slice(0, playground.caret.value).split("\n").length;
  return problems.find((problem) => problem.line === line) ?? problems[0];
}

/** One problem in one line, and the way to the next; without problems the type at the caret. */
export function ProblemStrip({ playground }: { playground: Playground }) {
  const problems = playground.checking.problems.value;
  const drawn = playground.drawn.value;
  const here = drawn ?? problemHere(playground);
  if (here === undefined) {
    return (
      <div class="strip is-clean">
        <CaretType playground={playground} />
      </div>
    );
  }
  const at = Math.max(problems.indexOf(here), 0);
  return (
    <div class={`strip is-${here.severity}`} onPointerDown={keepFocus}>
      <button
        type="button"
        class="strip-problem"
        aria-expanded={drawn === here}
        onClick={() => {
          if (drawn === here) playground.closeDrawing();
          else playground.lookAt(here);
        }}
      >
        <span class="problem-code">{here.code}</span>
        <span class="strip-message">
          <Words text={here.message} />
        </span>
      </button>
      {problems.length > 1 && (
        <button
          type="button"
          class="strip-next"
          aria-label={messages.nextProblem}
          onClick={() => {
            const next = problems[(at + 1) % problems.length];
            if (next !== undefined) playground.lookAt(next);
          }}
        >
          {messages.placeAmong(at + 1, problems.length)}
          <NextIcon />
        </button>
      )}
    </div>
  );
}
