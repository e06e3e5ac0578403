import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { Editor } from "../editor/editor";
import { BakedText } from "./BakedText";
import { DrawnProblem } from "./DrawnProblem";

/** The place of the editor. It is made once; the page's state never redraws it. */
export function EditorPane({ playground }: { playground: Playground }) {
  const host = useRef<HTMLDivElement>(null);
  const [attached, setAttached] = useState(false);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const editor = new Editor(host.current, {
      text: playground.text.peek(),
      selection: playground.selection,
      onChange: (text) => {
        playground.edited(text);
      },
      onCaret: (offset) => {
        playground.caretMoved(offset);
      },
      onFocus: (focused) => {
        playground.typing.value = focused;
      },
      onPoint: (offset) => {
        playground.pointed.value = offset;
      },
      problems: {
        apply: (fix) => {
          playground.applyFix(fix);
        },
        open: (problem) => {
          playground.openDrawing(problem);
        },
        close: () => playground.closeDrawing(),
        enter: () => {
          playground.enterDrawing.value++;
        },
      },
      complete: (text, offset) => playground.checking.complete(text, offset),
      hover: (text, offset) => playground.checking.hover(text, offset),
    });
    playground.attach(editor);
    setAttached(true);
  }, [playground]);
  return (
    <div class="editor" ref={host}>
      {!attached && <BakedText playground={playground} />}
      <DrawnProblem playground={playground} />
    </div>
  );
}
