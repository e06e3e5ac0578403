import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface ScrollBoxProps {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A box that scrolls where its content is wider, and can then be reached and scrolled by keyboard. */
export function ScrollBox({ label, class: name = "", children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      setScrolls(
        element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1,
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => {
      observer.disconnect();
    };
  }, []);
  const reach = scrolls ? { tabIndex: 0, role: "group" as const, "aria-label": label } : {};
  return (
    <div class={`scroll-box ${name}`} ref={box} {...reach}>
      {children}
    </div>
  );
}
