import type { RunEvent, RunOptions } from "./contract";
import { EngineWorker } from "./engine-worker";
import type { FinishedRun } from "./protocol";

/**
 * Runs texts in a worker of its own. A second one stands ready, so that Stop is only ending the first: the next run
 * needs no fetch, no compiling and no wait.
 */
export class RunClient {
  private current: EngineWorker;
  private spare: EngineWorker | null = null;

  constructor(private readonly module: WebAssembly.Module) {
    this.current = new EngineWorker(module);
  }

  /** The worker that holds the last run's values. */
  get worker(): EngineWorker {
    return this.current;
  }

  /** Rejects with `EngineEnded` after `stop` and with `EngineCrash` if the engine fails. */
  run(text: string, options: RunOptions, onEvent: (event: RunEvent) => void): Promise<FinishedRun> {
    if (!this.current.alive) this.replace();
    this.spare ??= new EngineWorker(this.module);
    return this.current.call("run", [text, options], onEvent);
  }

  /** Ends the run, if there is one, and the values it held. */
  stop(): void {
    this.current.end();
    this.replace();
  }

  private replace(): void {
    this.current = this.spare?.alive === true ? this.spare : new EngineWorker(this.module);
    this.spare = new EngineWorker(this.module);
  }
}
