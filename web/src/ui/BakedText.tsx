import { useMemo } from "preact/hooks";
import type { Playground } from "../app/playground";
import { colouredLines } from "../editor/highlight";
import { messages } from "../messages";

/** The program as it stands in the editor, until the editor is there: it can be read, and nothing more. */
export function BakedText({ playground }: { playground: Playground }) {
  const text = playground.text.peek();
  const lines = useMemo(() => colouredLines(text), [text]);
  const inlays = playground.checking.latest.peek()?.check.inlays ?? [];
  let end = -1;
  return (
    <div class="baked" role="group" aria-label={messages.editorLabel}>
      {lines.map((pieces, index) => {
        end += pieces.reduce((length, piece) => length + piece.text.length, 1);
        const at = end;
        return (
          <div class="baked-line" key={index}>
            <span class="baked-number" aria-hidden="true">
              {index + 1}
            </span>
            <code>
              {pieces.map((piece, place) => (
                <span key={place} class={piece.kind === null ? "" : `code-${piece.kind}`}>
                  {piece.text}
                </span>
              ))}
              {inlays
                .filter(({ position }) => position === at)
                .map((inlay) => (
                  <span class="baked-inlay" key={inlay.position} aria-hidden="true">
                    {inlay.text}
                  </span>
                ))}
            </code>
          </div>
        );
      })}
    </div>
  );
}
