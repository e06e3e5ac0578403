/**
 * The browser's storage, which may be refused (private windows, sandboxed frames) or full. Keys start with `strand:`.
 */
const PREFIX = "strand:";

export type Kept = "kept" | "denied" | "full";

let isForNow = new URLSearchParams(window.location.search).has("embedded");

/** Whether nothing is kept of what is tried here: in a page that holds the playground, or a snippet. */
export function keepsNothing(): boolean {
  return isForNow;
}

/** From now on nothing is kept. */
export function keepNothing(): void {
  isForNow = true;
}

type Area = "localStorage" | "sessionStorage";

function area(name: Area): Storage | null {
  if (isForNow) return null;
  try {
    return window[name];
  } catch {
    return null;
  }
}

export function read(name: Area, key: string): string | null {
  try {
    return area(name)?.getItem(PREFIX + key) ?? null;
  } catch {
    return null;
  }
}

export function write(name: Area, key: string, value: string): Kept {
  const storage = area(name);
  if (storage === null) return "denied";
  try {
    storage.setItem(PREFIX + key, value);
    return "kept";
  } catch (error) {
    return error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "denied";
  }
}

export function remove(name: Area, key: string): void {
  try {
    area(name)?.removeItem(PREFIX + key);
  } catch {
    // A key that can't be removed isn't there for us.
  }
}

/** Removes everything of ours that this tab can reach. */
export function forgetAll(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    for (const key of keys(name)) remove(name, key);
  }
}

/** Our keys, without the prefix. */
export function keys(name: Area): string[] {
  const storage = area(name);
  if (storage === null) return [];
  try {
    return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "")
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}
