import { useEffect, useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import type { Program } from "../app/program";
import type { SizeInfo } from "../engine/contract";
import { messages } from "../messages";
import { CaretType } from "./CaretType";

function proven(sizes: readonly SizeInfo[]): string {
  const axes = sizes.filter(({ kind }) => kind === "axis").map(({ name }) => name);
  if (axes.length === 0) return messages.noProblems;
  return messages.noProblemsFor(
    axes.length === 1 ? axes.join("") : `${axes.slice(0, -1).join(", ")} and ${axes.at(-1) ?? ""}`,
  );
}

export function Verdict({ program }: { program: Program }) {
  const { engine, checking } = program;
  const checked = checking.latest.value;
  if (checked === null) {
    const loading = engine.value.kind === "loading";
    return <span class="verdict is-busy">{loading ? messages.loading : messages.checking}</span>;
  }
  const errors = checking.errors.value.length;
  const warnings = checking.problems.value.filter(({ severity }) => severity === "warning").length;
  const others = checking.problems.value.length - errors - warnings;
  const count = messages.problemCount(errors, warnings, others);
  if (errors > 0) return <span class="verdict is-error">✕ {count}</span>;
  if (warnings > 0) return <span class="verdict is-warning">! {count}</span>;
  const hints = others > 0 ? ` · ${count}` : "";
  return (
    <span class="verdict is-ok">
      ✓ {proven(checked.check.sizes)}
      {hints}
    </span>
  );
}

export function Timing({ program }: { program: Program }) {
  const [now, setNow] = useState(0);
  const state = program.running.state.value;
  useEffect(() => {
    if (!state.long) return;
    const timer = setInterval(() => {
      setNow(performance.now());
    }, 100);
    return () => {
      clearInterval(timer);
    };
  }, [state.long]);
  if (state.long) return <span class="timing">{messages.runningFor(Math.max(now - state.started, 0))}</span>;
  // Whoever stopped a run is told so, though they typed on meanwhile.
  if (state.status === "stopped") return <span class="timing">{messages.stoppedShort}</span>;
  // What an earlier text took says nothing of this one.
  if (state.text !== program.text.value) return <span class="timing" />;
  if (state.status === "done" && state.result !== null && state.result.steps > 0) {
    const { steps, stepsCut, peakBytes } = state.result;
    return <span class="timing">{messages.ranIn(state.milliseconds, steps, stepsCut, peakBytes)}</span>;
  }
  return <span class="timing" />;
}

export function StatusLine({ playground }: { playground: Playground }) {
  return (
    <footer class="status" data-activity={playground.activity.value}>
      <Verdict program={playground} />
      <CaretType playground={playground} />
      <Timing program={playground} />
    </footer>
  );
}
