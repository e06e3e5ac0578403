/** What the engine knows of the piece of the text under the pointer, or under a finger that taps it. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, showTooltip, type Tooltip } from "@codemirror/view";
import type { Hover } from "../engine/contract";
import { hasDiagnosticAt } from "./diagnostics";

export type AskHover = (text: string, offset: number) => Promise<Hover | null>;

/** A sentence with its pieces of code, which stand between backticks, as such. */
function sentence(text: string): Node[] {
  return text.split("`").map((piece, index) => {
    if (index % 2 === 0) return document.createTextNode(piece);
    const code = document.createElement("code");
    code.textContent = piece;
    return code;
  });
}

function tip(hover: Hover): HTMLElement {
  const box = document.createElement("div");
  box.className = "strand-tip";
  const type = document.createElement("p");
  type.className = "strand-tip-type";
  type.textContent = hover.type;
  box.append(type);
  for (const detail of hover.detail) {
    const line = document.createElement("p");
    line.className = "strand-tip-detail";
    line.append(...sentence(detail));
    box.append(line);
  }
  return box;
}

async function tooltipAt(view: EditorView, position: number, ask: AskHover): Promise<Tooltip | null> {
  if (hasDiagnosticAt(view.state, position)) return null;
  const text = view.state.doc.toString();
  const found = await ask(text, position);
  if (found === null || view.state.doc.toString() !== text) return null;
  return { pos: found.range.from, end: found.range.to, create: () => ({ dom: tip(found) }) };
}

const setTapped = StateEffect.define<Tooltip | null>();

/** The tip of the last tap; an edit or the next tap takes it away. */
const tapped = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setTapped)) return effect.value;
    return transaction.docChanged ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

function isTouch(event: MouseEvent): boolean {
  return event instanceof PointerEvent && event.pointerType === "touch";
}

/** Only a name or an operator has something to tell: a tap on empty space just places the caret. */
function isOnText(view: EditorView, event: MouseEvent, position: number): boolean {
  const place = view.coordsAtPos(position);
  const near = place !== null && Math.abs(place.left - event.clientX) < 24;
  return near && /\S/.test(view.state.sliceDoc(Math.max(position - 1, 0), position + 1));
}

function taps(ask: AskHover): Extension {
  let last = 0;
  return EditorView.domEventHandlers({
    click: (event, view) => {
      if (!isTouch(event)) return;
      const turn = ++last;
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
      const asked = position !== null && isOnText(view, event, position);
      if (view.state.field(tapped) !== null) view.dispatch({ effects: setTapped.of(null) });
      if (!asked) return;
      void tooltipAt(view, position, ask).then((tooltip) => {
        if (tooltip !== null && turn === last) view.dispatch({ effects: setTapped.of(tooltip) });
      });
    },
  });
}

export function typeTips(ask: AskHover): Extension {
  // A browser follows a tap with the movement of a mouse, whose tip would be a second one.
  let isTapping = false;
  const pointers = EditorView.domEventHandlers({
    pointerdown: ({ pointerType }) => {
      isTapping = pointerType === "touch";
    },
    pointermove: ({ pointerType }) => {
      isTapping = pointerType === "touch";
    },
  });
  return [
    pointers,
    hoverTooltip((view, position) => (isTapping ? null : tooltipAt(view, position, ask)), {
      hideOnChange: true,
    }),
    tapped,
    taps(ask),
  ];
}
