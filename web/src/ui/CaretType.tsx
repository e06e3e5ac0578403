import { useEffect, useState } from "preact/hooks";
import type { Playground } from "../app/playground";

const TYPE_AFTER_MS = 200;

/** The type at the caret, for those who don't point with a mouse. */
export function CaretType({ playground }: { playground: Playground }) {
  const [type, setType] = useState("");
  const caret = playground.caret.value;
  const text = playground.checking.latest.value?.text;
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      if (text === undefined || text !== playground.text.peek()) return;
      void playground.checking.hover(text, caret).then((hover) => {
        if (current) setType(hover?.type ?? "");
      });
    }, TYPE_AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [caret, text, playground]);
  return <span class="caret-type">{type}</span>;
}
