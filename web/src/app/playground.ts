/** The page's state and everything a person can do with it. The parts of the page read and call it, and hold none. */
import { computed, effect, signal } from "@preact/signals";
import type { Editor } from "../editor/editor";
import { CheckClient, type Checked } from "../engine/check-client";
import type { Cost, Diagnostic, Edit, Fix, Range, RunOptions } from "../engine/contract";
import { EngineUnavailable, loadEngine } from "../engine/load";
import { openingProgram, type Example } from "../examples";
import { messages } from "../messages";
import { decodeLink, LANGUAGE_VERSION, type Decoded, type LinkTab, type Shared } from "../share/link";
import type { Draft } from "../store/drafts";
import { storedTheme, storeTheme, type Theme } from "../store/preferences";
import type { Written } from "../torch/taken";
import { isNarrow } from "../ui/narrow";
import { bakedOutcome, type Baked } from "./baked";
import { Checking } from "./checking";
import { externsSource, type ExternsSource } from "./externs";
import { firstChangedLine } from "./outcome";
import { Running } from "./running";
import { previewOf } from "./preview";
import { share, type ShareState } from "./sharing";
import { ownText, Texts, type Opened } from "./texts";

export type PhoneTab = LinkTab;
/** What stands beside the code on a wide page. */
export type View = Exclude<LinkTab, "code">;

function viewOf(tab: LinkTab): View {
  return tab === "code" ? "result" : tab;
}

export type Notice =
  | { kind: "link"; own: Opened | null; ran: boolean; version: string }
  | { kind: "damaged"; reason: Extract<Decoded, { kind: "damaged" }>["reason"] };

/** Where the engine is at something else, Share doesn't wait longer for the drawing. */
const DRAWING_LIMIT_MS = 500;

/**
 * Whether the page opens without a network: in this build, or in a newer one that the next visit gets. Once somebody
 * asked for everything to be forgotten, nothing is kept until then.
 */
export type Offline = "none" | "ready" | "newer" | "forgotten";

export type EngineState = { kind: "loading" } | { kind: "ready" } | { kind: "failed"; message: string };

export interface Opening {
  opened: Opened;
  shared: Shared | null;
  notice: Notice | null;
}

/** Where a focus in the text brings up a soft keyboard, it is the person's to ask for. */
function isTouch(): boolean {
  return window.matchMedia("(pointer: coarse)").matches;
}

function linkNotice(shared: Shared, own: Opened | null): Notice {
  return { kind: "link", own, ran: false, version: shared.languageVersion };
}

/** What the tab opens with: the text of its link, else its own. */
export async function readOpening(): Promise<Opening> {
  const decoded = await decodeLink(location.hash);
  const own = ownText();
  if (decoded.kind === "none") return { opened: own, shared: null, notice: null };
  if (decoded.kind === "damaged") {
    return { opened: own, shared: null, notice: { kind: "damaged", reason: decoded.reason } };
  }
  const { shared } = decoded;
  const kept = own.origin.kind === "draft" ? own : null;
  return {
    opened: { text: shared.text, origin: { kind: "link", text: shared.text } },
    shared,
    notice: linkNotice(shared, kept),
  };
}

export class Playground {
  readonly texts: Texts;
  readonly checking: Checking;
  readonly running: Running;

  readonly engine = signal<EngineState>({ kind: "loading" });
  readonly offline = signal<Offline>("none");
  /** Where the page's own functions come from. */
  readonly externs = signal<ExternsSource>({ kind: "none" });
  readonly text;
  readonly caret;
  readonly tab;
  readonly phoneTab = signal<PhoneTab>("code");
  readonly theme = signal<Theme>(storedTheme());
  readonly notice;
  readonly sharing = signal<ShareState | null>(null);
  /** The last PyTorch text there was, with the text it was written for. */
  readonly torch = signal<Written | null>(null);
  /** An offset in the program that the pointer is at. */
  readonly pointed = signal<number | null>(null);
  /** The caret is where somebody put it: what stands there is pointed at too. */
  readonly placed = signal(false);
  readonly announcement = signal("");
  /** The problem whose drawing is open in the editor. */
  readonly drawn = signal<Diagnostic | null>(null);
  /** Why the text wasn't formatted when that was last asked for. */
  readonly unformatted = signal<Diagnostic | null>(null);
  /** The editor has the focus. */
  readonly typing = signal(false);
  /** Counts how often the focus was asked into the open drawing. */
  readonly enterDrawing = signal(0);

  /** The line from which on the shown values are out of date, or null where they are the text's. */
  readonly staleLine = computed(() => {
    const outcome = this.running.outcome.value;
    const checked = this.checking.latest.value;
    if (outcome === null || checked === null || outcome.text === checked.text) return null;
    if (this.running.isRunning.value && this.running.state.value.text === checked.text) return null;
    return firstChangedLine(outcome.text, checked.text);
  });

  /** Whether the shown values are those of other sizes than the strip says. */
  readonly hasStaleSizes = computed(() => {
    const outcome = this.running.outcome.value;
    if (outcome === null || this.running.isRunning.value) return false;
    return JSON.stringify(outcome.sizes) !== JSON.stringify(this.running.chosen.value);
  });

  /** What Run would cost, with the sizes chosen. */
  readonly cost = computed(() => {
    const checked = this.checking.latest.value;
    if (checked === null) return null;
    const chosen = this.running.chosen.value;
    if (Object.keys(chosen).length === 0) return checked.check.cost;
    const resized = this.resizedCost.value;
    if (resized?.sizes !== chosen) return null;
    return resized.text === checked.text ? resized.cost : null;
  });
  /** What a text costs with chosen sizes. */
  private readonly resizedCost = signal<{
    text: string;
    sizes: Record<string, number>;
    cost: Cost | null;
  } | null>(null);

  private editor: Editor | null = null;
  /** Names of the functions of the last text without errors. */
  private functions: ReadonlySet<string> = new Set();
  /** The text that a size was last chosen for. */
  private sizedText: string | null = null;
  /** The text came by a link, and its first check is still to come. */
  private received: boolean;
  private readonly initialSelection: { from: number; to: number };

  /** `baked` is what the page was painted from, where it shows the text that it opens with. */
  constructor(opening: Opening, baked: Baked | null = null) {
    const { opened, shared, notice } = opening;
    this.texts = new Texts(opened);
    this.text = signal(opened.text);
    this.received = shared !== null;
    this.initialSelection = shared?.selection ?? { from: 0, to: 0 };
    this.caret = signal(this.initialSelection.to);
    this.tab = signal<View>(viewOf(shared?.tab ?? "result"));
    if (shared !== null) this.phoneTab.value = shared.tab;
    this.notice = signal<Notice | null>(notice);
    this.checking = new Checking(
      () => ({ text: this.text.value, caretLine: this.editor?.caretLine ?? 1 }),
      (checked) => {
        this.checked(checked);
      },
    );
    this.running = new Running((text, script, calls) => {
      this.checking.ran(text, script, calls);
    });
    this.running.inspect.value = this.tab.value === "steps";
    this.running.chosen.value = shared?.sizes ?? this.texts.storedSizes();
    effect(() => {
      this.texts.keepSizes(this.running.chosen.value);
    });
    if (baked !== null) {
      this.running.outcome.value = bakedOutcome(baked);
      this.checking.adopt(baked.checked);
    }
    effect(() => {
      const theme = this.theme.value;
      if (theme === "system") delete document.documentElement.dataset["theme"];
      else document.documentElement.dataset["theme"] = theme;
    });
    effect(() => {
      this.showProblems(this.checking.problems.value);
    });
    const unmark = effect(() => {
      if (this.running.state.value.status !== "done") return;
      requestAnimationFrame(() => {
        performance.mark("strand:first-value");
      });
      queueMicrotask(() => {
        unmark();
      });
    });
    addEventListener("hashchange", () => {
      void this.openAddress();
    });
  }

  get selection(): { from: number; to: number } {
    return this.editor?.selection ?? this.initialSelection;
  }

  attach(editor: Editor): void {
    this.editor = editor;
    const checked = this.checking.latest.peek();
    if (checked !== null) editor.annotate(checked.check.inlays);
  }

  /** Fetches the engine and starts its workers. */
  async start(): Promise<void> {
    this.engine.value = { kind: "loading" };
    try {
      const parts = await loadEngine();
      this.engine.value = { kind: "ready" };
      this.checking.start((onChecked, onCrash) => {
        // What a first answer needs is not kept waiting by what it doesn't.
        const first = (checked: Checked): void => {
          onChecked(checked);
          void parts.fetchLater();
        };
        return new CheckClient(parts, first, onCrash);
      });
      const externs = externsSource(document);
      this.externs.value = externs;
      this.running.start(parts, externs.kind === "module" ? externs.url : null);
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      this.engine.value = { kind: "failed", message: error.message };
    }
  }

  // --- the text

  edited(text: string): void {
    if (text === this.text.value) return;
    this.text.value = text;
    this.announcement.value = "";
    this.unformatted.value = null;
    this.texts.edited(text);
    this.texts.keepSizes(this.running.chosen.value);
    this.leaveLink();
    this.checking.edited();
  }

  caretMoved(offset: number): void {
    this.caret.value = offset;
    if (this.typing.value) this.placed.value = true;
    this.checking.caretMoved();
  }

  openExample(example: Example): void {
    this.open({ text: example.text, origin: { kind: "example", name: example.name } });
  }

  /** Opens the opening program for somebody of whom nothing is known. */
  startAnew(): void {
    this.texts.forget();
    this.openExample(openingProgram);
    this.editor?.forgetPast();
    this.setTheme("system");
    this.offline.value = "forgotten";
  }

  openDraft(draft: Draft): void {
    this.open({ text: draft.text, origin: { kind: "draft", id: draft.id } });
  }

  /** Leaves a link's text for the person's own. */
  backToOwn(own: Opened): void {
    this.leaveLink();
    this.open(own);
  }

  /** Puts the focus into the text, where that brings up no soft keyboard. */
  focusText(): void {
    if (!isTouch()) this.editor?.focus();
  }

  goTo(range: Range): void {
    this.phoneTab.value = "code";
    this.editor?.goTo(range.from);
  }

  /** Opens a problem's drawing beneath its line, with the caret at the problem. */
  openDrawing(problem: Diagnostic): void {
    this.phoneTab.value = "code";
    this.drawn.value = problem;
    this.editor?.draw(problem.range.from);
    this.editor?.goTo(problem.range.from, true);
  }

  /** Opens a problem's drawing for somebody who doesn't type: the text takes no focus, so no soft keyboard comes. */
  lookAt(problem: Diagnostic): void {
    this.editor?.leave();
    this.phoneTab.value = "code";
    this.drawn.value = problem;
    this.editor?.draw(problem.range.from);
    this.editor?.select(problem.range.from);
  }

  /** Closes the open drawing; false where there is none. */
  closeDrawing(): boolean {
    if (this.drawn.value === null) return false;
    this.drawn.value = null;
    this.editor?.draw(null);
    this.focusText();
    return true;
  }

  drawingResized(height: number): void {
    this.editor?.drawnResized(height);
  }

  goToLine(line: number): void {
    this.phoneTab.value = "code";
    const before = this.text.value.split("\n").slice(0, line - 1);
    this.editor?.goTo(before.reduce((offset, text) => offset + text.length + 1, 0));
  }

  /** Changes the text, as one step of the undo history. */
  edit(edits: readonly Edit[]): void {
    this.editor?.apply(edits);
    this.focusText();
  }

  /** Puts text in at the caret or in place of the selection, which a pair of brackets takes in. */
  insert(text: string, caret: number, spaced: boolean): void {
    this.editor?.insert(text, caret, spaced);
  }

  indent(): void {
    this.editor?.indent();
  }

  undo(): void {
    this.editor?.undo();
  }

  /** Puts the text into the one style, as one step of the undo history; the caret stays by its token. */
  async format(): Promise<void> {
    const text = this.text.value;
    const formatted = await this.checking.format(text);
    if (formatted === null || this.text.value !== text) return;
    if (formatted !== text) {
      this.editor?.format(formatted);
      return;
    }
    const checked = this.checking.latest.value;
    const found = checked?.text === text ? checked.check.diagnostics : [];
    this.unformatted.value = found.find(({ code }) => code.startsWith("E01")) ?? null;
  }

  /** Makes a fix's edits, unless the text has changed since the fix was found. */
  applyFix(fix: Fix): void {
    if (this.checking.latest.value?.text !== this.text.value) return;
    const hunks = previewOf(this.text.value, fix.edits);
    this.edit(fix.edits);
    const [first] = hunks;
    if (first !== undefined) this.announcement.value = messages.announceFixed(first.line, first.after.length);
  }

  /** Lights the stretch of the program that answers to a place in the PyTorch text. */
  light(range: Range | null): void {
    this.editor?.light(range);
  }

  // --- running

  run(): void {
    const checked = this.checking.latest.value;
    this.consent();
    // On a phone the values stand on a tab of their own.
    if (isNarrow()) this.setPhoneTab("result");
    const text = this.text.value;
    const isChecked = checked?.text === text;
    this.running.request({
      text,
      scriptRuns: !isChecked || checked.check.diagnostics.every(({ severity }) => severity !== "error"),
      cost: isChecked ? this.cost.value : null,
    });
  }

  /** What the key for Run does: a run of this very text that takes long is stopped by it. */
  runOrStop(): void {
    const { long, text } = this.running.state.value;
    if (long && text === this.text.value) this.stop();
    else this.run();
  }

  stop(): void {
    this.running.stop();
    this.announcement.value = "";
  }

  setSize(name: string, value: number): void {
    this.running.chosen.value = { ...this.running.chosen.value, [name]: value };
    this.sizedText = this.text.value;
    this.consent();
    void this.priceAndRun();
  }

  resetSizes(): void {
    this.running.chosen.value = {};
    this.runIfCheap();
  }

  setFill(fill: RunOptions["fill"]): void {
    this.running.fill.value = fill;
    this.runIfCheap();
  }

  // --- the rest

  setTheme(theme: Theme): void {
    this.theme.value = theme;
    storeTheme(theme);
  }

  /** Runs look at the values of their steps while those are shown: a run that didn't is made again. */
  private inspectFor(tab: View): void {
    const { running } = this;
    running.inspect.value = tab === "steps";
    if (tab === "steps" && running.last.value?.inspected === false) this.runIfCheap();
  }

  setTab(tab: View): void {
    this.tab.value = tab;
    this.inspectFor(tab);
    if (this.phoneTab.value !== "code") this.phoneTab.value = tab;
  }

  setPhoneTab(tab: PhoneTab): void {
    this.phoneTab.value = tab;
    if (tab === "code") return;
    this.tab.value = tab;
    this.inspectFor(tab);
  }

  /** Copies a link. One to a problem selects what the problem speaks of. */
  async share(problem: Diagnostic | null = null): Promise<void> {
    this.texts.flush();
    const text = this.text.value;
    const { torch } = this;
    const spoken = problem ?? this.drawn.value ?? this.checking.firstError.value;
    const drawing = spoken === null ? null : this.checking.markdown(spoken);
    const shared = await share(
      {
        text,
        sizes: this.running.chosen.value,
        tab: isNarrow() ? this.phoneTab.value : this.tab.value,
        selection: problem?.range ?? this.selection,
      },
      {
        text,
        problem: spoken,
        drawn: null,
        torch: torch.value?.source === text ? torch.value.text : null,
      },
    );
    // The clipboard takes the link only shortly after the click: the drawing comes behind it, or not at all.
    const late = new Promise<null>((resolve) => setTimeout(resolve, DRAWING_LIMIT_MS, null));
    const drawn = await Promise.race([drawing, late]);
    this.sharing.value = { ...shared, taken: { ...shared.taken, drawn } };
  }

  /** Marks the problems; the open drawing stays with its problem as long as that stands on its line. */
  private showProblems(problems: readonly Diagnostic[]): void {
    const before = this.drawn.peek();
    const line = before === null ? null : (this.editor?.lineOf(before) ?? null);
    this.editor?.show(problems);
    if (before === null) return;
    const now = problems.find((problem) => problem.code === before.code && problem.line === line) ?? null;
    if (now === before) return;
    this.drawn.value = now;
    this.editor?.draw(now?.range.from ?? null);
  }

  private checked(checked: Checked): void {
    if (checked.torch !== null && checked.torch.text !== "") {
      this.torch.value = { ...checked.torch, source: checked.text, check: checked.check };
    }
    this.editor?.annotate(checked.check.inlays);
    this.drawReceived(checked);
    if (checked.check.diagnostics.every(({ severity }) => severity !== "error")) this.settle(checked);
    void this.priceAndRun();
  }

  /** Takes away what belongs to a text before this one, which has no errors: values and chosen sizes. */
  private settle(checked: Checked): void {
    this.running.keepOnly(checked);
    const names = new Set(checked.check.sizes.map(({ name }) => name));
    const functions = new Set(checked.check.functions.map(({ name }) => name));
    const isAnother =
      this.functions.size > 0 &&
      functions.size > 0 &&
      ![...functions].some((name) => this.functions.has(name));
    this.functions = functions;
    const chosen = Object.entries(this.running.chosen.value);
    const isFor = !isAnother || this.sizedText === checked.text;
    const left = chosen.filter(([name]) => names.has(name) && isFor);
    if (left.length < chosen.length) this.running.chosen.value = Object.fromEntries(left);
  }

  /** Asks what the checked text costs with the chosen sizes, then runs it by itself if that is cheap. */
  private async priceAndRun(): Promise<void> {
    const sizes = this.running.chosen.value;
    const text = this.checking.latest.value?.text;
    if (
      text !== undefined &&
      Object.keys(sizes).length > 0 &&
      this.checking.latest.value?.check.cost !== null
    ) {
      const cost = await this.checking.cost(text, sizes);
      if (this.running.chosen.value !== sizes || this.checking.latest.value?.text !== text) return;
      this.resizedCost.value = { text, sizes, cost };
    }
    this.runIfCheap();
  }

  /** Whoever receives an error sees it drawn: the one that was selected, else the first. Nobody's caret moves. */
  private drawReceived(checked: Checked): void {
    if (!this.received) return;
    this.received = false;
    const { from, to } = this.selection;
    const errors = checked.check.diagnostics.filter(({ severity }) => severity !== "hint");
    const selected = errors.find(
      ({ range }) => range.from < Math.max(to, from + 1) && range.to > Math.min(from, to),
    );
    const shown = selected ?? errors[0];
    if (shown === undefined) return;
    this.drawn.value = shown;
    this.editor?.draw(shown.range.from);
  }

  /** Runs the text by itself if it is checked, cheap and not a stranger's. */
  private runIfCheap(): void {
    const checked = this.checking.latest.value;
    const notice = this.notice.value;
    if (checked?.text !== this.text.value) return;
    if (notice?.kind === "link" && !notice.ran) return;
    if (!this.running.isCheap(this.cost.value)) return;
    const scriptRuns = checked.check.diagnostics.every(({ severity }) => severity !== "error");
    this.running.request({ text: checked.text, scriptRuns, cost: this.cost.value });
  }

  /** A link's program may run from now on: somebody asked for it. */
  private consent(): void {
    const notice = this.notice.value;
    if (notice?.kind === "link" && !notice.ran) this.notice.value = { ...notice, ran: true };
  }

  private open(opened: Opened): void {
    this.received = false;
    this.texts.opened(opened);
    this.text.value = opened.text;
    if (this.notice.value?.kind === "damaged") this.notice.value = null;
    this.leaveLink();
    this.running.chosen.value = {};
    this.functions = new Set();
    this.running.forget();
    this.torch.value = null;
    this.editor?.replace(opened.text);
    this.placed.value = false;
    this.announcement.value = "";
    this.unformatted.value = null;
    this.checking.replaced();
  }

  /** The text isn't the link's any more: neither the address nor the line above it says so. */
  private leaveLink(): void {
    if (location.hash !== "") history.replaceState(null, "", location.href.replace(/#.*$/, ""));
    if (this.notice.value !== null) this.notice.value = null;
  }

  /** Somebody put a link into the address line of this tab. */
  private async openAddress(): Promise<void> {
    const { hash } = location;
    const decoded = await decodeLink(hash);
    // The address may be another by now.
    if (decoded.kind === "none" || location.hash !== hash) return;
    this.texts.flush();
    if (decoded.kind === "damaged") {
      this.notice.value = { kind: "damaged", reason: decoded.reason };
      return;
    }
    const { shared } = decoded;
    const origin = this.texts.current;
    const own = origin.kind === "draft" ? { text: this.text.value, origin } : null;
    this.texts.opened({ text: shared.text, origin: { kind: "link", text: shared.text } });
    this.text.value = shared.text;
    this.notice.value = linkNotice(shared, own);
    this.received = true;
    this.torch.value = null;
    this.running.forget();
    this.functions = new Set();
    this.running.chosen.value = shared.sizes;
    this.setTab(viewOf(shared.tab));
    this.phoneTab.value = shared.tab;
    this.editor?.replace(shared.text, shared.selection);
    this.checking.replaced();
  }
}

export { LANGUAGE_VERSION };
