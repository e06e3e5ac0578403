import type { ValueInfo } from "../engine/contract";
import { messages } from "../messages";

interface OuterPickerProps {
  info: ValueInfo;
  position: readonly number[];
  onChange: (position: number[]) => void;
}

/** Which slice of a value of rank 3 and more is shown: a position on each axis before the last two. */
export function OuterPicker({ info, position, onChange }: OuterPickerProps) {
  return (
    <div class="outer">
      {position.map((at, index) => {
        const size = info.shape[index] ?? 1;
        const name = info.axes[index] ?? `axis ${index}`;
        const set = (next: number) => {
          if (!Number.isInteger(next) || next < 0 || next >= size) return;
          onChange(position.map((old, axis) => (axis === index ? next : old)));
        };
        return (
          <label class="outer-axis" key={index}>
            <span class="axis">{name}</span>
            <input
              type="range"
              min={0}
              max={size - 1}
              value={at}
              aria-label={messages.positionOn(name)}
              onInput={(event) => {
                set(event.currentTarget.valueAsNumber);
              }}
            />
            <span class="outer-position">
              {at} / {size - 1}
            </span>
          </label>
        );
      })}
    </div>
  );
}
