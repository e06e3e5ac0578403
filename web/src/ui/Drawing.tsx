import type { Program } from "../app/program";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";
import { Fixes } from "./Fixes";
import { ShareIcon } from "./icons";
import { useNarrow } from "./narrow";
import { ShapeTable } from "./ShapeTable";
import { SourceLines } from "./SourceLines";
import { plainWords, Words } from "./Words";

/** A diagnostic drawn under the lines it speaks of, with the fixes that can be applied. */
export function Drawing({ program, diagnostic }: { program: Program; diagnostic: Diagnostic }) {
  const { code, diff, notes } = diagnostic;
  const narrow = useNarrow();
  // Where little is seen at once, what to do stands right below what is wrong.
  const isHidden = program.lineNumber(diagnostic.line) === null;
  const fixes = !isHidden && <Fixes program={program} diagnostic={diagnostic} />;
  return (
    <div class={`drawing is-${diagnostic.severity}`}>
      <p class="drawing-title">
        <a
          class="drawing-code"
          href={`${program.site}codes/${code}.html`}
          target="_blank"
          rel="noopener"
          title={messages.aboutCode(code)}
        >
          {code}
        </a>
        <Words text={diagnostic.message} />
      </p>
      {isHidden && <p class="drawing-hidden">{messages.hiddenProblem}</p>}
      <SourceLines
        program={program}
        label={`${code}. ${plainWords(diagnostic.message)}`}
        rendered={diagnostic.source}
      />
      {narrow && fixes}
      {diff !== null && <ShapeTable diff={diff} speech={program.speech(diagnostic)} />}
      {notes.length > 0 && (
        <div class="drawing-notes">
          {notes.map((note) => (
            <p key={note}>
              <Words text={note} />
            </p>
          ))}
        </div>
      )}
      {!narrow && fixes}
      <button
        type="button"
        class="button quiet small drawing-share"
        onClick={() => {
          void program.share(diagnostic);
        }}
      >
        <ShareIcon />
        {messages.shareProblem}
      </button>
    </div>
  );
}
