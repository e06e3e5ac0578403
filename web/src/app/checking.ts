/** When the text is checked, and which of the problems found are shown while somebody types. */
import { computed, signal } from "@preact/signals";
import type { CheckClient, Checked } from "../engine/check-client";
import type { Completions, Cost, Diagnostic, Hover, RunError } from "../engine/contract";
import { EngineIncomplete } from "../engine/failures";
import { realClock, type Clock } from "./clock";
import { looksUnfinished, UNFINISHED_MS } from "./unfinished";
import { messages } from "../messages";
import { forgetCrashes, isPaused, recordCrash } from "../store/crash-guard";

const PAUSE_MS = 120;

/** What checks, of all that the client can do; `onChecked` and `onCrash` hear of it. */
export type Connect = (
  onChecked: (checked: Checked) => void,
  onCrash: (text: string, error: Error) => void,
) => Pick<CheckClient, "check" | "cancel" | "hover" | "complete" | "cost" | "format" | "markdown">;

export interface TypingState {
  text: string;
  caretLine: number;
}

function problemOf(error: RunError, text: string): Diagnostic {
  const start = text.lastIndexOf("\n", error.range.from - 1) + 1;
  return {
    ...error,
    severity: "error",
    column: Array.from(text.slice(start, error.range.from)).length + 1,
    labels: [],
    diff: null,
    notes: [],
    fixes: [],
    checked: null,
    source: error.rendered,
    speech: messages.spokenError(error.code, error.line, error.message),
  };
}

export class Checking {
  /** The last text that was checked, with what was found. */
  readonly latest = signal<Checked | null>(null);
  /** Why checking has stopped by itself, or null. */
  readonly paused = signal(false);
  /** The engine's last failure, for the reader. */
  readonly crash = signal<string | null>(null);
  /** The text as it stands waits to be checked. */
  readonly waits = signal(true);
  /** Some of what was found isn't shown yet: its line may be unfinished. */
  readonly holds = signal(false);

  private readonly found = signal<readonly Diagnostic[]>([]);
  private readonly whileRunning = signal<{
    text: string;
    problems: Diagnostic[];
    script: Diagnostic | null;
  } | null>(null);
  /** What the page shows: the checker's problems and those of the last run of the same text, in source order. */
  readonly problems = computed<readonly Diagnostic[]>(() => {
    const ran = this.whileRunning.value;
    if (ran === null || ran.text !== this.latest.value?.text || ran.problems.length === 0)
      return this.found.value;
    return [...this.found.value, ...ran.problems].sort((a, b) => a.range.from - b.range.from);
  });
  readonly errors = computed(() => this.problems.value.filter(({ severity }) => severity === "error"));
  /** The first error that concerns the whole program: the checker's, else the one that ended the script. */
  readonly firstError = computed(() => {
    const found = this.found.value.find(({ severity }) => severity === "error");
    const ran = this.whileRunning.value;
    return found ?? (ran?.text === this.latest.value?.text ? (ran?.script ?? null) : null);
  });

  /** The first place where a text without errors probably does what nobody means. */
  readonly firstWarning = computed(
    () => this.found.value.find(({ severity }) => severity === "warning") ?? null,
  );

  private client: ReturnType<Connect> | null = null;
  private begin: () => void = () => undefined;
  private readonly started = new Promise<void>((resolve) => {
    this.begin = resolve;
  });
  private dropCheck: () => void = () => undefined;
  private dropReveal: () => void = () => undefined;
  private lastEdit = -Infinity;

  constructor(
    private readonly typing: () => TypingState,
    private readonly onChecked: (checked: Checked) => void,
    private readonly clock: Clock = realClock,
  ) {}

  start(connect: Connect): void {
    this.client = connect(
      (checked) => {
        this.receive(checked);
      },
      (text, error) => {
        this.crashed(text, error);
      },
    );
    this.begin();
    this.checkNow();
  }

  /** Begins with what the build found of this very text. */
  adopt(checked: Checked): void {
    this.receive(checked);
    this.waits.value = true;
  }

  /** The text was edited: check it after a pause. */
  edited(): void {
    this.lastEdit = this.clock.now();
    this.waits.value = true;
    this.dropCheck();
    this.dropCheck = this.clock.after(PAUSE_MS, () => {
      this.checkNow();
    });
  }

  /** The text was replaced by another one: no pause, and nothing counts as unfinished. */
  replaced(): void {
    this.lastEdit = -Infinity;
    this.dropCheck();
    // What was found of the text before says nothing of this one.
    this.latest.value = null;
    this.found.value = [];
    this.checkNow();
  }

  caretMoved(): void {
    if (this.latest.value !== null) this.reveal();
  }

  /** Checks once more a text that checking was paused for. */
  resume(): void {
    forgetCrashes();
    this.paused.value = false;
    this.crash.value = null;
    this.checkNow();
  }

  hover(text: string, offset: number): Promise<Hover | null> {
    if (this.client === null || this.paused.value) return Promise.resolve(null);
    return this.client.hover(text, offset);
  }

  /** What may stand at an offset, or null where that can't be told now. */
  async complete(text: string, offset: number): Promise<Completions | null> {
    if (this.paused.value) return null;
    // Somebody may type before the engine is there: the list opens once it is.
    await this.started;
    return this.client?.complete(text, offset) ?? null;
  }

  /** What running a text with other sizes costs, or null where that can't be told. */
  cost(text: string, sizes: Record<string, number>): Promise<Cost | null> {
    if (this.client === null || this.paused.value) return Promise.resolve(null);
    return this.client.cost(text, sizes);
  }

  /** The text in the one style; null where that can't be told now. */
  format(text: string): Promise<string | null> {
    if (this.client === null || this.paused.value) return Promise.resolve(null);
    return this.client.format(text);
  }

  /** A problem that the checker found as Markdown; null where it found none such. */
  markdown(problem: Diagnostic): Promise<string | null> {
    const checked = this.latest.value;
    const index = checked?.check.diagnostics.indexOf(problem) ?? -1;
    if (this.client === null || checked === null || index < 0) return Promise.resolve(null);
    return this.client.markdown(checked.text, index);
  }

  /** Shows the errors of a run on their lines, as long as its text stands: the script's and those of sample calls. */
  ran(text: string, script: RunError | null, calls: readonly RunError[]): void {
    const ended = script === null ? null : problemOf(script, text);
    const problems = [...(ended === null ? [] : [ended]), ...calls.map((error) => problemOf(error, text))];
    this.whileRunning.value = { text, problems, script: ended };
  }

  private checkNow(): void {
    const { text } = this.typing();
    this.paused.value = isPaused(text);
    this.waits.value = !this.paused.value;
    if (this.paused.value) this.client?.cancel();
    else this.client?.check(text, true);
  }

  private receive(checked: Checked): void {
    if (checked.text !== this.typing().text) return;
    this.crash.value = null;
    this.latest.value = checked;
    this.reveal();
    this.onChecked(checked);
    this.waits.value = false;
  }

  private crashed(text: string, error: Error): void {
    const now = this.typing().text;
    if (error instanceof EngineIncomplete) {
      this.crash.value = messages.incomplete(error.message);
      if (text === now) this.waits.value = false;
      return;
    }
    recordCrash(text);
    this.crash.value = messages.crashed(error.message, __BUILD_ID__);
    this.paused.value = isPaused(now);
    if (this.paused.value) this.waits.value = false;
    if (text === now && !this.paused.value) this.client?.check(text, true);
  }

  private reveal(): void {
    const checked = this.latest.value;
    if (checked === null) return;
    const { caretLine } = this.typing();
    const left = UNFINISHED_MS - (this.clock.now() - this.lastEdit);
    const held = (diagnostic: Diagnostic) => left > 0 && looksUnfinished(diagnostic, checked.text, caretLine);
    const shown = checked.check.diagnostics.filter((diagnostic) => !held(diagnostic));
    this.dropReveal();
    this.holds.value = shown.length < checked.check.diagnostics.length;
    if (this.holds.value) {
      this.dropReveal = this.clock.after(left, () => {
        this.reveal();
      });
    }
    const before = this.found.value;
    const same =
      before.length === shown.length && before.every((diagnostic, index) => diagnostic === shown[index]);
    if (!same) this.found.value = shown;
  }
}
