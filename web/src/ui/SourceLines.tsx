import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { narrowed } from "./narrow-source";
import { ScrollBox } from "./ScrollBox";

/** How many characters a box has room for. */
function columnsIn(box: HTMLElement, ruler: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(box);
  const room = (box.parentElement?.clientWidth ?? 0) - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const width = ruler.getBoundingClientRect().width / RULER.length;
  return width > 0 ? Math.floor(room / width) : Infinity;
}

const RULER = "0".repeat(20);

/** The source lines of a drawing with their marks, broken where the box ends. */
export function SourceLines({ label, source }: { label: string; source: string }) {
  const box = useRef<HTMLPreElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const [columns, setColumns] = useState(Infinity);
  useLayoutEffect(() => {
    const parent = box.current?.parentElement;
    if (parent === undefined || parent === null) return;
    const measure = () => {
      if (box.current !== null && ruler.current !== null) setColumns(columnsIn(box.current, ruler.current));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(parent);
    return () => {
      observer.disconnect();
    };
  }, []);
  return (
    <ScrollBox label={label}>
      <pre ref={box}>
        {narrowed(source, columns)}
        <span class="ruler" ref={ruler} aria-hidden="true">
          {RULER}
        </span>
      </pre>
    </ScrollBox>
  );
}
