/** Which text the tab shows, where it came from, and how it is kept. Opening one text never loses another. */
import { signal } from "@preact/signals";
import { examples, openingProgram, type Example } from "../examples";
import {
  claimDraft,
  currentDraft,
  keepDraft,
  newDraftId,
  recentDrafts,
  releaseDrafts,
  setCurrentDraft,
  type Draft,
} from "../store/drafts";
import { keepsNothing, read, remove, write, type Kept } from "../store/storage";

const KEEP_AFTER_MS = 200;
const CURRENT_EXAMPLE = "current-example";
const CURRENT_SIZES = "current-sizes";

export type Origin =
  { kind: "example"; name: string } | { kind: "draft"; id: string } | { kind: "link"; text: string };

export interface Opened {
  text: string;
  origin: Origin;
}

function originKey(origin: Origin): string {
  switch (origin.kind) {
    case "example":
      return `example ${origin.name}`;
    case "draft":
      return `draft ${origin.id}`;
    case "link":
      return "link";
  }
}

function openedDraft(draft: Draft): Opened {
  return { text: draft.text, origin: { kind: "draft", id: draft.id } };
}

function openedExample({ text, name }: Example): Opened {
  return { text, origin: { kind: "example", name } };
}

/** The text of this tab's own: the one it showed before a reload, else the newest, else the opening program. */
export function ownText(): Opened {
  const example = examples.find(({ name }) => name === read("sessionStorage", CURRENT_EXAMPLE));
  if (example !== undefined) return openedExample(example);
  const draft = currentDraft();
  if (draft !== null) return openedDraft(draft);
  const newest = recentDrafts()[0];
  if (newest === undefined) return openedExample(openingProgram);
  // Another tab may be writing that draft: this one starts from its text, under a name of its own.
  return { text: newest.text, origin: { kind: "draft", id: newDraftId() } };
}

export class Texts {
  readonly kept = signal<Kept>("kept");
  readonly recent = signal<readonly Draft[]>(recentDrafts());
  private origin: Origin;
  /** Texts that the storage doesn't have yet, by their drafts: each is only ever written under its own name. */
  private readonly unsaved = new Map<string, string>();
  private lastKept = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(opened: Opened) {
    this.origin = opened.origin;
    this.remember();
    // What a page can't keep it says before the first edit is lost.
    const probe = write("localStorage", "probe", "1");
    if (probe === "denied" && !keepsNothing()) this.kept.value = probe;
    remove("localStorage", "probe");
    addEventListener("pagehide", () => {
      this.flush();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.flush();
      else this.refresh();
    });
  }

  get current(): Origin {
    return this.origin;
  }

  /** Sizes that were chosen for the text shown, before a reload. */
  storedSizes(): Record<string, number> {
    try {
      const { origin, sizes } = JSON.parse(read("sessionStorage", CURRENT_SIZES) ?? "{}") as {
        origin?: string;
        sizes?: Record<string, unknown>;
      };
      if (origin !== originKey(this.origin)) return {};
      const entries = Object.entries(sizes ?? {});
      return Object.fromEntries(
        entries.filter((entry): entry is [string, number] => Number.isInteger(entry[1])),
      );
    } catch {
      return {};
    }
  }

  keepSizes(sizes: Record<string, number>): void {
    const origin = originKey(this.origin);
    if (Object.keys(sizes).length === 0) remove("sessionStorage", CURRENT_SIZES);
    else write("sessionStorage", CURRENT_SIZES, JSON.stringify({ origin, sizes }));
  }

  /** The person changed the text. */
  edited(text: string): void {
    this.unsaved.set(this.ownDraft(), text);
    clearTimeout(this.timer);
    // The first of several edits is kept at once: a tab that is killed loses a fifth of a second at most.
    if (performance.now() - this.lastKept > KEEP_AFTER_MS) this.keep();
    this.timer = setTimeout(() => {
      this.flush();
    }, KEEP_AFTER_MS);
  }

  /** Another text is shown from now on; what was unsaved of the one before is kept first. */
  opened(opened: Opened): void {
    this.flush();
    this.origin = opened.origin;
    this.remember();
  }

  /** Nothing that the storage doesn't have yet will be kept. */
  forget(): void {
    clearTimeout(this.timer);
    this.unsaved.clear();
  }

  flush(): void {
    clearTimeout(this.timer);
    if (this.unsaved.size === 0) return;
    this.keep();
    this.refresh();
  }

  refresh(): void {
    this.recent.value = recentDrafts();
  }

  private keep(): void {
    this.lastKept = performance.now();
    for (const [id, text] of this.unsaved) {
      const kept = keepDraft(id, text);
      if (keepsNothing()) return;
      this.kept.value = kept;
      if (this.kept.value !== "kept") break;
      this.unsaved.delete(id);
    }
  }

  /** The draft that edits go to: a new one where the text shown isn't a draft yet. */
  private ownDraft(): string {
    if (this.origin.kind === "draft") return this.origin.id;
    if (this.origin.kind === "link") keepDraft(newDraftId(), this.origin.text);
    const id = newDraftId();
    this.origin = { kind: "draft", id };
    this.remember();
    return id;
  }

  private remember(): void {
    const { origin } = this;
    setCurrentDraft(origin.kind === "draft" ? origin.id : null);
    if (origin.kind === "example") write("sessionStorage", CURRENT_EXAMPLE, origin.name);
    else remove("sessionStorage", CURRENT_EXAMPLE);
    // Other tabs may write the drafts that this one has left and whose texts are kept.
    releaseDrafts((id) => (origin.kind === "draft" && origin.id === id) || this.unsaved.has(id));
    if (origin.kind === "draft") void this.claim(origin.id);
  }

  private async claim(id: string): Promise<void> {
    if (await claimDraft(id)) return;
    if (this.origin.kind !== "draft" || this.origin.id !== id) return;
    const own = newDraftId();
    const text = this.unsaved.get(id);
    if (text !== undefined) {
      this.unsaved.delete(id);
      this.unsaved.set(own, text);
    }
    this.origin = { kind: "draft", id: own };
    this.remember();
  }
}
