import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  label: string;
  class: string;
  tabs: readonly { id: T; label: ComponentChildren }[];
  selected: T;
  /** The panel that a tab shows. */
  panel: (id: T) => string;
  onSelect: (id: T) => void;
}

/** A row of tabs: one stop of the Tab key, the arrows move among them. */
export function Tabs<T extends string>({
  label,
  tabs,
  selected,
  panel,
  onSelect,
  class: name,
}: TabsProps<T>) {
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === selected);
    const next = (index + step + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab === undefined) return;
    onSelect(tab.id);
    row.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class={name} role="tablist" aria-label={label} ref={row} onKeyDown={move}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={id === selected}
          aria-controls={panel(id)}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => {
            onSelect(id);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
