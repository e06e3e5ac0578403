import { useEffect, useState } from "preact/hooks";

/** The media query of a page that shows one part at a time. */
export const NARROW = "(max-width: 640px)";

/** Whether the page shows one part at a time. */
export function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}

/** The same, followed. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => typeof window !== "undefined" && isNarrow());
  useEffect(() => {
    const query = window.matchMedia(NARROW);
    const follow = () => {
      setNarrow(query.matches);
    };
    query.addEventListener("change", follow);
    return () => {
      query.removeEventListener("change", follow);
    };
  }, []);
  return narrow;
}
