import { checksum } from "../share/checksum";
import { read, remove, write } from "./storage";

const KEY = "crash";
const PAUSE_AFTER = 2;

interface CrashRecord {
  text: string;
  count: number;
}

/** Used where the browser keeps nothing. */
let inMemory: CrashRecord | null = null;

function stored(): CrashRecord | null {
  const value = read("localStorage", KEY);
  if (value === null) return inMemory;
  const [text, count] = value.split(" ");
  return text === undefined ? null : { text, count: Number(count) };
}

/** Counts a crash of the engine on this text. */
export function recordCrash(text: string): void {
  const id = checksum(text);
  const before = stored();
  inMemory = { text: id, count: before?.text === id ? before.count + 1 : 1 };
  write("localStorage", KEY, `${inMemory.text} ${inMemory.count}`);
}

/** True where the engine crashed on this very text twice: it isn't tried again unasked, also not after a reload. */
export function isPaused(text: string): boolean {
  const record = stored();
  return record !== null && record.count >= PAUSE_AFTER && record.text === checksum(text);
}

export function forgetCrashes(): void {
  inMemory = null;
  remove("localStorage", KEY);
}
