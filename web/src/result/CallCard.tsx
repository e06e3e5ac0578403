import type { Program } from "../app/program";
import { firstChangedLine, type ShownCall } from "../app/outcome";
import { messages } from "../messages";
import { SourceLines } from "../ui/SourceLines";
import { plainWords, Words } from "../ui/Words";
import { LineButton } from "./LineButton";
import { summaryText, ValueFigure } from "./ValueFigure";

/** The axis that runs down in one of the values, if a value with that axis alone should run down beside it. */
function rowsAxis(call: ShownCall): string | null {
  const values = call.result === null ? call.arguments : [...call.arguments, call.result];
  const table = values.find(({ info }) => info.axes.length === 2 && info.axes[0] !== null);
  return table?.info.axes[0] ?? null;
}

/** A function with its sample arguments and what it gave for them. */
export function CallCard({ program, call }: { program: Program; call: ShownCall }) {
  const checked = program.checking.latest.value;
  const declared = checked?.check.functions.find(({ name }) => name === call.name);
  const signature = declared?.signature ?? call.name;
  const caret = program.caret.value;
  const atCaret = declared !== undefined && declared.range.from <= caret && caret <= declared.range.to;
  const down = rowsAxis(call);
  const old = call.skipped !== null && checked !== null && call.result !== null;
  return (
    <article class={`card ${old ? "is-stale" : ""} ${atCaret ? "is-at-caret" : ""}`} aria-label={call.name}>
      <header class="card-head">
        <h2 class="card-name">{signature}</h2>
        <LineButton program={program} line={call.line} />
      </header>
      {call.skipped !== null && <p class="card-note">{messages.skipped(call.name, call.skipped)}</p>}
      {old && (
        <p class="stale-note">
          {messages.staleSince(program.lineNumber(firstChangedLine(call.text, checked.text)))}
        </p>
      )}
      {call.error !== null && (
        <div class="drawing">
          <p class="drawing-title">
            <span class="drawing-code">{call.error.code}</span>
            <Words text={call.error.message} />
          </p>
          <SourceLines
            program={program}
            label={plainWords(call.error.message)}
            rendered={call.error.rendered}
          />
        </div>
      )}
      {call.result !== null && call.result.info.summary !== null && (
        <p class="card-summary">
          {messages.result}: {summaryText(call.result.info, call.result.info.summary)}
        </p>
      )}
      <div class="figures">
        {call.arguments.map((value) => (
          <ValueFigure
            key={value.info.name}
            name={value.info.name}
            value={value}
            role="argument"
            down={down}
          />
        ))}
        {call.result !== null && (
          <div class="gives">
            {call.arguments.length > 0 && (
              <span class="arrow" aria-hidden="true">
                →
              </span>
            )}
            <ValueFigure name={messages.result} value={call.result} role="result" down={down} />
          </div>
        )}
      </div>
    </article>
  );
}
