/** A value: its name and type, its numbers, and what can be said of all of them in one line. */
import { useEffect, useState } from "preact/hooks";
import { copyText, download } from "../app/sharing";
import type { ShownValue } from "../app/outcome";
import { hasPicture, type Summary, type ValueInfo } from "../engine/contract";
import { isGone } from "../engine/failures";
import { messages } from "../messages";
import { CopyIcon, DownloadIcon } from "../ui/icons";
import { ScrollBox } from "../ui/ScrollBox";
import { LineChart } from "./Charts";
import { formatShape, formatSingle } from "./format-number";
import { gridOf, type Grid } from "./grid";
import { GridTable } from "./GridTable";
import { OuterPicker } from "./OuterPicker";
import { Picture } from "./pictures/Picture";
import { valueText } from "./value-text";
import { rectangles, windowPlan } from "./window-plan";

const MOST_BARS = 32;

interface ValueFigureProps {
  /** What it is called; null where that already stands above it. */
  name: string | null;
  value: ShownValue;
  role: "argument" | "result";
  /** The name of an axis that is drawn downwards where it is a value's only one. */
  down?: string | null;
  /** Says what there is to say of all the numbers: least, greatest, mean. */
  summarised?: boolean;
}

/** Parts that lines may break between, but not within. */
function joined(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part) => part.replaceAll(" ", "\u00a0"))
    .join(" · ");
}

function formText(info: ValueInfo): string {
  return joined([info.dtype, formatShape(info.shape)]);
}

/** Dtype, shape, least, greatest and mean, and how many are not numbers. */
export function summaryText(info: ValueInfo, summary: Summary): string {
  const parts = [info.dtype, formatShape(info.shape)];
  if (info.dtype !== "bool" && summary.count > 1) {
    if (summary.min !== null) parts.push(`min ${formatSingle(summary.min)}`);
    if (summary.max !== null) parts.push(`max ${formatSingle(summary.max)}`);
    if (summary.mean !== null) parts.push(`mean ${formatSingle(summary.mean)}`);
  }
  if (info.dtype === "bool" && summary.mean !== null) {
    parts.push(messages.trueCount(Math.round(summary.mean * summary.count), summary.count));
  }
  if (summary.nan > 0) parts.push(messages.nanCount(summary.nan));
  if (summary.infinite > 0) parts.push(messages.infiniteCount(summary.infinite));
  return joined(parts);
}

/** The grid at a position of the outer axes: the one that came with the run, or fetched from its worker. */
function useGrid(value: ShownValue, outer: readonly number[]): { grid: Grid | null; gone: boolean } {
  const { info, source } = value;
  const isFirst = outer.every((position) => position === 0);
  const [fetched, setFetched] = useState<{ key: string; grid: Grid } | null>(null);
  const [gone, setGone] = useState(false);
  const key = `${info.id} ${outer.join(" ")}`;
  useEffect(() => {
    if (isFirst) return;
    let current = true;
    source
      .ask("windows", [info.id, [...outer], rectangles(windowPlan(info.shape))])
      .then((slices) => {
        if (current) setFetched({ key, grid: gridOf(info.shape, slices) });
      })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
        if (current) setGone(true);
      });
    return () => {
      current = false;
    };
  }, [key, source]);
  if (isFirst) return { grid: value.grid, gone: false };
  return { grid: fetched?.key === key ? fetched.grid : (fetched?.grid ?? value.grid), gone };
}

function Actions({ value, grid }: { value: ShownValue; grid: Grid }) {
  const [note, setNote] = useState("");
  const { info, source } = value;
  const name = info.name === "" ? "value" : info.name;
  const copy = async () => {
    setNote((await copyText(valueText(info, grid))) ? messages.copied : messages.copyRefused);
  };
  const save = async () => {
    try {
      download(`${name}.npy`, await source.ask("npy", [info.id]), "application/octet-stream");
    } catch (error) {
      if (!isGone(error)) throw error;
      setNote(messages.valuesGone);
    }
  };
  useEffect(() => {
    if (note === "") return;
    const timer = setTimeout(() => {
      setNote("");
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  }, [note]);
  return (
    <span class="figure-actions">
      <span role="status" class="figure-note">
        {note}
      </span>
      <button
        type="button"
        class="icon-button"
        title={messages.copyValue}
        aria-label={`${messages.copyValue}: ${name}`}
        onClick={() => {
          void copy();
        }}
      >
        <CopyIcon />
      </button>
      <button
        type="button"
        class="icon-button"
        title={messages.downloadNpy}
        aria-label={`${messages.downloadNpy}: ${name}`}
        onClick={() => {
          void save();
        }}
      >
        <DownloadIcon />
      </button>
    </span>
  );
}

function Numbers({ value, grid, down }: { value: ShownValue; grid: Grid; down: boolean }) {
  const { info } = value;
  if (info.shape.includes(0)) return <p class="figure-empty">{messages.emptyValue}</p>;
  const line =
    info.view !== null || info.shape.length !== 1 || down || info.dtype === "bool" ? [] : (grid.line ?? []);
  const few = line.length <= MOST_BARS;
  return (
    <>
      {!few && <LineChart info={info} values={line} />}
      <GridTable info={info} grid={grid} down={down} bars={few && line.length > 1 ? line : null} />
    </>
  );
}

export function ValueFigure({ name, value, role, down = null, summarised = false }: ValueFigureProps) {
  const { info } = value;
  const [outer, setOuter] = useState<number[]>([]);
  const axes = info.axes.slice(0, -2);
  const position = axes.map((_, index) => Math.min(outer[index] ?? 0, (info.shape[index] ?? 1) - 1));
  const { grid, gone } = useGrid(value, position);
  const label = `${name ?? info.name} ${info.type}`.trim();
  const drawn = hasPicture(info);
  const picker = axes.length > 0 && <OuterPicker info={info} position={position} onChange={setOuter} />;
  const numbers =
    grid === null || info.host !== null ? null : (
      <ScrollBox label={label} class="figure-box">
        <div class="figure-content">
          <Numbers
            value={value}
            grid={grid}
            down={info.axes.length === 1 && info.axes[0] !== null && info.axes[0] === down}
          />
        </div>
      </ScrollBox>
    );
  return (
    <figure class={`figure is-${role}`} data-value={name ?? info.name}>
      <figcaption class="figure-head">
        {name !== null && <span class="figure-name">{name}</span>}
        <span class="figure-type">{info.type}</span>
        {grid !== null && info.host === null && <Actions value={value} grid={grid} />}
      </figcaption>
      {info.host === null && (
        <p class="figure-summary">
          {info.summary === null || !summarised ? formText(info) : summaryText(info, info.summary)}
        </p>
      )}
      {(!drawn || info.view === "heat") && picker}
      {gone && <p class="stale-note">{messages.valuesGone}</p>}
      {info.host !== null && <p class="scalar">{info.host}</p>}
      {drawn && <Picture value={value} outer={info.view === "heat" ? position : []} />}
      {numbers !== null && !drawn && numbers}
      {numbers !== null && drawn && (
        <details class="numbers">
          <summary>{messages.numbers}</summary>
          {info.view !== "heat" && picker}
          {numbers}
        </details>
      )}
    </figure>
  );
}
