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
  WidgetType,
  type DecorationSet,
  type Tooltip,
} from "@codemirror/view";
import type { Diagnostic, Fix } from "../engine/contract";
import { messages } from "../messages";

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
  element.textContent = text;
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

function tip(diagnostic: Diagnostic, apply: (fix: Fix) => void): HTMLElement {
  const box = document.createElement("div");
  box.className = "strand-tip";
  const head = document.createElement("p");
  const code = document.createElement("span");
  code.className = `strand-tip-code is-${diagnostic.severity}`;
  code.textContent = diagnostic.code;
  head.append(code, diagnostic.message);
  box.append(head);
  for (const note of diagnostic.notes) box.append(paragraph(note, "strand-tip-detail"));
  for (const fix of diagnostic.fixes) box.append(fixButton(fix, apply));
  return box;
}

function tooltip(apply: (fix: Fix) => void): Extension {
  return hoverTooltip(
    (view, position): Tooltip | null => {
      const here = at(view.state, position);
      const first = here[0];
      if (first === undefined) return null;
      return {
        pos: first.from,
        end: Math.max(first.to, first.from + 1),
        create: () => {
          const dom = document.createElement("div");
          for (const { diagnostic } of here) dom.append(tip(diagnostic, apply));
          return { dom };
        },
      };
    },
    { hideOnChange: true },
  );
}

/** `apply` is given the fix that a person chose in a tooltip. */
export function diagnostics(apply: (fix: Fix) => void): Extension {
  return [field, errorLines, tooltip(apply)];
}
