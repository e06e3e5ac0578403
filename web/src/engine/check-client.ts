import type { CheckResult, Completions, Cost, Hover, TorchText } from "./contract";
import type { EngineWorker } from "./engine-worker";
import { EngineCrash, EngineRefused } from "./failures";
import type { Seat } from "./seat";

interface Job {
  text: string;
  withTorch: boolean;
}

export interface Checked {
  text: string;
  check: CheckResult;
  /** The PyTorch text, where it was asked for. */
  torch: TorchText | null;
  milliseconds: number;
}

/**
 * Checks texts in a worker, the latest only: while one is being checked, further ones replace each other. A crash
 * replaces the worker and is reported with the text that caused it.
 */
export class CheckClient {
  private pending: Job | null = null;
  private busy = false;
  /** The number of the last question for completions, and the answer that is waited for. */
  private completing = 0;
  private completed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly seat: Seat,
    private readonly onChecked: (checked: Checked) => void,
    private readonly onCrash: (text: string, error: Error) => void,
  ) {}

  check(text: string, withTorch: boolean): void {
    this.pending = { text, withTorch };
    if (!this.busy) void this.work();
  }

  /** Forgets a text that waits to be checked. */
  cancel(): void {
    this.pending = null;
  }

  /** The type at an offset, or null where there is none or it can't be told now. */
  async hover(text: string, offset: number): Promise<Hover | null> {
    return this.ask(text, (worker) => worker.call("hover", [text, offset]));
  }

  /** What may stand at an offset: the latest question only, those that wait before it get null. */
  async complete(text: string, offset: number): Promise<Completions | null> {
    const turn = ++this.completing;
    await this.completed;
    if (turn !== this.completing) return null;
    const answer = this.ask(text, (worker) => worker.call("complete", [text, offset]));
    this.completed = answer;
    return answer;
  }

  /** The text in the one style, or null where that can't be told now. */
  async format(text: string): Promise<string | null> {
    return this.ask(text, (worker) => worker.call("format", [text]));
  }

  /** A problem of the text as Markdown, by its place among all; null where that can't be told now. */
  async markdown(text: string, index: number): Promise<string | null> {
    return this.ask(text, (worker) => worker.call("markdown", [text, index]));
  }

  /** What running a text with other sizes costs, or null where that can't be told. */
  async cost(text: string, sizes: Record<string, number>): Promise<Cost | null> {
    return this.ask(text, (worker) => worker.call("cost", [text, sizes]));
  }

  /** Asks between the checks; what fails gives null. */
  private async ask<T>(text: string, question: (worker: EngineWorker) => Promise<T>): Promise<T | null> {
    try {
      return await this.seat.alone(question);
    } catch (error) {
      if (error instanceof EngineCrash) this.onCrash(text, error);
      return null;
    }
  }

  private async work(): Promise<void> {
    this.busy = true;
    try {
      for (let job = this.next(); job !== null; job = this.next()) await this.one(job);
    } finally {
      this.busy = false;
    }
  }

  private next(): Job | null {
    const job = this.pending;
    this.pending = null;
    return job;
  }

  private async one(job: Job): Promise<void> {
    try {
      const checked = await this.seat.alone(async (worker) => {
        if (this.isStale()) return null;
        const start = performance.now();
        const check = await worker.call("check", [job.text]);
        const milliseconds = performance.now() - start;
        const torch = job.withTorch ? await worker.call("torch", [job.text]) : null;
        return { text: job.text, check, torch, milliseconds };
      });
      if (checked !== null && !this.isStale()) this.onChecked(checked);
    } catch (error) {
      if (!(error instanceof EngineCrash || error instanceof EngineRefused)) throw error;
      this.onCrash(job.text, error);
    }
  }

  private isStale(): boolean {
    return this.pending !== null;
  }
}
