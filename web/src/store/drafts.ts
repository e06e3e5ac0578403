/**
 * The texts a person wrote, each under a key of its own, so that two tabs never write to the same place. A tab keeps
 * its draft's id in its session storage: a reload finds it again, and a new tab gets an id of its own.
 */
import { keys, read, remove, write, type Kept } from "./storage";

const MOST_DRAFTS = 20;
const DRAFT = "draft:";
const CURRENT = "current-draft";

export interface Draft {
  id: string;
  text: string;
  /** Milliseconds since 1970, of the last edit. */
  time: number;
}

function parse(key: string): Draft | null {
  const stored = read("localStorage", key);
  if (stored === null) return null;
  try {
    const value: unknown = JSON.parse(stored);
    if (typeof value !== "object" || value === null) return null;
    const { text, time } = value as Partial<Draft>;
    if (typeof text !== "string" || typeof time !== "number") return null;
    return { id: key.slice(DRAFT.length), text, time };
  } catch {
    return null;
  }
}

function all(): Draft[] {
  return keys("localStorage")
    .filter((key) => key.startsWith(DRAFT))
    .map(parse)
    .filter((draft) => draft !== null)
    .sort((a, b) => b.time - a.time);
}

/** The last texts, the newest first, each text once. */
export function recentDrafts(): Draft[] {
  const seen = new Set<string>();
  return all()
    .filter((draft) => {
      const isNew = !seen.has(draft.text);
      seen.add(draft.text);
      return isNew && draft.text.trim() !== "";
    })
    .slice(0, MOST_DRAFTS);
}

export function newDraftId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
}

/** Keeps a text and forgets the oldest beyond twenty. */
export function keepDraft(id: string, text: string): Kept {
  const isNew = read("localStorage", DRAFT + id) === null;
  const kept = write("localStorage", DRAFT + id, JSON.stringify({ text, time: Date.now() }));
  if (kept === "kept" && isNew) {
    for (const old of all().slice(MOST_DRAFTS)) if (old.id !== id) remove("localStorage", DRAFT + old.id);
  }
  return kept;
}

/** Says that this tab shows the draft (null: a text that isn't one of the person's own). */
export function setCurrentDraft(id: string | null): void {
  if (id === null) remove("sessionStorage", CURRENT);
  else write("sessionStorage", CURRENT, id);
}

/** The draft that this tab showed before it was reloaded. */
export function currentDraft(): Draft | null {
  const id = read("sessionStorage", CURRENT);
  return id === null ? null : parse(DRAFT + id);
}

/** How to give back the names that this tab has. */
const held = new Map<string, () => void>();

/**
 * Takes the draft's name for this tab until it releases it or closes. False where another tab has it, as after
 * "duplicate tab", which copies the session storage.
 */
export async function claimDraft(id: string): Promise<boolean> {
  if (!("locks" in navigator) || held.has(id)) return true;
  return new Promise((resolve) => {
    const request = navigator.locks.request(`strand:${DRAFT}${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      if (lock === null) return undefined;
      return new Promise<void>((release) => {
        held.set(id, release);
      });
    });
    request.catch(() => {
      resolve(true);
    });
  });
}

/** Gives back the names of all drafts but those to keep. */
export function releaseDrafts(keeps: (id: string) => boolean): void {
  for (const [id, release] of held) {
    if (keeps(id)) continue;
    held.delete(id);
    release();
  }
}
