/** The fixes of a diagnostic: what each one would change is seen before it is made. */
import { useId, useState } from "preact/hooks";
import type { Program } from "../app/program";
import { previewOf } from "../app/preview";
import type { Diagnostic, Fix } from "../engine/contract";
import { messages } from "../messages";
import { useNarrow } from "./narrow";
import { plainWords, Words } from "./Words";

/** A fix in one line: what it does, the type it gives, and what makes it. */
function FixRow(props: {
  fix: Fix;
  open: boolean;
  previewId: string;
  /** Whether it can be made here. */
  canApply: boolean;
  onLook: () => void;
  onApply: () => void;
}) {
  const { fix, open, previewId, canApply, onLook, onApply } = props;
  return (
    <div class={`fix ${open ? "is-open" : ""}`} onPointerEnter={onLook} onFocusIn={onLook}>
      <button type="button" class="fix-look" aria-expanded={open} aria-controls={previewId} onClick={onLook}>
        <span class="hidden-text">{messages.fix} </span>
        <span class="fix-title">
          <Words text={fix.title} />
        </span>
        {fix.type !== null && <span class="fix-type">{messages.gives(fix.type)}</span>}
        {fix.meaning !== null && (
          <span class="fix-meaning">
            <Words text={fix.meaning} />
          </span>
        )}
      </button>
      {canApply && (
        <button
          type="button"
          class="fix-apply"
          aria-label={messages.applyFix(plainWords(fix.title))}
          {...(open ? { "aria-describedby": previewId } : {})}
          onClick={onApply}
        >
          {messages.apply}
        </button>
      )}
    </div>
  );
}

/** The changed lines; `numbered` says what the reader calls a line. */
function Preview(props: {
  text: string;
  fix: Fix | undefined;
  id: string;
  numbered: (line: number) => number | null;
}) {
  const { text, fix, id, numbered } = props;
  const margin = (line: number, index: number) => {
    const first = numbered(line);
    return (first === null ? "" : String(first + index)).padStart(3);
  };
  if (fix === undefined) return <div id={id} hidden />;
  return (
    <div class="fix-preview" id={id}>
      {previewOf(text, fix.edits).map(({ line, before, after }) => (
        <pre key={line}>
          {before.map((old, index) => (
            <del key={index}>{`${margin(line, index)} − ${old}\n`}</del>
          ))}
          {after.map((next, index) => (
            <ins key={index}>{`${margin(line, index)} + ${next}\n`}</ins>
          ))}
        </pre>
      ))}
    </div>
  );
}

/** A list of fixes with the preview of the one that is pointed at, focused or tapped. */
export function Fixes({ program, diagnostic }: { program: Program; diagnostic: Diagnostic }) {
  const [looked, setLooked] = useState<number | null>(null);
  const previewId = useId();
  // Where the list is higher than the screen, a preview stands right below its own fix.
  const narrow = useNarrow();
  const checked = program.checking.latest.value;
  if (diagnostic.fixes.length === 0) return null;
  const isCurrent = checked !== null && checked.text === program.text.value;
  const preview = (
    <Preview
      text={checked?.text ?? ""}
      fix={isCurrent && looked !== null ? diagnostic.fixes[looked] : undefined}
      id={previewId}
      numbered={(line) => program.lineNumber(line)}
    />
  );
  return (
    <div class="fixes">
      <ul class="fix-list">
        {diagnostic.fixes.map((fix, index) => (
          <li key={fix.title}>
            <FixRow
              fix={fix}
              open={isCurrent && looked === index}
              previewId={previewId}
              canApply={program.canEdit}
              onLook={() => {
                setLooked(index);
              }}
              onApply={() => {
                program.applyFix(fix);
              }}
            />
            {narrow && looked === index && preview}
          </li>
        ))}
      </ul>
      {(!narrow || looked === null) && preview}
      {diagnostic.checked !== null && <p class="fix-checked">{diagnostic.checked}</p>}
    </div>
  );
}
