/** What ran, step by step, and where the values lie in memory. */
import { useEffect, useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import type { StepInfo, Steps } from "../engine/contract";
import { isGone } from "../engine/failures";
import { messages } from "../messages";
import { formatBytes, formatShape, formatSingle } from "../result/format-number";
import { LineButton } from "../result/LineButton";
import { MemoryPicture } from "./MemoryPicture";

/** How many steps are fetched at a time. */
const PAGE = 200;

/** The steps of the last run, fetched from its worker as far as they are shown; until they come, those before. */
function useSteps(playground: Playground): { steps: Steps | null; more: () => void } {
  const last = playground.running.last.value;
  const [shown, setShown] = useState(PAGE);
  const [fetched, setFetched] = useState<Steps | null>(null);
  useEffect(() => {
    if (last === null) return;
    let current = true;
    last.values
      .ask("steps", [0, shown])
      .then((steps) => {
        if (current) setFetched(steps);
      })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
        if (current) setFetched(null);
      });
    return () => {
      current = false;
    };
  }, [last, shown]);
  return {
    steps: fetched,
    more: () => {
      setShown(shown + PAGE);
    },
  };
}

/** Byte strides with those of broadcast axes marked. */
function Strides({ strides, shape }: { strides: readonly number[]; shape: readonly number[] }) {
  return (
    <span class="strides">
      (
      {strides.map((stride, axis) => (
        <span key={axis}>
          {axis > 0 && ", "}
          {stride === 0 && (shape[axis] ?? 1) !== 1 ? (
            <span class="stride-zero" title={messages.broadcastStride}>
              0
            </span>
          ) : (
            String(stride).replace("-", "−")
          )}
        </span>
      ))}
      )
    </span>
  );
}

function rangeText({ made }: StepInfo): string {
  const values = made?.values ?? null;
  if (made === null || values === null) return "";
  const parts: string[] = [];
  if (values.min !== null && values.max !== null) {
    const least = formatSingle(values.min);
    parts.push(values.min === values.max ? least : `${least} … ${formatSingle(values.max)}`);
  }
  if (values.nan > 0) parts.push(messages.nanCount(values.nan));
  if (values.infinite > 0) parts.push(messages.infiniteCount(values.infinite));
  return parts.join(" · ");
}

function Step({
  playground,
  step,
  number,
  isFirstNan,
}: {
  playground: Playground;
  step: StepInfo;
  number: number;
  isFirstNan: boolean;
}) {
  const { made } = step;
  const range = rangeText(step);
  return (
    <li class={`step ${isFirstNan ? "is-first-nan" : ""}`} id={`step-${number}`}>
      <div class="step-head">
        <span class="step-number">{number}</span>
        <span class="step-ops">{step.ops.join(" → ")}</span>
        <span class={`step-kind is-${step.kind}`} title={messages.stepKindAbout[step.kind] ?? ""}>
          {messages.stepKind[step.kind] ?? step.kind}
        </span>
        <LineButton program={playground} line={step.line} />
      </div>
      {made !== null && (
        <p class="step-facts">
          <span>
            {made.dtype} {formatShape(made.shape)}
          </span>
          {step.kind !== "view" && step.shape.length > 0 && (
            <span>{messages.loopOver(formatShape(step.shape))}</span>
          )}
          {step.strides.length > 0 && (
            <span>
              {step.kind === "view" ? messages.stridesAre : messages.stridesRead}{" "}
              {step.strides.map((strides, operand) => (
                <span key={operand}>
                  {operand > 0 && " "}
                  <Strides strides={strides} shape={step.shape} />
                </span>
              ))}
            </span>
          )}
          <span>{step.bytes === 0 ? messages.nothingCopied : formatBytes(step.bytes)}</span>
          {range !== "" && <span class="step-range">{range}</span>}
        </p>
      )}
    </li>
  );
}

/** Steps after each other that the script or one call took. */
function groups(steps: readonly StepInfo[]): { name: string | null; from: number; steps: StepInfo[] }[] {
  const found: { name: string | null; from: number; steps: StepInfo[] }[] = [];
  steps.forEach((step, at) => {
    const last = found.at(-1);
    if (last?.name === step.function) last.steps.push(step);
    else found.push({ name: step.function, from: at, steps: [step] });
  });
  return found;
}

function Timeline({ playground, steps, more }: { playground: Playground; steps: Steps; more: () => void }) {
  const { firstNan, total, cut, bytes, views } = steps;
  return (
    <>
      <p class="steps-summary">{messages.stepsSummary(total, cut, bytes, views)}</p>
      {firstNan !== null && (
        <p class="steps-nan">
          {messages.firstNan(firstNan + 1)}{" "}
          {firstNan < steps.steps.length && (
            <button
              type="button"
              class="button"
              onClick={() => {
                document.getElementById(`step-${firstNan + 1}`)?.scrollIntoView({ block: "center" });
                const step = steps.steps[firstNan];
                if (step !== undefined) playground.goTo(step.range);
              }}
            >
              {messages.goThere}
            </button>
          )}
        </p>
      )}
      {groups(steps.steps).map(({ name, from, steps: own }) => (
        <section key={from} aria-label={name ?? messages.script}>
          <h2 class="steps-of">{name ?? messages.script}</h2>
          <ol class="steps" start={from + 1}>
            {own.map((step, at) => (
              <Step
                key={from + at}
                playground={playground}
                step={step}
                number={from + at + 1}
                isFirstNan={firstNan === from + at}
              />
            ))}
          </ol>
        </section>
      ))}
      {steps.steps.length < total && (
        <button type="button" class="button" onClick={more}>
          {messages.moreSteps(total - steps.steps.length)}
        </button>
      )}
    </>
  );
}

export function StepsTab({ playground }: { playground: Playground }) {
  const { steps, more } = useSteps(playground);
  const outcome = playground.running.outcome.value;
  const last = playground.running.last.value;
  const old = last !== null && last.text !== (playground.checking.latest.value?.text ?? last.text);
  if (last === null || steps === null) return <p class="empty">{messages.noSteps}</p>;
  return (
    <div class={`steps-tab ${old ? "is-stale" : ""}`}>
      {old && <p class="stale-note">{messages.stepsStale}</p>}
      {steps.total === 0 ? (
        <p class="empty">{messages.noSteps}</p>
      ) : (
        <Timeline playground={playground} steps={steps} more={more} />
      )}
      {outcome !== null && <MemoryPicture outcome={outcome} last={last} />}
    </div>
  );
}
