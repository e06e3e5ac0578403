/** The drawing that is open in the editor, beneath the line it speaks of. */
import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../app/playground";
import { DRAWN_SLOT } from "../editor/drawn";
import { messages } from "../messages";
import { Drawing } from "./Drawing";
import { CloseIcon } from "./icons";
import { isNarrow } from "./narrow";

/** Stands in the editor's light tree, so that the page's own styles reach it; the editor gives it its place. */
export function DrawnProblem({ playground }: { playground: Playground }) {
  const diagnostic = playground.drawn.value;
  const box = useRef<HTMLElement>(null);
  const place = diagnostic === null ? null : `${diagnostic.code} ${diagnostic.line}`;

  useEffect(() => {
    const element = box.current;
    if (place === null || element === null) return;
    let seen = false;
    const observer = new ResizeObserver(() => {
      playground.drawingResized(element.offsetHeight);
      if (!seen) element.scrollIntoView({ block: isNarrow() ? "start" : "nearest" });
      seen = true;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [place, playground]);

  useEffect(() => {
    if (playground.enterDrawing.value === 0) return;
    const element = box.current;
    (element?.querySelector<HTMLElement>(".fix-look") ?? element)?.focus();
  }, [playground.enterDrawing.value, playground]);

  if (diagnostic === null) return null;
  return (
    <section
      slot={DRAWN_SLOT}
      class="drawn"
      aria-label={messages.drawnLabel(diagnostic.code, diagnostic.line)}
      tabIndex={-1}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        playground.closeDrawing();
      }}
    >
      <button
        type="button"
        class="button quiet square small drawn-close"
        aria-label={messages.closeDrawing}
        onClick={() => {
          playground.closeDrawing();
        }}
      >
        <CloseIcon />
      </button>
      <Drawing
        key={`${diagnostic.code} ${diagnostic.range.from}`}
        program={playground}
        diagnostic={diagnostic}
      />
    </section>
  );
}
