import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Program } from "../app/program";
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

/** Stands in place of the number of a line that isn't shown. */
const HIDDEN = "~";

/** What a problem is drawn with, below its first line, by the numbers that the reader sees. */
function linesOf(program: Program, rendered: string): string {
  return rendered
    .split("\n")
    .slice(1)
    .map((line) =>
      line.replace(/^( *)(\d+)(?= │)/, (_, space: string, number: string) => {
        const named = String(program.lineNumber(Number(number)) ?? HIDDEN);
        return named.padStart(space.length + number.length);
      }),
    )
    .join("\n");
}

interface SourceLinesProps {
  program: Program;
  label: string;
  /** The problem as text; its first line says what is wrong, and stands elsewhere, where it can wrap. */
  rendered: string;
}

/** The source lines of a drawing with their marks, cut to what the box has room for. */
export function SourceLines({ program, label, rendered }: SourceLinesProps) {
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
        {narrowed(linesOf(program, rendered), columns)}
        <span class="ruler" ref={ruler} aria-hidden="true">
          {RULER}
        </span>
      </pre>
    </ScrollBox>
  );
}
