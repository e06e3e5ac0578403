/** Where long lines wrap, their further rows stand four columns deeper than the line begins. */
import { RangeSetBuilder, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

const STEP = 4;
const DEEPEST = 24;
/** Room that the theme leaves at the left of every line. */
const PADDING = "8px";

function columnsOf(level: number): number {
  return level + STEP;
}

const rules: Record<string, Record<string, string>> = {};
for (let level = 0; level <= DEEPEST; level += STEP) {
  rules[`.cm-line.strand-hang-${level}`] = {
    paddingLeft: `calc(${PADDING} + ${columnsOf(level)}ch)`,
    textIndent: `-${columnsOf(level)}ch`,
  };
}

const marks = new Map<number, Decoration>();

function markOf(indent: number): Decoration {
  const level = Math.min(indent - (indent % STEP), DEEPEST);
  const mark = marks.get(level) ?? Decoration.line({ class: `strand-hang-${level}` });
  marks.set(level, mark);
  return mark;
}

function build(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let position = from; position <= to;) {
      const line = view.state.doc.lineAt(position);
      builder.add(line.from, line.from, markOf(/^ */.exec(line.text)?.[0].length ?? 0));
      position = line.to + 1;
    }
  }
  return builder.finish();
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = build(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = build(update.view);
    }
  },
  { decorations: (value) => value.decorations },
);

/** Soft wrapping with hanging indents. */
export function softWrap(): Extension {
  return [EditorView.lineWrapping, EditorView.theme(rules), plugin];
}
