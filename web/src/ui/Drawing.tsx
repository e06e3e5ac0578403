import type { Playground } from "../app/playground";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";
import { Fixes } from "./Fixes";
import { ShareIcon } from "./icons";
import { ScrollBox } from "./ScrollBox";
import { ShapeTable } from "./ShapeTable";

/** A diagnostic drawn under the lines it speaks of, with the fixes that can be applied. */
export function Drawing({ playground, diagnostic }: { playground: Playground; diagnostic: Diagnostic }) {
  const { code, diff, notes } = diagnostic;
  // Its first line says what stands above it here, where it can wrap.
  const lines = diagnostic.source.split("\n").slice(1).join("\n");
  return (
    <div class={`drawing is-${diagnostic.severity}`}>
      <p class="drawing-title">
        <a
          class="drawing-code"
          href={`codes/${code}.html`}
          target="_blank"
          rel="noopener"
          title={messages.aboutCode(code)}
        >
          {code}
        </a>
        {diagnostic.message}
      </p>
      <ScrollBox label={`${code}. ${diagnostic.message}`}>
        <pre>{lines}</pre>
      </ScrollBox>
      {diff !== null && <ShapeTable diff={diff} speech={diagnostic.speech} />}
      {notes.length > 0 && (
        <div class="drawing-notes">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
      )}
      <Fixes playground={playground} diagnostic={diagnostic} />
      <button
        type="button"
        class="button quiet small drawing-share"
        onClick={() => {
          void playground.share(diagnostic);
        }}
      >
        <ShareIcon />
        {messages.shareProblem}
      </button>
    </div>
  );
}
