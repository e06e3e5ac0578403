import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ChevronIcon } from "./icons";

interface MenuProps {
  label: string;
  /** What opens below the button; `close` is called by whatever was chosen there. */
  children: (close: () => void) => ComponentChildren;
  onOpen?: () => void;
}

/** A button with a list of buttons below it. Escape and a click elsewhere close it. */
export function Menu({ label, children, onOpen }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
  };

  useEffect(() => {
    if (!open) return;
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
    <div
      class="menu"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        close();
        button.current?.focus();
      }}
    >
      <button
        type="button"
        class="button quiet"
        ref={button}
        aria-expanded={open}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      >
        {label}
        <ChevronIcon />
      </button>
      {open && <div class="menu-list">{children(close)}</div>}
    </div>
  );
}
