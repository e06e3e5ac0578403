import { useEffect, useState } from "preact/hooks";

/** So many parts of a list are drawn in one go. */
const STEP = 100;

/** How many parts of a list of `all` are to be drawn by now: a long one grows step by step, and holds up nobody. */
export function useGradually(all: number): number {
  const [drawn, setDrawn] = useState(STEP);
  useEffect(() => {
    const wanted = all > drawn ? drawn + STEP : Math.max(all, STEP);
    if (wanted === drawn) return;
    const timer = setTimeout(() => {
      setDrawn(wanted);
    });
    return () => {
      clearTimeout(timer);
    };
  }, [all, drawn]);
  return Math.min(all, drawn);
}
