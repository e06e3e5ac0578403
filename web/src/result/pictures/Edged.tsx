/** Cells with the names of their axes on the edges. */
import type { ComponentChildren } from "preact";
import type { ValueInfo } from "../../engine/contract";
import type { Cells } from "./cells";

interface EdgedProps {
  info: Pick<ValueInfo, "axes">;
  cells: Cells;
  children: ComponentChildren;
}

export function Edged({ info, cells, children }: EdgedProps) {
  const right = cells.colored ? -2 : -1;
  return (
    <div class="levels">
      <span class="levels-right">
        <span class="axis">{info.axes.at(right) ?? ""}</span> →
      </span>
      <span class="levels-down">
        <span class="axis">{info.axes.at(right - 1) ?? ""}</span> ↓
      </span>
      {children}
    </div>
  );
}
