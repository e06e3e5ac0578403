/** The lines that a fix changed, shown for a moment: on a phone nothing else says what became of a tap. */
import { StateEffect, StateField, type ChangeSet, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export const CHANGED_MS = 2500;

/** Shows what the changes of the same transaction wrote. */
export const showChanged = StateEffect.define<ChangeSet>();
export const hideChanged = StateEffect.define();

const line = Decoration.line({ class: "strand-changed" });

function changedLines(state: EditorState, changes: ChangeSet): DecorationSet {
  const starts = new Set<number>();
  changes.iterChangedRanges((_fromBefore, _toBefore, from, to) => {
    // What ends with a line break changed nothing of the line behind it.
    const end = to > from && state.doc.lineAt(to).from === to ? to - 1 : to;
    for (let at = from; at <= end;) {
      const here = state.doc.lineAt(at);
      starts.add(here.from);
      at = here.to + 1;
    }
  });
  return Decoration.set([...starts].sort((a, b) => a - b).map((start) => line.range(start)));
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { effects, changes, state }) {
    for (const effect of effects) {
      if (effect.is(showChanged)) return changedLines(state, effect.value);
      if (effect.is(hideChanged)) return Decoration.none;
    }
    return lines.map(changes);
  },
  provide: (self) => EditorView.decorations.from(self),
});

export function changed(): Extension {
  return field;
}
