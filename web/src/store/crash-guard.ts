import { checksum } from "../share/checksum";
import { read, remove, write } from "./storage";

const KEY = "crash";
const PAUSE_AFTER = 2;

/** So many texts are remembered: a page may hold several programs. */
const MOST_TEXTS = 20;

/** How often the engine crashed on each text, the last one last; used where the browser keeps nothing. */
let inMemory = new Map<string, number>();

function stored(): Map<string, number> {
  const value = read("localStorage", KEY);
  if (value === null) return inMemory;
  const records = value.split("\n").map((line) => line.split(" "));
  return new Map(records.map(([text = "", count]) => [text, Number(count)]));
}

/** Counts a crash of the engine on this text. */
export function recordCrash(text: string): void {
  const id = checksum(text);
  const counts = new Map(stored());
  const count = (counts.get(id) ?? 0) + 1;
  counts.delete(id);
  inMemory = new Map([...counts, [id, count] as const].slice(-MOST_TEXTS));
  write("localStorage", KEY, [...inMemory].map((record) => record.join(" ")).join("\n"));
}

/** True where the engine crashed on this very text twice: it isn't tried again unasked, also not after a reload. */
export function isPaused(text: string): boolean {
  return (stored().get(checksum(text)) ?? 0) >= PAUSE_AFTER;
}

export function forgetCrashes(): void {
  inMemory = new Map();
  remove("localStorage", KEY);
}
