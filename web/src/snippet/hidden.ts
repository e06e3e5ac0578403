/** Lines that are part of the program, and that neither show nor can be changed. */
import { EditorState, RangeSetBuilder, StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { Edit } from "../engine/contract";

const gone = Decoration.replace({});

/** Each run of hidden lines, with the line break after it. */
function runsOf(doc: Text, hidden: readonly boolean[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (let line = 1; line < doc.lines; line++) {
    if (hidden[line - 1] !== true) continue;
    const { from } = doc.line(line);
    while (hidden[line] === true && line + 1 < doc.lines) line++;
    builder.add(from, doc.line(line).to + 1, gone);
  }
  return builder.finish();
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (runs, { changes }) => runs.map(changes),
  provide: (self) => [
    EditorView.decorations.from(self),
    EditorView.atomicRanges.of((view) => view.state.field(self)),
  ],
});

/** How many hidden lines stand before a line. */
export function hiddenBefore(state: EditorState, line: number): number {
  let count = 0;
  state.field(field, false)?.between(0, state.doc.length, (from, to) => {
    const first = state.doc.lineAt(from).number;
    const lines = state.doc.lineAt(to).number - first;
    count += Math.min(lines, Math.max(0, line - first));
  });
  return count;
}

/** Whether a line is a hidden one. */
export function isHidden(state: EditorState, line: number): boolean {
  if (line > state.doc.lines) return false;
  const { from } = state.doc.line(line);
  return hiddenRuns(state).some((run) => run.from <= from && from < run.to);
}

interface Part {
  from: number;
  to: number;
}

function hiddenRuns(state: EditorState): Part[] {
  const runs: Part[] = [];
  state.field(field, false)?.between(0, state.doc.length, (from, to) => {
    runs.push({ from, to });
  });
  return runs;
}

/** What may be changed of a stretch: not what is hidden, nor the line break before it. */
function openParts({ from, to }: Part, runs: readonly Part[]): Part[] {
  let parts: Part[] = from === to ? [] : [{ from, to }];
  for (const run of runs) {
    const [begin, end] = [Math.max(run.from - 1, 0), run.to];
    parts = parts.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, begin) },
        { from: Math.max(part.from, end), to: part.to },
      ].filter((left) => left.from < left.to),
    );
  }
  return parts;
}

/** Where text that was to be put in at a place comes to stand: behind what is hidden there. */
function openPlace(at: number, runs: readonly Part[]): number {
  return runs.find(({ from, to }) => from <= at && at < to)?.to ?? at;
}

/**
 * Whether an edit changes nothing of the hidden lines, and puts nothing in where it would be hidden too: whole lines
 * may be put in before them.
 */
export function isOpen(state: EditorState, { range: { from, to }, text }: Edit): boolean {
  return hiddenRuns(state).every((run) => {
    if (from < to) return to <= Math.max(run.from - 1, 0) || run.to <= from;
    return from < run.from || run.to <= from || (from === run.from && text.endsWith("\n"));
  });
}

/** A change that would touch hidden lines does only what it does beside them. */
const kept = EditorState.transactionFilter.of((transaction) => {
  const runs = hiddenRuns(transaction.startState);
  // A fix that is offered touches none.
  if (!transaction.docChanged || runs.length === 0 || transaction.isUserEvent("input.fix"))
    return transaction;
  const changes: (Part & { insert: Text | string })[] = [];
  let narrowed = 0;
  transaction.changes.iterChanges((from, to, _fromAfter, _toAfter, insert) => {
    const [first = { from: openPlace(from, runs), to: openPlace(from, runs) }, ...rest] = openParts(
      { from, to },
      runs,
    );
    if (first.from !== from || first.to !== to) narrowed++;
    changes.push({ ...first, insert }, ...rest.map((part) => ({ ...part, insert: "" })));
  });
  const last = changes.findLast(({ insert }) => insert.length > 0) ?? changes.at(-1);
  if (last === undefined || narrowed === 0) return transaction;
  const made = transaction.startState.changes(changes);
  return { changes: made, selection: { anchor: made.mapPos(last.to, 1) }, scrollIntoView: true };
});

/** Hides the lines of which `hidden` says so, as the text is at first. The last line is never one. */
export function hiddenLines(hidden: readonly boolean[]): Extension {
  return [field.init(({ doc }) => runsOf(doc, hidden)), kept];
}
