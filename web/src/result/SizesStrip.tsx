import { useState } from "preact/hooks";
import type { Program } from "../app/program";
import type { SizeInfo } from "../engine/contract";
import { messages } from "../messages";

const SLIDER_LIMIT = 32;
const FIELD_LIMIT = 1_000_000;

function isSize(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= FIELD_LIMIT;
}

function FixedSize({ size }: { size: SizeInfo }) {
  return (
    <span class="size is-fixed">
      <span class="axis">{size.name}</span> {size.value}
    </span>
  );
}

function SizeField({ program, size }: { program: Program; size: SizeInfo }) {
  const { name } = size;
  const value = program.running.chosen.value[name] ?? size.value;
  // What is typed stands until the field is left, also while it isn't a size.
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && !isSize(Number(typed));
  const set = (next: number) => {
    if (isSize(next)) program.setSize(name, next);
  };
  return (
    <span class="size">
      <span class="axis" aria-hidden="true">
        {name}
      </span>
      <input
        class={`size-field ${value >= 10_000 ? "is-wide" : ""}`}
        type="number"
        inputMode="numeric"
        min={1}
        max={FIELD_LIMIT}
        value={typed ?? value}
        aria-label={messages.sizeOf(name)}
        aria-invalid={isWrong}
        title={isWrong ? messages.wrongSize(FIELD_LIMIT) : ""}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          set(event.currentTarget.valueAsNumber);
        }}
        onBlur={() => {
          setTyped(null);
        }}
      />
      <input
        class="size-slider"
        type="range"
        min={1}
        max={Math.max(SLIDER_LIMIT, value)}
        value={value}
        aria-label={messages.sliderOf(name)}
        onInput={(event) => {
          set(event.currentTarget.valueAsNumber);
        }}
      />
      {isWrong && <span class="size-wrong">{messages.wrongSize(FIELD_LIMIT)}</span>}
    </span>
  );
}

function FillSwitch({ program }: { program: Program }) {
  const fill = program.running.fill.value;
  return (
    <label class="fill">
      <span class="fill-label">{messages.fillLabel}</span>
      <select
        value={fill}
        onChange={(event) => {
          program.setFill(event.currentTarget.value === "normal" ? "normal" : "index");
        }}
      >
        <option value="index">{messages.fill.index}</option>
        <option value="normal">{messages.fill.normal}</option>
      </select>
    </label>
  );
}

/** The sizes of the program's axes and dims, to be changed: everything is solved and run again for them. */
export function SizesStrip({ program }: { program: Program }) {
  const { running, checking } = program;
  const checked = checking.latest.value;
  // A text that can't be read tells no sizes: those of the last run stand until it can.
  const isUnread = checked === null || (checked.check.sizes.length === 0 && checking.errors.value.length > 0);
  const sizes = isUnread ? running.sizes.value : checked.check.sizes;
  const hasArguments = checked?.check.functions.some(({ parameters }) => parameters.length > 0) ?? false;
  if (sizes.length === 0 && !hasArguments) return null;
  return (
    <div role="group" class="sizes" aria-label={messages.sizesLabel}>
      {sizes.map((size) =>
        size.changeable ? (
          <SizeField key={size.name} program={program} size={size} />
        ) : (
          <FixedSize key={size.name} size={size} />
        ),
      )}
      {Object.keys(running.chosen.value).length > 0 && (
        <button
          type="button"
          class="button quiet small"
          onClick={() => {
            program.resetSizes();
          }}
        >
          {messages.resetSizes}
        </button>
      )}
      {hasArguments && <FillSwitch program={program} />}
    </div>
  );
}
