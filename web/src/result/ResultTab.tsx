/** The values of the program, in source order, under the drawing of its first error. */
import type { ExternsSource } from "../app/externs";
import type { Program } from "../app/program";
import { firstChangedLine, type ShownItem } from "../app/outcome";
import { messages } from "../messages";
import { Drawing } from "../ui/Drawing";
import { useNarrow } from "../ui/narrow";
import { plainWords, Words } from "../ui/Words";
import { CallCard } from "./CallCard";
import { useGradually } from "./gradually";
import { LineButton } from "./LineButton";
import { Nearby } from "./Nearby";
import { Output } from "./Output";
import { SizesStrip } from "./SizesStrip";
import { ValueFigure } from "./ValueFigure";

function FirstError({ program }: { program: Program }) {
  const { firstError, firstWarning } = program.checking;
  const narrow = useNarrow();
  const error = firstError.value ?? firstWarning.value;
  if (error === null) return null;
  const label = `${error.code}. ${plainWords(error.message)}`;
  // It is drawn once: beneath its line where that stands beside the values, else here.
  if (!narrow && program.drawn.value === error) {
    return (
      <div role="group" class="first-error is-elsewhere" aria-label={label}>
        <span class="drawing-code">{error.code}</span>
        <span>
          <Words text={error.message} />
        </span>
        <LineButton program={program} line={error.line} />
      </div>
    );
  }
  return (
    <div role="group" class="first-error" aria-label={label}>
      <Drawing program={program} diagnostic={error} />
    </div>
  );
}

/** How many values are drawn wherever they stand. */
const DRAWN_AT_ONCE = 12;

function nameOf(item: ShownItem): string {
  return item.kind === "call" ? item.name : item.value.info.name;
}

function Item({ program, item }: { program: Program; item: ShownItem }) {
  if (item.kind === "call") return <CallCard program={program} call={item} />;
  const now = program.running.outcome.value?.text ?? item.text;
  const old = item.text !== now;
  return (
    <article class={`card ${old ? "is-stale" : ""}`} aria-label={item.value.info.name}>
      <header class="card-head">
        <h2 class="card-name">{item.value.info.name}</h2>
        <LineButton program={program} line={item.line} />
      </header>
      {old && (
        <p class="stale-note">{messages.staleSince(program.lineNumber(firstChangedLine(item.text, now)))}</p>
      )}
      <ValueFigure name={null} value={item.value} role="result" summarised />
    </article>
  );
}

function Items({ program, items }: { program: Program; items: readonly ShownItem[] }) {
  const drawn = useGradually(items.length);
  return items.slice(0, drawn).map((item, index) => (
    <Nearby key={item.key} always={index < DRAWN_AT_ONCE} label={nameOf(item)}>
      {() => <Item program={program} item={item} />}
    </Nearby>
  ));
}

function Empty({ program }: { program: Program }) {
  const { checking, running, engine } = program;
  const checked = checking.latest.value;
  if (engine.value.kind !== "ready" || checked === null || running.isRunning.value) return null;
  if (program.notRun !== null) return <p class="empty">{program.notRun}</p>;
  if (checking.errors.value.length > 0) return <p class="empty">{messages.notRunErrors}</p>;
  if (running.outcome.value?.text === checked.text) {
    return (
      <div class="empty">
        <p>{messages.nothingToShow}</p>
        <p>{messages.nothingToShowHint}</p>
      </div>
    );
  }
  return <p class="empty">{program.sizing.cost.value === null ? messages.notRunYet : messages.notRunDear}</p>;
}

/** Where a program's extern functions come from, if the page has some. */
function ExternsNote({ source }: { source: ExternsSource }) {
  if (source.kind === "none") return null;
  const { kind } = source;
  return (
    <p class="externs-note">
      {kind === "module" ? messages.externsFrom(source.file) : messages.externsRefused(source.given)}
    </p>
  );
}

export function ResultTab({ program }: { program: Program }) {
  const { running, staleLine } = program;
  const outcome = running.outcome.value;
  const stopped = running.state.value.status === "stopped";
  const items = outcome?.items.filter(({ line }) => program.isOwn(line)) ?? [];
  const isEmpty = items.length === 0 && (outcome?.printed.length ?? 0) === 0;
  const staleSizes = program.hasStaleSizes.value && staleLine.value === null;
  const stale = staleLine.value !== null || staleSizes;
  return (
    <>
      <SizesStrip program={program} />
      <div class="results">
        <FirstError program={program} />
        {stopped && <p class="stale-note">{isEmpty ? messages.stoppedEmpty : messages.stopped}</p>}
        {staleLine.value !== null && items.length > 0 && (
          <p class="stale-note">{messages.staleSince(program.lineNumber(staleLine.value))}</p>
        )}
        {staleSizes && <p class="stale-note">{messages.staleSizes}</p>}
        {isEmpty && !stopped && <Empty program={program} />}
        <div class={`items ${stale ? "is-stale" : ""}`}>
          <Items program={program} items={items} />
        </div>
        <Output program={program} />
        <ExternsNote source={program.externs.value} />
      </div>
    </>
  );
}
