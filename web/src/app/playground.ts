/** The page's state and everything a person can do with it. The parts of the page read and call it, and hold none. */
import { effect, signal } from "@preact/signals";
import { CheckClient, type Checked } from "../engine/check-client";
import type { Diagnostic, Range } from "../engine/contract";
import { EngineUnavailable, loadEngine } from "../engine/load";
import { RunClient } from "../engine/run-client";
import { Seat } from "../engine/seat";
import { openingProgram, type Example } from "../examples";
import { messages } from "../messages";
import { decodeLink, LANGUAGE_VERSION, type Decoded, type LinkTab, type Shared } from "../share/link";
import type { Draft } from "../store/drafts";
import { storedTheme, storeTheme, type Theme } from "../store/preferences";
import type { Written } from "../torch/taken";
import { isNarrow } from "../ui/narrow";
import { bakedOutcome, type Baked } from "./baked";
import { externsSource } from "./externs";
import { Program } from "./program";
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

/**
 * Whether the page opens without a network: in this build, or in a newer one that the next visit gets. Once somebody
 * asked for everything to be forgotten, nothing is kept until then.
 */
export type Offline = "none" | "ready" | "newer" | "forgotten";

export interface Opening {
  opened: Opened;
  shared: Shared | null;
  notice: Notice | null;
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

export class Playground extends Program {
  readonly texts: Texts;
  readonly offline = signal<Offline>("none");
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
  /** Why the text wasn't formatted when that was last asked for. */
  readonly unformatted = signal<Diagnostic | null>(null);
  /** The editor has the focus. */
  readonly typing = signal(false);
  /** Counts how often the focus was asked into the open drawing. */
  readonly enterDrawing = signal(0);

  /** The text came by a link, and its first check is still to come. */
  private received: boolean;
  private readonly initialSelection: { from: number; to: number };

  /** `baked` is what the page was painted from, where it shows the text that it opens with. */
  constructor(opening: Opening, baked: Baked | null = null) {
    const { opened, shared, notice } = opening;
    super(opened.text, shared?.selection.to ?? 0);
    this.texts = new Texts(opened);
    this.received = shared !== null;
    this.initialSelection = shared?.selection ?? { from: 0, to: 0 };
    this.tab = signal<View>(viewOf(shared?.tab ?? "result"));
    if (shared !== null) this.phoneTab.value = shared.tab;
    this.notice = signal<Notice | null>(notice);
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
        return new CheckClient(new Seat(parts), first, onCrash);
      });
      const externs = externsSource(document);
      this.externs.value = externs;
      const address = externs.kind === "module" ? externs.url : null;
      this.running.start((onCrash) => new RunClient(parts, address, onCrash));
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

  override goToLine(line: number): void {
    this.phoneTab.value = "code";
    super.goToLine(line);
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

  /** Lights the stretch of the program that answers to a place in the PyTorch text. */
  light(range: Range | null): void {
    this.editor?.light(range);
  }

  // --- running

  override run(): void {
    // On a phone the values stand on a tab of their own.
    if (isNarrow()) this.setPhoneTab("result");
    super.run();
  }

  override get notRun(): string | null {
    return this.runsUnasked ? null : messages.notRunLink;
  }

  protected override get runsUnasked(): boolean {
    const notice = this.notice.value;
    return notice?.kind !== "link" || notice.ran;
  }

  /** A link's program may run from now on: somebody asked for it. */
  protected override consent(): void {
    const notice = this.notice.value;
    if (notice?.kind === "link" && !notice.ran) this.notice.value = { ...notice, ran: true };
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
  override async share(problem: Diagnostic | null = null): Promise<void> {
    this.texts.flush();
    const text = this.text.value;
    const { torch } = this;
    const spoken = problem ?? this.drawn.value ?? this.checking.firstError.value;
    const drawn = spoken === null ? Promise.resolve(null) : this.checking.markdown(spoken);
    this.sharing.value = await share(
      {
        text,
        sizes: this.running.chosen.value,
        tab: isNarrow() ? this.phoneTab.value : this.tab.value,
        selection: problem?.range ?? this.selection,
      },
      {
        text,
        problem: spoken,
        drawn,
        torch: torch.value?.source === text ? torch.value.text : null,
      },
    );
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

  protected override checked(checked: Checked): void {
    if (checked.torch !== null && checked.torch.text !== "") {
      this.torch.value = { ...checked.torch, source: checked.text, check: checked.check };
    }
    this.drawReceived(checked);
    super.checked(checked);
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

  private open(opened: Opened): void {
    this.received = false;
    this.texts.opened(opened);
    this.text.value = opened.text;
    if (this.notice.value?.kind === "damaged") this.notice.value = null;
    this.leaveLink();
    this.sizing.opened({});
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
    this.sizing.opened(shared.sizes);
    this.setTab(viewOf(shared.tab));
    this.phoneTab.value = shared.tab;
    this.editor?.replace(shared.text, shared.selection);
    this.checking.replaced();
  }
}

export { LANGUAGE_VERSION };
