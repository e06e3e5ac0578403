/** The editor: CodeMirror in a shadow root, where its styles work without `unsafe-inline`. */
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  insertTab,
  isolateHistory,
  toggleComment,
  undo,
} from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { Compartment, EditorSelection, EditorState, Transaction, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
  type Command,
} from "@codemirror/view";
import { difference, movedPlace } from "../app/caret";
import type { Diagnostic, Edit, Inlay, Range } from "../engine/contract";
import { messages } from "../messages";
import { NARROW } from "../ui/narrow";
import { changed, CHANGED_MS, hideChanged, showChanged } from "./changed";
import { completion, completionKeys, type Complete } from "./completion";
import { diagnostics, gutterClick, lineOfShown, setDiagnostics, type ProblemActions } from "./diagnostics";
import { drawn, setDrawn, setDrawnHeight } from "./drawn";
import { softWrap } from "./hanging-indent";
import { typeTips, type AskHover } from "./hover";
import { inlays, setInlays } from "./inlays";
import { strandLanguage } from "./language";
import { partner, setLit } from "./partner";
import { strandTheme } from "./theme";

export interface EditorOptions {
  text: string;
  selection: { from: number; to: number };
  /** Called after every change of the text. */
  onChange: (text: string) => void;
  /** Called when the caret moves; the offset is the selection's head. */
  onCaret: (offset: number) => void;
  /** Called when the text gets or loses the focus. */
  onFocus: (focused: boolean) => void;
  /** Called with the offset under the pointer, null when it leaves the text. */
  onPoint: (offset: number | null) => void;
  /** How lines are numbered, where not from 1 on. */
  lineNumber?: (line: number, state: EditorState) => string;
  /** What this editor can or can't do beyond the others. */
  more?: Extension;
  complete: Complete;
  problems: ProblemActions;
  hover: AskHover;
}

/** Tab indents the selected lines, or moves on to the next multiple of four columns. Esc then Tab leaves the editor. */
const tab: Command = (view) => {
  if (view.state.selection.ranges.some((range) => !range.empty)) return insertTab(view);
  const { state } = view;
  view.dispatch(
    state.changeByRange((range) => {
      const column = range.from - state.doc.lineAt(range.from).from;
      const spaces = " ".repeat(4 - (column % 4));
      return {
        changes: { from: range.from, insert: spaces },
        range: EditorSelection.cursor(range.from + spaces.length),
      };
    }),
    { userEvent: "input.indent", scrollIntoView: true },
  );
  return true;
};

/**
 * Text typed over a selection. Left to itself the browser would carry the look of what was selected over to the new
 * text in a style attribute, which the page's policy forbids.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== "insertText" || event.data === null || event.isComposing) return false;
  if (view.state.selection.ranges.every((range) => range.empty)) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

export class Editor {
  readonly view: EditorView;
  private readonly wrapping = new Compartment();
  private readonly past = new Compartment();
  /** Pixels: what the last drawing had, which the next one probably has too. */
  private drawnHeight = 240;
  private changedTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly narrow = window.matchMedia(NARROW);

  constructor(host: HTMLElement, options: EditorOptions) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const end = options.text.length;
    this.view = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: options.text,
        selection: EditorSelection.single(
          Math.min(options.selection.from, end),
          Math.min(options.selection.to, end),
        ),
        extensions: [
          lineNumbers({
            ...(options.lineNumber === undefined ? {} : { formatNumber: options.lineNumber }),
            domEventHandlers: { click: (view, line) => gutterClick(options.problems)(view, line.from) },
          }),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          drawSelection(),
          this.past.of(history()),
          bracketMatching(),
          indentOnInput(),
          strandLanguage(),
          strandTheme(),
          drawn(),
          diagnostics(options.problems),
          inlays(),
          changed(),
          partner(),
          completion(options.complete),
          typeTips(options.hover),
          tooltips({ position: "fixed" }),
          this.wrapping.of(this.narrow.matches ? softWrap() : []),
          EditorView.contentAttributes.of({
            "aria-label": messages.editorLabel,
            tabindex: "0",
            "aria-description": messages.editorDescription,
            autocapitalize: "off",
            autocorrect: "off",
            spellcheck: "false",
            translate: "no",
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) options.onChange(update.state.doc.toString());
            if (update.focusChanged) options.onFocus(update.view.hasFocus);
            if (update.selectionSet || update.docChanged) options.onCaret(update.state.selection.main.head);
          }),
          EditorView.domEventHandlers({
            beforeinput: replaceSelected,
            mousemove: (event, view) => {
              options.onPoint(view.posAtCoords({ x: event.clientX, y: event.clientY }));
            },
            mouseleave: () => {
              options.onPoint(null);
            },
          }),
          options.more ?? [],
          keymap.of([
            ...completionKeys,
            { key: "Mod-/", run: toggleComment },
            { key: "Tab", run: tab, shift: indentLess },
            // Run is the page's, from wherever the focus is.
            { key: "Mod-Enter", run: () => true },
            ...defaultKeymap,
            ...historyKeymap,
          ]),
        ],
      }),
    });
    this.narrow.addEventListener("change", () => {
      this.view.dispatch({
        effects: this.wrapping.reconfigure(this.narrow.matches ? softWrap() : []),
      });
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get selection(): { from: number; to: number } {
    const { anchor, head } = this.view.state.selection.main;
    return { from: anchor, to: head };
  }

  /** 1-based line of the caret. */
  get caretLine(): number {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }

  /** Replaces the whole text, as one step of the undo history. */
  replace(text: string, selection = { from: 0, to: 0 }): void {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: EditorSelection.single(
        Math.min(selection.from, text.length),
        Math.min(selection.to, text.length),
      ),
      annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.replace")],
      scrollIntoView: true,
    });
  }

  /** Forgets what could be undone. */
  forgetPast(): void {
    this.view.dispatch({ effects: this.past.reconfigure([]) });
    this.view.dispatch({ effects: this.past.reconfigure(history()) });
  }

  /** Makes a fix's edits, as one step of the undo history. */
  apply(edits: readonly Edit[]): void {
    const changes = this.view.state.changes(
      edits.map(({ range, text }) => ({ from: range.from, to: range.to, insert: text })),
    );
    const first = Math.min(...edits.map(({ range }) => range.from));
    this.view.dispatch({
      changes,
      annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.fix")],
      effects: [
        showChanged.of(changes),
        EditorView.scrollIntoView(changes.mapPos(first, -1), { y: "nearest", yMargin: 80 }),
      ],
    });
    clearTimeout(this.changedTimer);
    this.changedTimer = setTimeout(() => {
      this.view.dispatch({ effects: hideChanged.of(null) });
    }, CHANGED_MS);
  }

  show(found: readonly Diagnostic[]): void {
    this.view.dispatch({ effects: setDiagnostics.of(found) });
  }

  /** The 1-based line where a shown problem stands now, null where it isn't shown. */
  lineOf(problem: Diagnostic): number | null {
    return lineOfShown(this.view.state, problem);
  }

  /** Makes room for a drawing beneath the line that holds the offset, or takes it away. */
  draw(offset: number | null): void {
    this.view.dispatch({
      effects: setDrawn.of(offset === null ? null : { offset, height: this.drawnHeight }),
    });
  }

  /** The drawing is that high now. */
  drawnResized(height: number): void {
    this.drawnHeight = height;
    this.view.dispatch({ effects: setDrawnHeight.of(height) });
  }

  annotate(hints: readonly Inlay[]): void {
    this.view.dispatch({ effects: setInlays.of(hints) });
  }

  light(range: Range | null): void {
    this.view.dispatch({ effects: setLit.of(range) });
  }

  /** Puts the caret there, in view, with the focus; `near` leaves the text where it is if the place is in view. */
  goTo(offset: number, near = false): void {
    const position = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({
      selection: EditorSelection.cursor(position),
      effects: EditorView.scrollIntoView(position, near ? { y: "nearest", yMargin: 60 } : { y: "center" }),
    });
    this.view.focus();
  }

  /** Puts the caret there without taking the focus or moving the text. */
  select(offset: number): void {
    const position = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({ selection: EditorSelection.cursor(position) });
  }

  /**
   * Puts text in at the caret, which then stands `caret` into it. What was selected comes to stand there. `spaced` text
   * has a space before it.
   */
  insert(text: string, caret: number, spaced: boolean): void {
    const { state } = this.view;
    this.view.dispatch(
      state.changeByRange((range) => {
        const before = state.sliceDoc(Math.max(range.from - 1, 0), range.from);
        const gap = spaced && /\S/.test(before) ? " " : "";
        const selected = state.sliceDoc(range.from, range.to);
        const kept = caret < text.length ? selected : "";
        const insert = gap + text.slice(0, caret) + kept + text.slice(caret);
        const place = range.from + gap.length + caret;
        return {
          changes: { from: range.from, to: range.to, insert },
          range: EditorSelection.range(place, place + kept.length),
        };
      }),
      { userEvent: "input.type", scrollIntoView: true },
    );
  }

  indent(): void {
    tab(this.view);
  }

  undo(): void {
    undo(this.view);
  }

  /** Puts the text's other form in its place, as one step of the undo history; the caret stays by its token. */
  format(formatted: string): void {
    const { state } = this.view;
    const text = state.doc.toString();
    const { anchor, head } = state.selection.main;
    this.view.dispatch({
      changes: difference(text, formatted),
      selection: EditorSelection.single(
        movedPlace(text, formatted, anchor),
        movedPlace(text, formatted, head),
      ),
      annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.format")],
      scrollIntoView: true,
    });
  }

  focus(): void {
    this.view.focus();
  }

  /** Gives the focus away, so that a soft keyboard goes. */
  leave(): void {
    this.view.contentDOM.blur();
  }
}
