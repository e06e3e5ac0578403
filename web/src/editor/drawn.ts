/**
 * The place for the drawing of one problem, beneath its line. The drawing itself is a child of the editor's host, where
 * the page's styles are; a slot in the shadow root brings it here.
 */
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

export const DRAWN_SLOT = "drawn";

/** A place beneath the line that holds the offset, as high as the drawing is. */
export interface Place {
  offset: number;
  /** Pixels. */
  height: number;
}

/** Opens the place, or closes it. */
export const setDrawn = StateEffect.define<Place | null>();

/** The drawing has another height than the editor knows of. */
export const setDrawnHeight = StateEffect.define<number>();

class DrawnWidget extends WidgetType {
  constructor(private readonly height: number) {
    super();
  }
  override eq(other: DrawnWidget): boolean {
    return other.height === this.height;
  }
  override toDOM(): HTMLElement {
    const box = document.createElement("div");
    box.className = "strand-drawn";
    const slot = document.createElement("slot");
    slot.name = DRAWN_SLOT;
    box.append(slot);
    return box;
  }
  // Only the height differs, which the slotted drawing has by itself.
  override updateDOM(): boolean {
    return true;
  }
  override get estimatedHeight(): number {
    return this.height;
  }
}

interface Drawn {
  height: number;
  decorations: DecorationSet;
}

const NONE: Drawn = { height: 0, decorations: Decoration.none };

function beneath(state: EditorState, { offset, height }: Place): Drawn {
  const line = state.doc.lineAt(Math.min(Math.max(offset, 0), state.doc.length));
  const block = Decoration.widget({ widget: new DrawnWidget(height), side: 1, block: true });
  return { height, decorations: Decoration.set([block.range(line.to)]) };
}

function offsetOf({ decorations }: Drawn): number | null {
  const cursor = decorations.iter();
  return cursor.value === null ? null : cursor.from;
}

const field = StateField.define<Drawn>({
  create: () => NONE,
  update(value, transaction) {
    const { state, changes, effects } = transaction;
    for (const effect of effects)
      if (effect.is(setDrawn)) return effect.value === null ? NONE : beneath(state, effect.value);
    const offset = offsetOf(value);
    if (offset === null) return value;
    const resized = effects.find((effect) => effect.is(setDrawnHeight));
    if (resized !== undefined) return beneath(state, { offset, height: resized.value });
    // A block stands at a line's end only: an edit there moves it to the end of the new line.
    if (!transaction.docChanged) return value;
    return beneath(state, { offset: changes.mapPos(offset, -1), height: value.height });
  },
  provide: (self) => EditorView.decorations.from(self, ({ decorations }) => decorations),
});

/** The 1-based line beneath which the drawing stands, or null. */
export function drawnLine(state: EditorState): number | null {
  const offset = offsetOf(state.field(field));
  return offset === null ? null : state.doc.lineAt(offset).number;
}

export function drawn(): Extension {
  return field;
}
