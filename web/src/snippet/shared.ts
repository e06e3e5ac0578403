/** One engine for all snippets of a page: a worker that checks and one that runs, each for one snippet at a time. */
import { CheckClient } from "../engine/check-client";
import { EngineEnded, type EngineCrash } from "../engine/failures";
import { loadEngine, type EngineParts } from "../engine/load";
import { RunClient, type Runner } from "../engine/run-client";
import { Seat } from "../engine/seat";
import type { Connect } from "../app/checking";

type OnCrash = (error: EngineCrash) => void;

/** The runs of all snippets, one after another: a snippet's Stop ends its own run, or takes it out of the row. */
class Runs {
  private readonly client: RunClient;
  private last: Promise<unknown> = Promise.resolve();
  /** Hears of an engine that fails while it is asked for values: whose run was the last. */
  private onCrash: OnCrash = () => undefined;

  constructor(parts: EngineParts) {
    this.client = new RunClient(
      parts,
      null,
      (error) => {
        this.onCrash(error);
      },
      false,
    );
  }

  runner(onCrash: OnCrash): Runner {
    let stop: () => void = () => undefined;
    return {
      run: (text, options, onEvent) => {
        const turn = { runs: false, stopped: false };
        const stopped = new Promise<never>((_, reject) => {
          stop = () => {
            turn.stopped = true;
            if (turn.runs) this.client.stop();
            reject(new EngineEnded("stopped"));
          };
        });
        const begun = this.last.then(() => {
          if (turn.stopped) throw new EngineEnded("stopped before its turn");
          turn.runs = true;
          this.onCrash = onCrash;
          return this.client.run(text, options, onEvent);
        });
        const ended = begun.then(({ finished }) => finished);
        const over = () => {
          turn.runs = false;
        };
        this.last = ended.then(over, over);
        return {
          values: { ask: async (method, parameters) => (await begun).values.ask(method, parameters) },
          finished: Promise.race([ended, stopped]),
        };
      },
      stop: () => {
        stop();
      },
    };
  }
}

export interface SharedEngine {
  check: Connect;
  run: (onCrash: OnCrash) => Runner;
}

async function started(): Promise<SharedEngine> {
  const parts = await loadEngine(__BUILD_ID__);
  const seat = new Seat(parts);
  const runs = new Runs(parts);
  return {
    check: (onChecked, onCrash) =>
      new CheckClient(
        seat,
        (checked) => {
          onChecked(checked);
          void parts.fetchLater();
        },
        onCrash,
      ),
    run: (onCrash) => runs.runner(onCrash),
  };
}

let engine: Promise<SharedEngine> | null = null;

/** The page's one engine, fetched for the first snippet that asks. Rejects with `EngineUnavailable`; then the next asks anew. */
export function sharedEngine(): Promise<SharedEngine> {
  engine ??= started().catch((error: unknown) => {
    engine = null;
    throw error;
  });
  return engine;
}
