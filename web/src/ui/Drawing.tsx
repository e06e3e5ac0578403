import type { Playground } from "../app/playground";
import type { Diagnostic, Fix } from "../engine/contract";
import { messages } from "../messages";
import { ScrollBox } from "./ScrollBox";
import { ShapeTable } from "./ShapeTable";

function FixButton({ playground, fix }: { playground: Playground; fix: Fix }) {
  const isCurrent = playground.checking.latest.value?.text === playground.text.value;
  return (
    <button
      type="button"
      class="fix"
      disabled={!isCurrent}
      onClick={() => {
        playground.applyFix(fix);
      }}
    >
      <span class="hidden-text">{messages.fix}</span>
      <span class="fix-title">{fix.title}</span>
      {fix.type !== null && <span class="fix-type">{fix.type}</span>}
      {fix.meaning !== null && <span class="fix-meaning">{fix.meaning}</span>}
      <span class="fix-apply">{messages.apply}</span>
    </button>
  );
}

/** A diagnostic drawn under the lines it speaks of, with the fixes that can be applied. */
export function Drawing({ playground, diagnostic }: { playground: Playground; diagnostic: Diagnostic }) {
  const { diff, notes, fixes, checked } = diagnostic;
  return (
    <div class="drawing">
      <ScrollBox label={`${diagnostic.code}. ${diagnostic.message}`}>
        <pre>{diagnostic.source}</pre>
      </ScrollBox>
      {diff !== null && <ShapeTable diff={diff} speech={diagnostic.speech} />}
      {notes.length > 0 && (
        <div class="drawing-notes">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      )}
      {fixes.length > 0 && (
        <ul class="fix-list">
          {fixes.map((fix) => (
            <li key={fix.title}>
              <FixButton playground={playground} fix={fix} />
            </li>
          ))}
          {checked !== null && <li class="fix-checked">{checked}</li>}
        </ul>
      )}
    </div>
  );
}
