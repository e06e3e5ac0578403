/**
 * The worker's side of the protocol: one engine, made from the module that the page compiled. A trap in the engine is a
 * crash: its memory can't be trusted any more, so this worker says so and answers nothing further.
 */
import { whenNeeded } from "../../pkg/later.js";
import { initSync, Strand, version } from "../../pkg/strand_wasm.js";
import { initialRectangles } from "../result/window-plan";
import { hasPicture, plain, type Drawn, type RunEvent, type Slice, type ValueInfo } from "./contract";
import { Externs } from "./externs";
import { sentenceOf } from "./failures";
import type { FinishedRun, FromWorker, Rectangle, Request, Start, ToWorker } from "./protocol";

/** A loop may print millions of lines: no more than these leave the worker. */
const MOST_PRINTED = 1000;

/** As many frames are asked for as come at once. */
const MOST_FRAMES = 2 ** 16;

let engine: Strand | null = null;
/** Puts the later part in place, once. */
let complete: (later: WebAssembly.Module) => void = () => undefined;
/** The address of the page's own functions, until they are loaded. */
let externsUrl: string | null = null;
let crashed = false;

function send(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function windows(strand: Strand, id: number, outer: number[], rectangles: Rectangle[]): Slice[] {
  return rectangles.map((at) => plain(strand.view(id, outer, at.row, at.rows, at.column, at.columns)));
}

function picture(strand: Strand, id: number, outer: number[], first: number, count: number): Drawn {
  return plain(strand.picture(id, Uint32Array.from(outer), first, count));
}

function valuesOf(event: RunEvent): ValueInfo[] {
  if (event.kind === "value") return [event.value];
  if (event.kind === "call") {
    return event.call.result === null ? event.call.arguments : [...event.call.arguments, event.call.result];
  }
  return [];
}

function run(strand: Strand, request: Extract<Request, { method: "run" }>): FinishedRun {
  const values: ValueInfo[] = [];
  let printed = 0;
  const result = strand.run(...request.arguments, (given) => {
    const event = plain(given);
    if (event.kind === "print" && ++printed > MOST_PRINTED) return;
    values.push(...valuesOf(event));
    send({ kind: "event", id: request.id, event });
  });
  const first: Record<number, Slice[]> = {};
  const pictures: Record<number, Drawn> = {};
  for (const value of values) {
    if (value.host !== null) continue;
    const outer = value.shape.slice(0, -2).map(() => 0);
    first[value.id] = windows(strand, value.id, outer, initialRectangles(value.shape));
    if (hasPicture(value)) pictures[value.id] = picture(strand, value.id, outer, 0, MOST_FRAMES);
  }
  return {
    result: plain(result),
    windows: first,
    pictures,
    unsent: Math.max(printed - MOST_PRINTED, 0) + result.leftOut,
  };
}

function answer(strand: Strand, request: Request): unknown {
  switch (request.method) {
    case "check":
      return plain(strand.check(...request.arguments));
    case "hover":
      return plain(strand.hover(...request.arguments));
    case "complete":
      return plain(strand.complete(...request.arguments));
    case "cost":
      return plain(strand.cost(...request.arguments));
    case "torch":
      return plain(strand.torch(...request.arguments));
    case "format":
      return strand.format(...request.arguments);
    case "markdown":
      return plain(strand.markdown(...request.arguments));
    case "run":
      return run(strand, request);
    case "windows":
      return windows(strand, ...request.arguments);
    case "picture":
      return picture(strand, ...request.arguments);
    case "steps":
      return plain(strand.steps(...request.arguments));
    case "memory":
      return plain(strand.memory(...request.arguments));
    case "npy":
      return strand.npy(...request.arguments);
  }
}

function crash(id: number | null, error: unknown): void {
  crashed = true;
  const incomplete = error instanceof Unfetched;
  send({ kind: "crash", id, message: incomplete ? error.message : sentenceOf(error), incomplete });
}

/** Traps, a stack that ran over, a part that is missing; what the engine throws by itself is an ordinary error. */
function isCrash(error: unknown): boolean {
  return (
    error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error instanceof Unfetched
  );
}

/** Loads the page's own functions, once and before they may be called. */
async function loadExterns(strand: Strand): Promise<void> {
  if (externsUrl === null) return;
  const { call } = await Externs.load(externsUrl);
  externsUrl = null;
  strand.setExterns(call);
}

/** The engine's later part couldn't be fetched. */
class Unfetched extends Error {}

/** The later part at once, for a call that needs it: the engine can't wait. */
function fetchedNow(url: string): WebAssembly.Module {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch (error) {
    throw new Unfetched(error instanceof Error ? error.message : String(error));
  }
  if (request.status !== 200) throw new Unfetched(`${request.status} ${request.statusText}`.trimEnd());
  return new WebAssembly.Module(request.response as ArrayBuffer);
}

function start({ first, later, laterUrl }: Start): Strand {
  const exports = initSync({ module: first });
  let whole = false;
  complete = (module) => {
    if (whole) return;
    new WebAssembly.Instance(module, { first: { ...exports } });
    whole = true;
  };
  whenNeeded(() => {
    if (!whole) complete(fetchedNow(laterUrl));
  });
  if (later !== null) complete(later);
  return new Strand();
}

async function take(data: ToWorker): Promise<void> {
  if (crashed) return;
  if (data.kind === "start") {
    try {
      engine = start(data.start);
      externsUrl = data.start.externs;
      send({ kind: "ready", build: __BUILD_ID__, version: version() });
    } catch (error) {
      crash(null, error);
    }
    return;
  }
  if (data.kind === "later") {
    try {
      complete(data.module);
    } catch (error) {
      crash(null, error);
    }
    return;
  }
  const { request } = data;
  if (engine === null) {
    crash(request.id, new Error("the engine was not started"));
    return;
  }
  try {
    if (request.method === "run") await loadExterns(engine);
    send({ kind: "answer", id: request.id, value: answer(engine, request) });
  } catch (error) {
    if (isCrash(error)) crash(request.id, error);
    else send({ kind: "refused", id: request.id, message: sentenceOf(error) });
  }
}

/** Requests are answered in order, also while the first one waits for functions of the page. */
let turn = Promise.resolve();
self.addEventListener("message", (message: MessageEvent<ToWorker>) => {
  turn = turn.then(() => take(message.data));
});
