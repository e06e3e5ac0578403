/**
 * Completion by shape. The engine says what may stand at the caret, already tried and in order; here it is shown and
 * written. Nothing is chosen until a key or a tap chooses it, so that Enter stays a new line while typing; only a name
 * that is no name yet is finished by it.
 */
import {
  acceptCompletion,
  autocompletion,
  completionStatus,
  currentCompletions,
  hasNextSnippetField,
  moveCompletionSelection,
  nextSnippetField,
  selectedCompletion,
  snippet,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { EditorView, type Command } from "@codemirror/view";
import type { CompletionItem, Completions } from "../engine/contract";
import { NARROW } from "../ui/narrow";

export type Complete = (text: string, offset: number) => Promise<Completions | null>;

/** What opens the list by itself: a stage, an axis, a type or field that is due, and a name being typed. */
const OPENS =
  /(?:\|> *|\bover ?= ?\(?|\bover ?= ?\([^()]*, ?|(?:^|[^\w.])(?:to|as) |(?:[\p{L}_][\p{L}\p{N}_]*|[)\]])\.|[\p{L}_][\p{L}\p{N}_]*)$/u;

const NAME = /^[\p{L}_][\p{L}\p{N}_]*/u;

/** Whether the list opens by itself after this text of the caret's line. */
export function opensBy(before: string): boolean {
  return OPENS.test(before);
}

/**
 * An item as a template of the editor: what a reader may want to change is a field, and fields with the same text are
 * one. The template's lines are indented by the line that they go into.
 */
export function templateOf(item: Pick<CompletionItem, "insert" | "holes">, indentation: string): string {
  const plain = (text: string) => text.replace(/[\\{}]/g, "\\$&").replaceAll(`\n${indentation}`, "\n");
  const numbers = new Map<string, number>();
  let template = "";
  let at = 0;
  for (const { from, to } of item.holes) {
    const text = item.insert.slice(from, to);
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    template += `${plain(item.insert.slice(at, from))}\${${number}:${text}}`;
    at = to;
  }
  template += plain(item.insert.slice(at));
  // Behind all fields stands where the caret goes last.
  return numbers.size === 0 ? template : `${template}\${}`;
}

function write(item: CompletionItem) {
  return (view: EditorView, completion: Completion, from: number, to: number): void => {
    const line = view.state.doc.lineAt(from).text;
    const indentation = /^ */.exec(line)?.[0] ?? "";
    snippet(templateOf(item, indentation))(view, completion, from, to);
    if (item.goesOn) startCompletion(view);
  };
}

/** A completion, and whether the name written so far is the start of its own and of nothing else. */
interface Offered extends Completion {
  finishes: boolean;
}

function optionOf(item: CompletionItem, written: string, isName: boolean): Offered {
  return {
    finishes: !isName && written.length > 1 && item.label.startsWith(written),
    label: item.insert,
    displayLabel: item.label,
    detail: item.type,
    type: item.kind,
    apply: write(item),
    ...(item.doc === "" ? {} : { info: item.doc }),
  };
}

function source(complete: Complete) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    const line = state.doc.lineAt(pos);
    if (!explicit && !opensBy(line.text.slice(0, pos - line.from))) return null;
    const found = await complete(state.doc.toString(), pos);
    if (found === null || context.aborted) return null;
    const { from, to } = found.range;
    const written = state.sliceDoc(from, to);
    const items = found.items.filter((item) => item.insert !== written);
    if (items.length === 0) return null;
    const isName = found.items.some(({ label }) => NAME.exec(label)?.[0] === written);
    const options = items.map((item) => optionOf(item, written, isName));
    return { from, to, options, filter: false };
  };
}

/** Writes the chosen item, or the first where none is chosen yet. */
const acceptFirst: Command = (view) => {
  if (completionStatus(view.state) !== "active" || currentCompletions(view.state).length === 0) return false;
  if (selectedCompletion(view.state) === null) moveCompletionSelection(true)(view);
  return acceptCompletion(view);
};

/** Finishes a name that is none yet. */
const finishName: Command = (view) => {
  const first = currentCompletions(view.state)[0] as Offered | undefined;
  return selectedCompletion(view.state) === null && first?.finishes === true && acceptFirst(view);
};

/** Leaves the fields of what was written, where the one that is marked is right as it stands. */
const leaveFields: Command = (view) => {
  if (view.state.selection.main.empty || !hasNextSnippetField(view.state)) return false;
  while (hasNextSnippetField(view.state)) nextSnippetField(view);
  return true;
};

/** Keys of the list and of what it wrote, to stand before those of the editor. */
export const completionKeys = [
  { key: "Tab", run: acceptFirst },
  { key: "Enter", run: (view: EditorView) => finishName(view) || leaveFields(view) },
];

const look = EditorView.theme({
  ".cm-tooltip.cm-tooltip-autocomplete": { padding: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontSize: "13px",
    lineHeight: "1.5",
    minWidth: "min(20rem, calc(100vw - 32px))",
    maxWidth: "min(36rem, calc(100vw - 32px))",
    maxHeight: "none",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    alignItems: "center",
    gap: "2ch",
    minHeight: "24px",
    padding: "0 8px",
    borderRadius: "5px",
    color: "var(--text)",
  },
  "@media (pointer: coarse)": {
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { minHeight: "44px" },
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--text)",
    backgroundColor: "var(--accent-soft)",
    boxShadow: "inset 0 0 0 1px var(--accent-line)",
  },
  ".cm-completionLabel": { overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent-text)" },
  ".cm-completionDetail": {
    marginLeft: "auto",
    flexShrink: "0",
    fontStyle: "normal",
    color: "var(--muted)",
    maxWidth: "60%",
    overflow: "hidden",
    textOverflow: "ellipsis",
  },
  ".cm-tooltip.cm-completionInfo": {
    padding: "8px 12px",
    maxWidth: "20rem",
    fontFamily: "var(--sans)",
    fontSize: "13px",
    lineHeight: "1.5",
  },
  // Where there is no room beside the list, the sentence would cover it.
  [`@media ${NARROW}`]: { ".cm-tooltip.cm-completionInfo": { display: "none" } },
  ".cm-snippetField": { backgroundColor: "var(--lit)" },
});

export function completion(complete: Complete): Extension {
  return [
    autocompletion({
      override: [source(complete)],
      icons: false,
      selectOnOpen: false,
      activateOnTypingDelay: 60,
      interactionDelay: 0,
      // The list is turned page by page, by keys or the marks at its ends: a region that scrolls would need the focus,
      // which stays in the text.
      maxRenderedOptions: matchMedia("(pointer: coarse)").matches ? 5 : 10,
    }),
    look,
  ];
}
