import type { RunEvent, RunOptions } from "./contract";
import { EngineWorker } from "./engine-worker";
import { EngineCrash, EngineEnded } from "./failures";
import type { EngineParts } from "./load";
import type { FinishedRun, Method, Methods } from "./protocol";

/** The values of one run, as long as its worker lives and has run nothing else since. */
export class RunValues {
  constructor(
    private readonly worker: EngineWorker,
    private readonly isLast: () => boolean,
    private readonly onCrash: (error: EngineCrash) => void,
  ) {}

  /** Rejects with `EngineEnded` where the values are gone. */
  async ask<M extends Extract<Method, "windows" | "picture" | "npy" | "steps" | "memory">>(
    method: M,
    parameters: Parameters<Methods[M]>,
  ): Promise<ReturnType<Methods[M]>> {
    if (!this.isLast()) throw new EngineEnded("another program has run since");
    try {
      return await this.worker.call(method, parameters);
    } catch (error) {
      if (!(error instanceof EngineCrash)) throw error;
      this.onCrash(error);
      throw new EngineEnded("the values' worker failed");
    }
  }
}

/** What of a run's values isn't here can be asked for. */
export type ValueSource = Pick<RunValues, "ask">;

/** Runs one text at a time. */
export interface Runner {
  /** `finished` rejects with `EngineEnded` after `stop` and with `EngineCrash` if the engine fails. */
  run: (
    text: string,
    options: RunOptions,
    onEvent: (event: RunEvent) => void,
  ) => { values: ValueSource; finished: Promise<FinishedRun> };
  /** Ends the run, if there is one. */
  stop: () => void;
}

/**
 * Runs texts in a worker of its own. A second one stands ready, so that Stop is only ending the first: the next run
 * needs no fetch, no compiling and no wait.
 */
export class RunClient implements Runner {
  private current: EngineWorker;
  private spare: EngineWorker | null = null;
  private runs = 0;

  constructor(
    private readonly parts: EngineParts,
    private readonly externs: string | null,
    /** Hears of an engine that fails while it is asked for values. */
    private readonly onCrash: (error: EngineCrash) => void,
    /** Whether a second worker stands ready. */
    private readonly spares = true,
  ) {
    this.current = this.worker();
  }

  /** `finished` rejects with `EngineEnded` after `stop` and with `EngineCrash` if the engine fails. */
  run(
    text: string,
    options: RunOptions,
    onEvent: (event: RunEvent) => void,
  ): { values: RunValues; finished: Promise<FinishedRun> } {
    if (!this.current.alive) this.replace();
    if (this.spares) this.spare ??= this.worker();
    const run = ++this.runs;
    return {
      values: new RunValues(this.current, () => run === this.runs, this.onCrash),
      finished: this.current.call("run", [text, options], onEvent),
    };
  }

  /** Ends the run, if there is one, and the values it held. */
  stop(): void {
    this.current.end();
    this.replace();
  }

  private replace(): void {
    this.current = this.spare?.alive === true ? this.spare : this.worker();
    this.spare = this.spares ? this.worker() : null;
  }

  private worker(): EngineWorker {
    return new EngineWorker(this.parts, this.externs);
  }
}
