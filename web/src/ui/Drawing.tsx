import type { Playground } from "../app/playground";
import type { Diagnostic, Fix } from "../engine/contract";
import { messages } from "../messages";
import { ScrollBox } from "./ScrollBox";

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
      <span class="fix-apply">{messages.apply}</span>
    </button>
  );
}

/** The drawing, less the lines that tell of the fixes: those stand below it as buttons. */
function withoutFixes({ rendered, fixes }: Diagnostic): string {
  if (fixes.length === 0) return rendered;
  return rendered.replace(/^ +Fix \d+ .*\n?/gm, "");
}

/** A diagnostic drawn under the lines it speaks of, with the fixes that can be applied. */
export function Drawing({ playground, diagnostic }: { playground: Playground; diagnostic: Diagnostic }) {
  return (
    <div class="drawing">
      <ScrollBox label={`${diagnostic.code}. ${diagnostic.message}`}>
        <pre>{withoutFixes(diagnostic)}</pre>
      </ScrollBox>
      {diagnostic.fixes.length > 0 && (
        <ul class="fix-list">
          {diagnostic.fixes.map((fix) => (
            <li key={fix.title}>
              <FixButton playground={playground} fix={fix} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
