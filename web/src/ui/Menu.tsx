import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ChevronIcon } from "./icons";

interface MenuProps {
  label: string;
  /** What opens below the button; `close` is called by whatever was chosen there, and gives the button the focus. */
  children: (close: () => void) => ComponentChildren;
  onOpen?: () => void;
  /** Stands in place of the label, which is then only read out. */
  icon?: ComponentChildren;
  /** Whether the list ends where the button ends. */
  end?: boolean;
}

/** The item that a key of the list leads to from the focused one; -1 stands for the button above the list. */
function nextItem(key: string, at: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, count - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** A button with a list of buttons below it. Arrows, Home and End move in it; Escape and a click elsewhere close it. */
export function Menu({ label, children, onOpen, icon, end = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** Whether the list takes the focus when it opens. */
  const enters = useRef(false);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) {
      close();
      return;
    }
    if (!open && event.key !== "ArrowDown") return;
    const items = [...(box.current?.querySelectorAll<HTMLElement>(".menu-item") ?? [])];
    const at = items.findIndex((item) => item === document.activeElement);
    const next = nextItem(event.key, at, items.length);
    if (next === null) return;
    event.preventDefault();
    if (open) items[next]?.focus();
    else show(true);
  };
  const show = (first: boolean) => {
    onOpen?.();
    setOpen(true);
    enters.current = first;
  };

  useEffect(() => {
    if (!open) return;
    if (enters.current) box.current?.querySelector<HTMLElement>(".menu-item")?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);

  return (
    <div class="menu" ref={box} onKeyDown={keys}>
      <button
        type="button"
        class={`button quiet ${icon === undefined ? "" : "square"}`}
        ref={button}
        {...(icon === undefined ? {} : { "aria-label": label, title: label })}
        aria-expanded={open}
        onClick={() => {
          if (open) setOpen(false);
          else show(false);
        }}
      >
        {icon ?? (
          <>
            {label}
            <ChevronIcon />
          </>
        )}
      </button>
      {open && <div class={`menu-list ${end ? "is-end" : ""}`}>{children(close)}</div>}
    </div>
  );
}
