/** The stretch of the program that answers to what is pointed at in the PyTorch text. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { Range } from "../engine/contract";

export const setLit = StateEffect.define<Range | null>();

const mark = Decoration.mark({ class: "strand-lit" });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setLit)) continue;
      const range = effect.value;
      if (range === null || range.from >= range.to || range.to > transaction.state.doc.length)
        return Decoration.none;
      return Decoration.set([mark.range(range.from, range.to)]);
    }
    return transaction.docChanged ? Decoration.none : decorations;
  },
  provide: (self) => EditorView.decorations.from(self),
});

export function partner(): Extension {
  return field;
}
