import workerUrl from "./worker?worker&url";
import type { RunEvent } from "./contract";
import { EngineCrash, EngineEnded, EngineIncomplete, EngineRefused } from "./failures";
import type { EngineParts } from "./load";
import type { FromWorker, Method, Methods, Request, ToWorker } from "./protocol";

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onEvent: ((event: RunEvent) => void) | undefined;
}

/** The only script address that this page ever gives to a worker, as Trusted Types want it. */
function trustedWorkerUrl(): string {
  const address = new URL(workerUrl, import.meta.url).href;
  const policy = window.trustedTypes?.createPolicy("strand-worker", {
    createScriptURL: (url) => {
      if (url !== address) throw new TypeError(`not a worker of this page: ${url}`);
      return url;
    },
  });
  return (policy?.createScriptURL(address) ?? address) as string;
}

let cachedUrl: string | null = null;

/** One worker with one engine in it. Requests are answered in order; `end` drops those that still wait. */
export class EngineWorker {
  readonly ready: Promise<string>;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;
  private ended = false;
  private readonly forgetLater: () => void;

  /** `externs` is the address of the page's own functions, for a worker that runs programs. */
  constructor(parts: EngineParts, externs: string | null = null) {
    cachedUrl ??= trustedWorkerUrl();
    this.worker = new Worker(cachedUrl, { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.waiting.set(0, { resolve: resolve as (value: unknown) => void, reject, onEvent: undefined });
    });
    // Whoever asks something hears of a failed start there; nobody has to wait for `ready`.
    this.ready.catch(() => undefined);
    this.worker.addEventListener("message", (message: MessageEvent<FromWorker>) => {
      this.receive(message.data);
    });
    this.worker.addEventListener("error", (event) => {
      this.fail(new EngineCrash(event.message === "" ? "the worker couldn't start" : event.message));
    });
    const { first, later, laterUrl } = parts;
    this.post({ kind: "start", start: { first, later, laterUrl, externs } });
    this.forgetLater = parts.whenLater((module) => {
      this.post({ kind: "later", module });
    });
  }

  get alive(): boolean {
    return !this.ended;
  }

  call<M extends Method>(
    method: M,
    parameters: Parameters<Methods[M]>,
    onEvent?: (event: RunEvent) => void,
  ): Promise<ReturnType<Methods[M]>> {
    if (this.ended) return Promise.reject(new EngineEnded("the worker has ended"));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, onEvent });
      this.post({ kind: "request", request: { id, method, arguments: parameters } as Request });
    });
  }

  /** Ends the worker at once, whatever it is doing. */
  end(): void {
    this.fail(new EngineEnded("the worker has ended"));
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.forgetLater();
    this.worker.terminate();
    for (const waiting of this.waiting.values()) waiting.reject(error);
    this.waiting.clear();
  }

  private receive(message: FromWorker): void {
    if (this.ended) return;
    switch (message.kind) {
      case "ready":
        if (message.build !== __BUILD_ID__) {
          this.fail(new EngineCrash(`the worker is of build ${message.build}, the page of ${__BUILD_ID__}`));
          return;
        }
        this.take(0)?.resolve(message.version);
        return;
      case "event":
        this.waiting.get(message.id)?.onEvent?.(message.event);
        return;
      case "answer":
        this.take(message.id)?.resolve(message.value);
        return;
      case "refused":
        this.take(message.id)?.reject(new EngineRefused(message.message));
        return;
      case "crash":
        this.fail(
          message.incomplete ? new EngineIncomplete(message.message) : new EngineCrash(message.message),
        );
    }
  }

  private take(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }
}
