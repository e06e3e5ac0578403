import { messages } from "../messages";
import { EngineWorker } from "./engine-worker";
import { EngineCrash } from "./failures";
import type { EngineParts } from "./load";

/** An answer that takes longer than this is treated as a crash: the worker is replaced. */
const LIMIT_MS = 10_000;

/** A worker that is asked by one at a time, so that what takes too long or crashes is blamed for it, and nobody who waits. */
export class Seat {
  private worker: EngineWorker;
  /** Ends when the worker is free for the next question. */
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly parts: EngineParts) {
    this.worker = new EngineWorker(parts);
  }

  /** Has the worker to itself. One that was ended is replaced before the next turn. */
  async alone<T>(use: (worker: EngineWorker) => Promise<T>): Promise<T> {
    const before = this.turn;
    let release: () => void = () => undefined;
    this.turn = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    if (!this.worker.alive) this.worker = new EngineWorker(this.parts);
    const { worker } = this;
    const limit = { passed: false };
    const timer = setTimeout(() => {
      limit.passed = true;
      worker.end();
    }, LIMIT_MS);
    try {
      return await use(worker);
    } catch (error) {
      throw limit.passed ? new EngineCrash(messages.noAnswer(LIMIT_MS)) : error;
    } finally {
      clearTimeout(timer);
      release();
    }
  }
}
