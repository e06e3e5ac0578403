/** The types that stand after the lines of a pipe. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { Inlay } from "../engine/contract";

export const setInlays = StateEffect.define<readonly Inlay[]>();

class InlayWidget extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }
  override eq(other: InlayWidget): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "strand-inlay";
    element.textContent = this.text;
    // The same type is told by the hover and the caret's line; in the text it would be read as part of the program.
    element.setAttribute("aria-hidden", "true");
    return element;
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setInlays)) continue;
      const end = transaction.state.doc.length;
      const ranges = effect.value
        .filter((inlay) => inlay.position <= end)
        .map((inlay) =>
          Decoration.widget({ widget: new InlayWidget(inlay.text), side: 1 }).range(inlay.position),
        );
      return Decoration.set(ranges, true);
    }
    return transaction.docChanged ? decorations.map(transaction.changes) : decorations;
  },
  provide: (self) => EditorView.decorations.from(self),
});

export function inlays(): Extension {
  return field;
}
