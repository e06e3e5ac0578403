import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ChevronIcon } from "./icons";

interface MenuProps {
  label: string;
  /** What opens below the button; `close` is called by whatever was chosen there. */
  children: (close: () => void) => ComponentChildren;
  onOpen?: () => void;
  /** Stands in place of the label, which is then only read out. */
  icon?: ComponentChildren;
  /** Whether the list ends where the button ends. */
  end?: boolean;
}

/** A button with a list of buttons below it. Escape and a click elsewhere close it. */
export function Menu({ label, children, onOpen, icon, end = false }: MenuProps) {
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
        class={`button quiet ${icon === undefined ? "" : "square"}`}
        ref={button}
        {...(icon === undefined ? {} : { "aria-label": label, title: label })}
        aria-expanded={open}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
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
