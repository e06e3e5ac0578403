/** One snippet's program, checked and run by the engine that all snippets of the page share. */
import { effect } from "@preact/signals";
import { Program } from "../app/program";
import { copyText, makeLink } from "../app/sharing";
import type { Checked } from "../engine/check-client";
import type { Diagnostic } from "../engine/contract";
import { EngineUnavailable } from "../engine/load";
import { messages } from "../messages";
import { hiddenBefore, isHidden, isOpen } from "./hidden";
import type { SharedEngine } from "./shared";
import type { SnippetSource } from "./source";

/** What an author can hear of a snippet. */
export interface SnippetEvents {
  /** The program can be edited and run. */
  ready: Record<string, never>;
  /** A run has ended by itself: the values it shows. */
  result: { values: { name: string; dtype: string; shape: number[] }[]; printed: string[] };
  /** The program, or the engine, isn't as it should be. */
  error: { code: string | null; line: number | null; message: string };
}

export type Tell = <K extends keyof SnippetEvents>(kind: K, detail: SnippetEvents[K]) => void;

/** What an author hears of what no line of the program is to blame for. */
export function complaint(message: string): SnippetEvents["error"] {
  return { code: null, line: null, message };
}

function isSame(one: Diagnostic | null, other: Diagnostic | null): boolean {
  const said = (it: Diagnostic) => `${it.code} ${it.line} ${it.message}`;
  return one === other || (one !== null && other !== null && said(one) === said(other));
}

export class Snippet extends Program {
  override readonly notRun = null;
  private told: Diagnostic | null = null;
  private isReady = false;
  /** The element was taken out of its page. */
  private isAway = false;
  /** Somebody wants a run as soon as it is known whether there is one anyway. */
  private wantsRun = false;

  constructor(
    readonly source: SnippetSource,
    /** The root of the site that has the playground. */
    override readonly site: string,
    private readonly tell: Tell,
    private readonly isReadOnly: boolean,
  ) {
    super(source.text, 0);
    effect(() => {
      const problems = this.checking.problems.value;
      // A mark in a hidden line would be drawn on the one that follows.
      this.editor?.show(problems.filter(({ line }) => this.lineNumber(line) !== null));
      this.tellOf(this.checking.firstError.value);
    });
    effect(() => {
      const { status, result } = this.running.state.value;
      if (status === "done" && result?.error === null) this.tellResult();
      if (status === "crashed") tell("error", complaint(this.running.state.value.crash ?? ""));
    });
  }

  /** Takes the engine; gives whether there is one. */
  async start(engine: Promise<SharedEngine>): Promise<boolean> {
    try {
      const { check, run } = await engine;
      this.engine.value = { kind: "ready" };
      this.checking.start((onChecked, onCrash) =>
        check((checked) => {
          onChecked(this.withOpenFixes(checked));
        }, onCrash),
      );
      this.running.start(run);
      return true;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      const message = error.isForbidden ? messages.snippetForbidden : error.message;
      this.engine.value = { kind: "failed", message };
      this.tell("error", complaint(message));
      return false;
    }
  }

  edited(text: string): void {
    if (text === this.text.value) return;
    this.text.value = text;
    this.announcement.value = "";
    this.checking.edited();
  }

  /** Lines that the reader sees are counted from 1 on. */
  override lineNumber(line: number): number | null {
    if (this.editor === null) return line;
    const { state } = this.editor.view;
    return isHidden(state, line) ? null : line - hiddenBefore(state, line);
  }

  /** The pieces before this one show their values themselves. */
  override isOwn(line: number): boolean {
    return line > this.source.setUp;
  }

  /** Copies a link to the program in the playground. */
  override async share(problem: Diagnostic | null = null): Promise<void> {
    const link = await makeLink(
      {
        text: this.text.value,
        sizes: this.running.chosen.value,
        tab: "result",
        selection: problem?.range ?? { from: 0, to: 0 },
      },
      this.site,
    );
    if (await copyText(link)) this.announcement.value = messages.linkCopied;
    else window.open(link, "_blank", "noopener");
  }

  override get canEdit(): boolean {
    return !this.isReadOnly;
  }

  /** Nobody sees what the program gives any more: its run ends, so that those of others have their turn. */
  leave(): void {
    this.isAway = true;
    this.wantsRun = false;
    this.stop();
  }

  /** It stands in a page again. */
  comeBack(): void {
    this.isAway = false;
  }

  protected override get runsUnasked(): boolean {
    return !this.isAway;
  }

  protected override consent(): void {
    // An author's program runs as it stands.
  }

  /** Runs once the text is checked, whatever that costs. */
  runSoon(): void {
    this.wantsRun = true;
  }

  protected override checked(checked: Checked): void {
    super.checked(checked);
    if (this.wantsRun && !this.running.isRunning.value) this.run();
    this.wantsRun = false;
    if (this.isReady) return;
    this.isReady = true;
    this.tell("ready", {});
  }

  /** Only fixes that change what the reader sees are offered. */
  private withOpenFixes(checked: Checked): Checked {
    const state = this.editor?.view.state;
    if (state?.doc.toString() !== checked.text) return checked;
    const diagnostics = checked.check.diagnostics.map((diagnostic) => {
      const fixes = diagnostic.fixes.filter(({ edits }) => edits.every((edit) => isOpen(state, edit)));
      if (fixes.length === diagnostic.fixes.length) return diagnostic;
      return { ...diagnostic, fixes, speech: diagnostic.speech.replace(/ \w+ fix(es)?\.$/, "") };
    });
    return { ...checked, check: { ...checked.check, diagnostics } };
  }

  private tellOf(error: Diagnostic | null): void {
    const isKnown = isSame(error, this.told);
    this.told = error;
    if (error === null || isKnown) return;
    this.tell("error", { code: error.code, line: this.lineNumber(error.line), message: error.message });
  }

  private tellResult(): void {
    const outcome = this.running.outcome.peek();
    const own = outcome?.items.filter(({ line }) => this.isOwn(line));
    const shown = own?.flatMap((item) => (item.kind === "value" ? [item.value] : (item.result ?? [])));
    this.tell("result", {
      values: (shown ?? []).map(({ info: { name, dtype, shape } }) => ({ name, dtype, shape: [...shape] })),
      printed: outcome?.printed ?? [],
    });
  }
}
