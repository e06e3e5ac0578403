import type {
  CheckResult,
  Completions,
  Cost,
  Drawn,
  Hover,
  RunEvent,
  RunOptions,
  RunResult,
  MemoryInfo,
  Slice,
  Steps,
  TorchText,
} from "./contract";

/** Rows `row .. row + rows` and columns `column .. column + columns` of a slice of a value. */
export interface Rectangle {
  row: number;
  rows: number;
  column: number;
  columns: number;
}

/** A finished run, with the windows that its values open with, so that no value waits for a second question. */
export interface FinishedRun {
  result: RunResult;
  windows: Record<number, Slice[]>;
  /** The pictures that the program asks for. */
  pictures: Record<number, Drawn>;
  /** Printed lines and values beyond those that a page can show. */
  unsent: number;
}

/** What a worker answers. Each call is one request with an id of its own. */
export interface Methods {
  check: (text: string) => CheckResult;
  hover: (text: string, offset: number) => Hover | null;
  complete: (text: string, offset: number) => Completions;
  cost: (text: string, sizes: Record<string, number>) => Cost | null;
  torch: (text: string) => TorchText;
  format: (text: string) => string;
  markdown: (text: string, index: number) => string | null;
  run: (text: string, options: RunOptions) => FinishedRun;
  windows: (id: number, outer: number[], rectangles: Rectangle[]) => Slice[];
  picture: (id: number, outer: number[], first: number, count: number) => Drawn;
  steps: (first: number, count: number) => Steps;
  memory: (id: number) => MemoryInfo;
  npy: (id: number) => Uint8Array<ArrayBuffer>;
}

export type Method = keyof Methods;

export type Request = {
  [M in Method]: { id: number; method: M; arguments: Parameters<Methods[M]> };
}[Method];

export interface Start {
  first: WebAssembly.Module;
  /** The engine's later part, where it has come already; else it is sent, or fetched when it is needed. */
  later: WebAssembly.Module | null;
  laterUrl: string;
  /** The module of the page's own functions, which a worker that runs loads before its first run. */
  externs: string | null;
}

export type ToWorker =
  | { kind: "start"; start: Start }
  | { kind: "later"; module: WebAssembly.Module }
  | { kind: "request"; request: Request };

export type FromWorker =
  | { kind: "ready"; build: string; version: string }
  | { kind: "event"; id: number; event: RunEvent }
  | { kind: "answer"; id: number; value: unknown }
  /** The engine wouldn't do it, and goes on. */
  | { kind: "refused"; id: number; message: string }
  /** The engine failed, and can't be used any more; `incomplete` where it failed for want of its later part. */
  | { kind: "crash"; id: number | null; message: string; incomplete: boolean };
