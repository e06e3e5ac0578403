/** Squiggles, the places they point at, and the tooltip with what is wrong and the edits that mend it. */
import {
  RangeSet,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type Range,
} from "@codemirror/state";
import {
  Decoration,
  EditorView,
  GutterMarker,
  gutterLineClass,
  hoverTooltip,
  keymap,
  WidgetType,
  type Command,
  type DecorationSet,
  type Tooltip,
} from "@codemirror/view";
import type { Diagnostic, Fix } from "../engine/contract";
import { messages } from "../messages";
import { drawnLine } from "./drawn";

export const setDiagnostics = StateEffect.define<readonly Diagnostic[]>();

interface Shown {
  diagnostic: Diagnostic;
  from: number;
  to: number;
}

interface Marks {
  shown: readonly Shown[];
  decorations: DecorationSet;
}

class PointWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    const point = document.createElement("span");
    point.className = "strand-point";
    return point;
  }
}

function marksOf(diagnostics: readonly Diagnostic[], state: EditorState): Marks {
  const end = state.doc.length;
  const within = (offset: number) => Math.min(Math.max(offset, 0), end);
  const ranges: Range<Decoration>[] = [];
  const shown: Shown[] = [];
  for (const diagnostic of diagnostics) {
    const from = within(diagnostic.range.from);
    const to = Math.max(from, within(diagnostic.range.to));
    shown.push({ diagnostic, from, to });
    if (from === to) ranges.push(Decoration.widget({ widget: new PointWidget(), side: 1 }).range(from));
    else ranges.push(Decoration.mark({ class: `strand-${diagnostic.severity}` }).range(from, to));
    if (diagnostic.severity !== "error") continue;
    for (const label of diagnostic.labels) {
      const labelFrom = within(label.range.from);
      const labelTo = within(label.range.to);
      if (labelFrom < labelTo)
        ranges.push(Decoration.mark({ class: "strand-label" }).range(labelFrom, labelTo));
    }
  }
  return { shown, decorations: Decoration.set(ranges, true) };
}

const field = StateField.define<Marks>({
  create: () => ({ shown: [], decorations: Decoration.none }),
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setDiagnostics)) return marksOf(effect.value, transaction.state);
    }
    if (!transaction.docChanged) return marks;
    return {
      shown: marks.shown.map((shown) => ({
        diagnostic: shown.diagnostic,
        from: transaction.changes.mapPos(shown.from, 1),
        to: transaction.changes.mapPos(shown.to, -1),
      })),
      decorations: marks.decorations.map(transaction.changes),
    };
  },
  provide: (self) => EditorView.decorations.from(self, (marks) => marks.decorations),
});

class ErrorLine extends GutterMarker {
  override elementClass = "strand-error-line";
}
const errorLine = new ErrorLine();

const errorLines = gutterLineClass.compute([field], (state) => {
  const starts = new Set(
    state
      .field(field)
      .shown.filter(({ diagnostic }) => diagnostic.severity === "error")
      .map(({ from }) => state.doc.lineAt(Math.min(from, state.doc.length)).from),
  );
  return RangeSet.of(
    [...starts].sort((a, b) => a - b).map((from) => errorLine.range(from)),
    true,
  );
});

function at(state: EditorState, position: number): Shown[] {
  return state
    .field(field)
    .shown.filter(({ from, to }) => from <= position && position <= Math.max(to, from + 1));
}

/** Whether a diagnostic stands at the position: its tooltip takes the place of the type's. */
export function hasDiagnosticAt(state: EditorState, position: number): boolean {
  return at(state, position).length > 0;
}

function paragraph(text: string, className = ""): HTMLElement {
  const element = document.createElement("p");
  element.className = className;
  text.split("`").forEach((part, index, parts) => {
    // One backtick alone is a character.
    const isCode = index % 2 === 1 && parts.length % 2 === 1;
    if (!isCode) element.append(index > 0 && parts.length % 2 === 0 ? `\`${part}` : part);
    else element.append(Object.assign(document.createElement("code"), { textContent: part }));
  });
  return element;
}

function fixButton(fix: Fix, apply: (fix: Fix) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = fix.type === null ? fix.title : messages.fixWithType(fix.title, fix.type);
  button.addEventListener("click", () => {
    apply(fix);
  });
  return button;
}

function tip(diagnostic: Diagnostic, apply: ((fix: Fix) => void) | null): HTMLElement {
  const box = document.createElement("div");
  box.className = "strand-tip";
  const head = document.createElement("p");
  const code = document.createElement("span");
  code.className = `strand-tip-code is-${diagnostic.severity}`;
  code.textContent = diagnostic.code;
  head.append(code, diagnostic.message);
  box.append(head);
  for (const note of diagnostic.notes) box.append(paragraph(note, "strand-tip-detail"));
  if (apply !== null) for (const fix of diagnostic.fixes) box.append(fixButton(fix, apply));
  return box;
}

function tooltip(apply: (fix: Fix) => void): Extension {
  return hoverTooltip(
    (view, position): Tooltip | null => {
      const here = at(view.state, position);
      const first = here[0];
      if (first === undefined) return null;
      // Its drawing says all of it, and stands right there.
      if (drawnLine(view.state) === view.state.doc.lineAt(first.from).number) return null;
      return {
        pos: first.from,
        end: Math.max(first.to, first.from + 1),
        create: () => {
          const dom = document.createElement("div");
          for (const { diagnostic } of here) dom.append(tip(diagnostic, view.state.readOnly ? null : apply));
          return { dom };
        },
      };
    },
    { hideOnChange: true },
  );
}

/** What can be done with a problem from inside the editor. */
export interface ProblemActions {
  /** A fix was chosen in a tooltip. */
  apply: (fix: Fix) => void;
  /** Opens a problem's drawing beneath its line. */
  open: (diagnostic: Diagnostic) => void;
  /** Closes the drawing that is open; false where there is none. */
  close: () => boolean;
  /** Moves the focus into the open drawing. */
  enter: () => void;
}

/** The problem that F8 came to last, until the caret moves on or the text changes. */
const visited = StateField.define<Diagnostic | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setVisited)) return effect.value;
    return transaction.docChanged || transaction.selection !== undefined ? null : value;
  },
});
const setVisited = StateEffect.define<Diagnostic | null>();

/** The next problem after the caret, or before it; from the last one to the first. */
export function neighbour(state: EditorState, step: 1 | -1): Diagnostic | null {
  const { shown } = state.field(field);
  const inOrder = [...shown].sort((a, b) => a.from - b.from);
  const here = state.field(visited);
  const at = inOrder.findIndex(({ diagnostic }) => diagnostic === here);
  if (at >= 0) return inOrder[(at + step + inOrder.length) % inOrder.length]?.diagnostic ?? null;
  const caret = state.selection.main.head;
  const next =
    step === 1
      ? (inOrder.find(({ from }) => from > caret) ?? inOrder[0])
      : (inOrder.findLast(({ from }) => from < caret) ?? inOrder.at(-1));
  return next?.diagnostic ?? null;
}

/** The 1-based line where a shown problem stands now, after the edits since it was found. */
export function lineOfShown(state: EditorState, diagnostic: Diagnostic): number | null {
  const found = state.field(field).shown.find((shown) => shown.diagnostic === diagnostic);
  return found === undefined ? null : state.doc.lineAt(Math.min(found.from, state.doc.length)).number;
}

function visit(step: 1 | -1, actions: ProblemActions): Command {
  return (view) => {
    const next = neighbour(view.state, step);
    if (next === null) return true;
    actions.open(next);
    view.dispatch({ effects: setVisited.of(next) });
    return true;
  };
}

function keys(actions: ProblemActions): Extension {
  const enter: Command = (view) => {
    if (view.state.field(visited) === null) return false;
    actions.enter();
    return true;
  };
  const quickFix: Command = (view) => {
    const caret = view.state.selection.main.head;
    const line = view.state.doc.lineAt(caret);
    const { shown } = view.state.field(field);
    const here = at(view.state, caret)[0] ?? shown.find(({ from }) => from >= line.from && from <= line.to);
    if (here === undefined) return true;
    actions.open(here.diagnostic);
    actions.enter();
    return true;
  };
  return keymap.of([
    { key: "F8", run: visit(1, actions), shift: visit(-1, actions) },
    { key: "Enter", run: enter },
    { key: "Mod-.", run: quickFix },
    {
      key: "Escape",
      run: () => {
        // Escape also lets Tab leave the editor, so others hear of it too.
        actions.close();
        return false;
      },
    },
  ]);
}

/** A click or tap on a squiggle opens its drawing; a drag that selects text doesn't. */
function squiggles(actions: ProblemActions): Extension {
  return EditorView.domEventHandlers({
    click: (event, view) => {
      const mark =
        event.target instanceof Element &&
        event.target.closest(".strand-error, .strand-warning, .strand-hint, .strand-point");
      if (!mark || !view.state.selection.main.empty) return false;
      const [here] = at(view.state, view.posAtDOM(mark));
      if (here !== undefined) actions.open(here.diagnostic);
      return false;
    },
  });
}

/** What a click on a line's number does: the drawing of the line's first problem opens, or closes. */
export function gutterClick(actions: ProblemActions) {
  return (view: EditorView, lineStart: number): boolean => {
    const line = view.state.doc.lineAt(lineStart);
    const here = view.state
      .field(field)
      .shown.find(({ from }) => from >= line.from && from <= line.to)?.diagnostic;
    if (here === undefined) return false;
    if (drawnLine(view.state) === line.number) actions.close();
    else actions.open(here);
    return true;
  };
}

export function diagnostics(actions: ProblemActions): Extension {
  return [field, visited, errorLines, tooltip(actions.apply), squiggles(actions), keys(actions)];
}
