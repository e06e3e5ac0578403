/** Runs programs: by themselves where that is cheap, else when asked; one at a time, the latest wins. */
import { computed, signal } from "@preact/signals";
import type { Cost, RunError, RunEvent, RunOptions, RunResult, SizeInfo } from "../engine/contract";
import { EngineCrash, EngineEnded, EngineIncomplete, EngineRefused } from "../engine/failures";
import type { Runner, ValueSource } from "../engine/run-client";
import { messages } from "../messages";
import { recordCrash } from "../store/crash-guard";
import { storedRates, storeRates } from "../store/preferences";
import { runsByItself, Speed } from "./budget";
import type { Checked } from "../engine/check-client";
import { outcomeOf, remaining, type Outcome, type RunRecord } from "./outcome";

const MEMORY_LIMIT = 2 ** 30;
/** A run that takes longer than this shows its values as they come, and Stop. */
const LONG_MS = 150;
/** How often the values of a long run are drawn while they come. */
const REDRAW_MS = 100;

export type RunStatus = "none" | "running" | "done" | "stopped" | "crashed";

export interface RunState {
  status: RunStatus;
  /** The text that runs or ran. */
  text: string;
  /** Runs for longer than `LONG_MS`. */
  long: boolean;
  started: number;
  milliseconds: number;
  result: RunResult | null;
  crash: string | null;
}

/** The last run that ended by itself, whose worker still has what it did. */
export interface LastRun {
  text: string;
  values: ValueSource;
  /** Its steps say the range of their values. */
  inspected: boolean;
}

export interface Job {
  text: string;
  /** Whether the text is without errors, so that its script runs too. */
  scriptRuns: boolean;
  cost: Cost | null;
}

const NONE: RunState = {
  status: "none",
  text: "",
  long: false,
  started: 0,
  milliseconds: 0,
  result: null,
  crash: null,
};

/** What a reader is told of an engine that failed. */
function sentenceFor(error: Error): string {
  if (error instanceof EngineIncomplete) return messages.incomplete(error.message);
  return messages.crashed(error.message, __BUILD_ID__);
}

export class Running {
  readonly state = signal<RunState>(NONE);
  readonly outcome = signal<Outcome | null>(null);
  readonly sizes = signal<readonly SizeInfo[]>([]);
  /** The sizes that the reader chose. */
  readonly chosen = signal<Record<string, number>>({});
  readonly fill = signal<RunOptions["fill"]>("index");
  readonly last = signal<LastRun | null>(null);
  /** Whether runs look at the values of their steps. */
  readonly inspect = signal(false);
  readonly isRunning = computed(() => this.state.value.status === "running");

  private client: Runner | null = null;
  private waiting: Job | null = null;
  private readonly speed = new Speed(storedRates(), storeRates);
  private stopping = false;
  /** The record that may still change what is shown. */
  private current: RunRecord | null = null;
  private redraw: ReturnType<typeof setTimeout> | undefined;
  /** The last text that was found to have no errors. */
  private clean: Checked | null = null;

  constructor(private readonly onRan: (text: string, script: RunError | null, calls: RunError[]) => void) {}

  /** `connect` gives what runs; it says where that fails while it is asked for values. */
  start(connect: (onCrash: (error: EngineCrash) => void) => Runner): void {
    this.client = connect((error) => {
      this.state.value = { ...this.state.value, status: "crashed", crash: sentenceFor(error) };
    });
    const { waiting } = this;
    if (waiting !== null) {
      this.waiting = null;
      void this.run(waiting);
    }
  }

  isCheap(cost: Cost | null): boolean {
    return runsByItself(cost);
  }

  secondsFor(cost: Cost): number {
    return this.speed.secondsFor(cost);
  }

  /** Runs the text next. A run of another text that takes long is ended for it. */
  request(job: Job): void {
    if (this.client === null || this.isRunning.value) {
      this.waiting = job;
      if (this.state.value.long) this.end();
      return;
    }
    void this.run(job);
  }

  /** Ends the run at once. The values shown stay. */
  stop(): void {
    if (!this.isRunning.value) return;
    performance.mark("strand:stop-requested");
    this.stopping = true;
    this.waiting = null;
    this.end();
  }

  /** The text has no errors: what was shown of functions that it doesn't have goes. */
  keepOnly(checked: Checked): void {
    this.clean = checked;
    this.outcome.value = this.stillTrue(this.outcome.value);
  }

  forget(): void {
    this.clean = null;
    this.waiting = null;
    this.current = null;
    this.stopping = false;
    if (this.isRunning.value) this.end();
    this.state.value = NONE;
    this.outcome.value = null;
    this.last.value = null;
    this.sizes.value = [];
  }

  private stillTrue(outcome: Outcome | null): Outcome | null {
    const { clean } = this;
    return outcome === null || clean === null ? outcome : remaining(outcome, clean.text, clean.check);
  }

  private end(): void {
    this.client?.stop();
  }

  private async run(job: Job): Promise<void> {
    const { client } = this;
    if (client === null) return;
    const before = this.outcome.value;
    const started = performance.now();
    this.state.value = { ...NONE, status: "running", text: job.text, started };
    const options = {
      sizes: this.chosen.value,
      fill: this.fill.value,
      memoryLimit: MEMORY_LIMIT,
      inspect: this.inspect.value,
    };
    const run = client.run(job.text, options, (event) => {
      this.take(event, record, before);
    });
    const record: RunRecord = {
      text: job.text,
      values: run.values,
      events: [],
      windows: null,
      pictures: {},
      unsent: 0,
      scriptRan: job.scriptRuns,
      sizes: options.sizes,
      fill: options.fill,
    };
    this.current = record;
    const timer = setTimeout(() => {
      this.becameLong(record, before);
    }, LONG_MS);
    try {
      const finished = await run.finished;
      record.windows = finished.windows;
      record.pictures = finished.pictures;
      record.unsent = finished.unsent;
      if (this.current === record) {
        this.finish(job, record, finished.result, before, started);
        this.last.value = { text: job.text, values: run.values, inspected: options.inspect };
      }
    } catch (error) {
      if (this.current === record) this.fail(error, started, before);
    } finally {
      clearTimeout(timer);
      if (this.current === record) this.current = null;
      if (!this.isRunning.value) this.next();
    }
  }

  private becameLong(record: RunRecord, before: Outcome | null): void {
    if (this.current !== record) return;
    if (this.waiting !== null) {
      this.end();
      return;
    }
    this.state.value = { ...this.state.value, long: true };
    if (record.events.length > 0) this.outcome.value = outcomeOf(record, before);
  }

  private take(event: RunEvent, record: RunRecord, before: Outcome | null): void {
    record.events.push(event);
    if (this.current !== record || !this.state.value.long || this.redraw !== undefined) return;
    this.redraw = setTimeout(() => {
      this.redraw = undefined;
      if (this.current === record && this.state.value.long) this.outcome.value = outcomeOf(record, before);
    }, REDRAW_MS);
  }

  private finish(
    job: Job,
    record: RunRecord,
    result: RunResult,
    before: Outcome | null,
    started: number,
  ): void {
    const milliseconds = performance.now() - started;
    const outcome = outcomeOf(record, before);
    this.outcome.value = outcome;
    this.sizes.value = result.sizes;
    this.state.value = { ...this.state.value, status: "done", long: false, milliseconds, result };
    this.speed.ran(job.cost, milliseconds);
    const errors = outcome.items.flatMap((item) =>
      item.kind === "call" && item.error !== null && item.skipped === null ? [item.error] : [],
    );
    this.onRan(job.text, result.error, errors);
  }

  private fail(error: unknown, started: number, before: Outcome | null): void {
    const milliseconds = performance.now() - started;
    const state = { ...this.state.value, long: false, milliseconds };
    if (error instanceof EngineEnded) {
      if (this.stopping) performance.mark("strand:stopped");
      this.stopping = false;
      if (this.state.value.status === "running") this.state.value = { ...state, status: "stopped" };
      this.outcome.value = this.stillTrue(before);
    } else if (error instanceof EngineCrash || error instanceof EngineRefused) {
      if (!(error instanceof EngineIncomplete)) recordCrash(state.text);
      this.state.value = { ...state, status: "crashed", crash: sentenceFor(error) };
      this.outcome.value = this.stillTrue(before);
    } else {
      throw error;
    }
  }

  private next(): void {
    const job = this.waiting;
    this.waiting = null;
    if (job !== null) void this.run(job);
  }
}
