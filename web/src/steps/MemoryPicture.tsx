/** A value's memory: its block as cells, coloured by the element that lies there, beside the value itself. */
import { useEffect, useState } from "preact/hooks";
import type { Outcome, ShownValue } from "../app/outcome";
import type { LastRun } from "../app/running";
import type { MemoryInfo } from "../engine/contract";
import { isGone } from "../engine/failures";
import { messages } from "../messages";
import { chooseFormat, formatNumber } from "../result/format-number";
import { isNarrow } from "../ui/narrow";
import { ScrollBox } from "../ui/ScrollBox";
import { cells, elementsOf, formula, indices } from "./memory-map";

/** Larger values are described, not drawn. */
const MOST_ELEMENTS = 256;
/** Cells in a row of the block, on a wide page and on a phone. */
const ROW = 16;
const NARROW_ROW = 6;
/** The colours are so many classes. */
const HUES = 16;

interface Choice {
  key: string;
  label: string;
  value: ShownValue;
}

/** The tensors of the last run, by what they are called. */
function choices(outcome: Outcome, last: LastRun): Choice[] {
  const found: Choice[] = [];
  const add = (label: string, value: ShownValue) => {
    if (value.info.host === null && value.source === last.values) {
      found.push({ key: String(value.info.id), label, value });
    }
  };
  for (const item of outcome.items) {
    if (item.kind === "value") add(item.value.info.name, item.value);
    else {
      for (const argument of item.arguments) add(`${item.name}: ${argument.info.name}`, argument);
      if (item.result !== null) add(`${item.name}: ${messages.result}`, item.result);
    }
  }
  return found;
}

function useMemory(last: LastRun, id: number | null): MemoryInfo | null {
  const [fetched, setFetched] = useState<{ of: LastRun; id: number; memory: MemoryInfo } | null>(null);
  useEffect(() => {
    if (id === null) return;
    let current = true;
    last.values
      .ask("memory", [id])
      .then((memory) => {
        if (current) setFetched({ of: last, id, memory });
      })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    return () => {
      current = false;
    };
  }, [last, id]);
  return fetched?.of === last && fetched.id === id ? fetched.memory : null;
}

/** The class of an element's colour: elements after each other in the value have colours beside each other. */
function hue(place: number, count: number): string {
  return `hue-${Math.floor((place * HUES) / Math.max(count, 1))}`;
}

interface Drawn {
  memory: MemoryInfo;
  dtype: string;
  /** The element that is looked at, by its place in C order. */
  at: number | null;
  onLook: (place: number | null) => void;
}

/** Rows of the value: its last axis across, all others down. */
function ValueCells({ memory, dtype, at, onLook }: Drawn) {
  const all = indices(memory.shape);
  const map = cells(memory);
  const across = memory.shape.at(-1) ?? 1;
  const rows = Math.ceil(all.length / Math.max(across, 1));
  const format = chooseFormat([...memory.items], dtype);
  return (
    <table class="memory-table">
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          <tr key={row}>
            {all.slice(row * across, (row + 1) * across).map((index, column) => {
              const place = row * across + column;
              return (
                <td
                  key={place}
                  class={`memory-cell ${hue(place, all.length)} ${at === place ? "is-looked-at" : ""}`}
                >
                  <button
                    type="button"
                    title={`[${index.join(", ")}]: ${formula(memory, index)}`}
                    onClick={() => {
                      onLook(at === place ? null : place);
                    }}
                    onMouseEnter={() => {
                      onLook(place);
                    }}
                  >
                    {formatNumber(memory.items[map[place] ?? 0] ?? NaN, format)}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The block from its first byte to its last. */
function BlockCells({ memory, dtype, at, onLook }: Drawn) {
  const row = isNarrow() ? NARROW_ROW : ROW;
  const map = cells(memory);
  const lying = elementsOf(map, memory.items.length);
  const looked = at === null ? null : (map[at] ?? null);
  const rows = Math.ceil(memory.items.length / row);
  const format = chooseFormat([...memory.items], dtype);
  const first = memory.offset % memory.item;
  return (
    <table class="memory-table is-block">
      <tbody>
        {Array.from({ length: rows }, (_, down) => (
          <tr key={down}>
            <th scope="row">{down * row * memory.item + first}</th>
            {[...memory.items.slice(down * row, (down + 1) * row)].map((value, column) => {
              const cell = down * row + column;
              const here = lying[cell] ?? [];
              const [place] = here;
              const colour = place === undefined ? "is-unused" : hue(place, map.length);
              return (
                <td key={cell} class={`memory-cell ${colour} ${looked === cell ? "is-looked-at" : ""}`}>
                  <button
                    type="button"
                    disabled={place === undefined}
                    title={messages.cellHolds(cell * memory.item + first, here.length)}
                    onClick={() => {
                      onLook(place ?? null);
                    }}
                    onMouseEnter={() => {
                      onLook(place ?? null);
                    }}
                  >
                    {formatNumber(value, format)}
                    {here.length > 1 && <span class="memory-times">×{here.length}</span>}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function facts(memory: MemoryInfo, others: readonly string[]): string[] {
  const order = memory.cContiguous
    ? messages.inOrder
    : memory.fContiguous
      ? messages.inFortranOrder
      : messages.notInOrder;
  const tuple = (numbers: readonly number[]) => `(${numbers.join(", ").replaceAll("-", "−")})`;
  return [
    messages.memoryLayout(tuple(memory.shape), tuple(memory.strides), memory.offset, memory.item),
    order,
    memory.isView ? messages.isView : messages.ownsMemory,
    ...(others.length > 0 ? [messages.sharesWith(others.join(", "))] : []),
  ];
}

function Picture({
  memory,
  dtype,
  others,
}: {
  memory: MemoryInfo;
  dtype: string;
  others: readonly string[];
}) {
  const [at, setAt] = useState<number | null>(null);
  const all = memory.shape.reduce((product, size) => product * size, 1);
  const small = all <= MOST_ELEMENTS && memory.items.length > 0 && all > 0;
  const index = at === null || !small ? null : (indices(memory.shape)[at] ?? null);
  const look = (place: number | null) => {
    setAt(place);
  };
  return (
    <>
      <ul class="memory-facts">
        {facts(memory, others).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {small ? (
        <div class="memory-pictures">
          <figure>
            <figcaption>{messages.theValue}</figcaption>
            <ScrollBox label={messages.theValue}>
              <ValueCells memory={memory} dtype={dtype} at={at} onLook={look} />
            </ScrollBox>
          </figure>
          <figure>
            <figcaption>{messages.theBlock(memory.bytes)}</figcaption>
            <ScrollBox label={messages.theBlock(memory.bytes)}>
              <BlockCells memory={memory} dtype={dtype} at={at} onLook={look} />
            </ScrollBox>
          </figure>
          <p class="memory-formula" role="status">
            {index === null ? messages.lookAtElement : `[${index.join(", ")}]: ${formula(memory, index)}`}
          </p>
        </div>
      ) : (
        <p class="empty">{all === 0 ? messages.emptyValue : messages.memoryTooLarge(MOST_ELEMENTS)}</p>
      )}
    </>
  );
}

export function MemoryPicture({ outcome, last }: { outcome: Outcome; last: LastRun }) {
  const all = choices(outcome, last);
  const [chosen, setChosen] = useState<string | null>(null);
  const choice = all.find(({ key }) => key === chosen) ?? all.at(-1) ?? null;
  const memory = useMemory(last, choice === null ? null : choice.value.info.id);
  if (choice === null) return null;
  const others = (memory?.sharedWith ?? []).flatMap(
    (id) => all.find(({ key }) => key === String(id))?.label ?? [],
  );
  return (
    <section class="memory" aria-labelledby="memory-title">
      <h2 class="steps-of" id="memory-title">
        {messages.memoryTitle}
      </h2>
      <label class="memory-choice">
        {messages.memoryOf}{" "}
        <select
          value={choice.key}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
          }}
        >
          {all.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {memory !== null && (
        <Picture key={choice.key} memory={memory} dtype={choice.value.info.dtype} others={others} />
      )}
    </section>
  );
}
