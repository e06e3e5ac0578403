import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** How far outside of what is seen something is drawn already. */
const MARGIN = "800px";

interface NearbyProps {
  /** Drawn in any case. */
  always: boolean;
  /** What it is, for whoever comes to its place before it is drawn. */
  label: string;
  children: () => ComponentChildren;
}

/**
 * Draws its content once it comes near what is seen: a run of a long program gives a hundred values after each key, and
 * drawing them all again would hold up the typing.
 */
export function Nearby({ always, label, children }: NearbyProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  const shown = always || near;
  useEffect(() => {
    const element = place.current;
    if (shown || element === null) return;
    // The margin of boxes that scroll inside the page is younger than the observer.
    const options: IntersectionObserverInit & { scrollMargin: string } = { scrollMargin: MARGIN };
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    }, options);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [shown]);
  if (shown) return <>{children()}</>;
  return (
    <div class="card is-far" ref={place}>
      {label}
    </div>
  );
}
