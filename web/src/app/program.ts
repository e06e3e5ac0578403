/** A text that is checked and run: what the playground and a snippet in another page have in common. */
import { computed, signal, type Signal } from "@preact/signals";
import type { Editor } from "../editor/editor";
import type { Checked } from "../engine/check-client";
import type { Diagnostic, Edit, Fix, RunOptions } from "../engine/contract";
import { messages } from "../messages";
import { Checking } from "./checking";
import type { ExternsSource } from "./externs";
import { firstChangedLine } from "./outcome";
import { previewOf } from "./preview";
import { Running } from "./running";
import { Sizing } from "./sizing";

export type EngineState = { kind: "loading" } | { kind: "ready" } | { kind: "failed"; message: string };

/** `unfinished`: an error of the line that somebody writes waits to be shown. */
export type Activity = "checking" | "running" | "unfinished" | "settled";

/** Where a focus in the text brings up a soft keyboard, it is the person's to ask for. */
function isTouch(): boolean {
  return window.matchMedia("(pointer: coarse)").matches;
}

function isClean({ check }: Checked): boolean {
  return check.diagnostics.every(({ severity }) => severity !== "error");
}

export abstract class Program {
  readonly text: Signal<string>;
  readonly checking: Checking;
  readonly running: Running;
  readonly sizing: Sizing;
  readonly engine = signal<EngineState>({ kind: "loading" });
  /** Where the page's own functions come from. */
  readonly externs = signal<ExternsSource>({ kind: "none" });
  /** The offset of the caret. */
  readonly caret: Signal<number>;
  /** The problem whose drawing is open in the editor. */
  readonly drawn = signal<Diagnostic | null>(null);
  /** What a screen reader is told beside what it is told by itself. */
  readonly announcement = signal("");

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

  /** What goes on, until nothing more comes of the text as it stands. */
  readonly activity = computed<Activity>(() => {
    if (this.engine.value.kind === "failed") return "settled";
    if (this.engine.value.kind === "loading" || this.checking.waits.value) return "checking";
    if (this.running.isRunning.value || this.sizing.asking.value > 0) return "running";
    return this.checking.holds.value ? "unfinished" : "settled";
  });

  /** Where the site lies that has the pages of the codes, seen from this page. */
  readonly site: string = "";

  protected editor: Editor | null = null;

  protected constructor(text: string, caret: number) {
    this.text = signal(text);
    this.caret = signal(caret);
    this.checking = new Checking(
      () => ({ text: this.text.value, caretLine: this.editor?.caretLine ?? 1 }),
      (checked) => {
        this.checked(checked);
      },
    );
    this.running = new Running((ran, script, calls) => {
      this.checking.ran(ran, script, calls);
    });
    this.sizing = new Sizing(this.checking, this.running);
  }

  /** Why nothing was run although the text could be, as a sentence; null where there is no such reason. */
  abstract get notRun(): string | null;

  /** Makes a link to the program, or to what one of its problems speaks of. */
  abstract share(problem?: Diagnostic | null): Promise<void>;

  /** The text was found to be like this. */
  protected checked(checked: Checked): void {
    this.editor?.annotate(checked.check.inlays);
    if (isClean(checked)) {
      this.running.keepOnly(checked);
      this.sizing.keepFor(checked);
    }
    this.priceAndRun();
  }

  /** Whether fixes may be made: a text that is only to be read keeps its words. */
  get canEdit(): boolean {
    return true;
  }

  /** What the reader calls a line of the text; null for one that isn't shown. */
  lineNumber(line: number): number | null {
    return line;
  }

  /** Whether what a line gives is shown here. */
  isOwn(line: number): boolean {
    return line > 0;
  }

  /** A problem in words, with the line as the reader calls it. */
  speech({ speech, line }: Diagnostic): string {
    return speech.replace(`, line ${line}.`, messages.spokenPlace(this.lineNumber(line)));
  }

  /** Puts the caret at the beginning of a line. */
  goToLine(line: number): void {
    const before = this.text.value.split("\n").slice(0, line - 1);
    this.editor?.goTo(before.reduce((offset, text) => offset + text.length + 1, 0));
  }

  attach(editor: Editor): void {
    this.editor = editor;
    const checked = this.checking.latest.peek();
    if (checked !== null) editor.annotate(checked.check.inlays);
  }

  /** Puts the focus into the text, where that brings up no soft keyboard. */
  focusText(): void {
    if (!isTouch()) this.editor?.focus();
  }

  /** Changes the text, as one step of the undo history. */
  edit(edits: readonly Edit[]): void {
    this.editor?.apply(edits);
    this.focusText();
  }

  /** Makes a fix's edits, unless the text has changed since the fix was found. */
  applyFix(fix: Fix): void {
    if (!this.canEdit || this.checking.latest.value?.text !== this.text.value) return;
    const hunks = previewOf(this.text.value, fix.edits);
    this.edit(fix.edits);
    const [first] = hunks;
    if (first === undefined) return;
    const line = this.lineNumber(first.line) ?? first.line;
    this.announcement.value = messages.announceFixed(line, first.after.length);
  }

  /** Somebody asked for a run of the text as it stands. */
  run(): void {
    this.consent();
    const checked = this.checking.latest.value;
    const text = this.text.value;
    const isChecked = checked?.text === text;
    this.running.request({
      text,
      scriptRuns: !isChecked || isClean(checked),
      cost: isChecked ? this.sizing.cost.value : null,
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
    this.sizing.choose(name, value, this.text.value);
    this.consent();
    this.priceAndRun();
  }

  resetSizes(): void {
    this.running.chosen.value = {};
    this.runIfCheap();
  }

  setFill(fill: RunOptions["fill"]): void {
    this.running.fill.value = fill;
    this.runIfCheap();
  }

  /** Whether the text may run before somebody asks for it. */
  protected abstract get runsUnasked(): boolean;

  /** Somebody asked for a run. */
  protected abstract consent(): void;

  /** Asks what the checked text costs with the chosen sizes, then runs it by itself if that is cheap. */
  private priceAndRun(): void {
    void this.sizing.price(() => {
      this.runIfCheap();
    });
  }

  /** Runs the text by itself if it is checked, cheap and not a stranger's. */
  protected runIfCheap(): void {
    const checked = this.checking.latest.value;
    if (checked?.text !== this.text.value || !this.runsUnasked) return;
    if (!this.running.isCheap(this.sizing.cost.value)) return;
    this.running.request({
      text: checked.text,
      scriptRuns: isClean(checked),
      cost: this.sizing.cost.value,
    });
  }
}
