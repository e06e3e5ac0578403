/** The program and its error as a picture, in the light theme whatever the page's, with two pixels for each of ours. */
import type { Kind, Piece } from "../editor/highlight";
import type { Diagnostic } from "../engine/contract";

const SCALE = 2;
const PAD = 24;
const SIZE = 14;
const LINE = 21;
/** Longer lines are cut: a picture that is wider isn't read anywhere. */
const MOST_COLUMNS = 110;
/** Lines of a long program that stand around its error. */
const AROUND = 8;
const MOST_LINES = 24;

const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SANS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

const INK = "#1a1f29";
const MUTED = "#535d6e";
const ERROR = "#b3261e";
const COLOURS: Record<Kind, string> = {
  keyword: "#8a2fae",
  pipe: "#b0246b",
  operator: "#3f4857",
  function: "#1d5fc2",
  builtin: "#0b6c86",
  axis: "#a3470d",
  type: MUTED,
  number: "#0f7455",
  string: "#85540a",
  comment: "#667080",
  bracket: "#596273",
};

export interface Subject {
  text: string;
  /** The text's lines, in colours. */
  lines: readonly (readonly Piece[])[];
  problem: Diagnostic | null;
  /** What stands over the picture, and under it. */
  title: string;
  foot: string;
}

interface Row {
  /** 1-based; null for the dots in place of lines left out. */
  number: number | null;
  pieces: readonly Piece[];
}

/** The program's lines, or those around the error of a long one. */
export function rowsOf(lines: Subject["lines"], problem: Diagnostic | null): Row[] {
  const rows: Row[] = lines.map((pieces, index) => ({ number: index + 1, pieces }));
  if (rows.length <= MOST_LINES) return rows;
  const centre = problem?.line ?? 1;
  const first = Math.max(0, Math.min(centre - 1 - AROUND, rows.length - 2 * AROUND - 1));
  const last = Math.min(rows.length, first + 2 * AROUND + 1);
  const dots: Row = { number: null, pieces: [{ text: "⋮", kind: "comment", bold: false }] };
  return [...(first > 0 ? [dots] : []), ...rows.slice(first, last), ...(last < rows.length ? [dots] : [])];
}

function cut(text: string): string {
  return text.length > MOST_COLUMNS ? `${text.slice(0, MOST_COLUMNS - 1)}…` : text;
}

/** Columns of the error on its first line, from 0; null where the line isn't shown. */
function spanOn(text: string, problem: Diagnostic, row: Row): { from: number; to: number } | null {
  if (row.number !== problem.line) return null;
  const start = text.lastIndexOf("\n", problem.range.from - 1) + 1;
  const end = text.indexOf("\n", problem.range.from);
  const last = Math.min(problem.range.to, end < 0 ? text.length : end);
  return { from: problem.range.from - start, to: Math.max(last, problem.range.from + 1) - start };
}

function wave(context: CanvasRenderingContext2D, from: number, to: number, y: number): void {
  context.strokeStyle = ERROR;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let x = from; x <= to; x += 0.5) {
    const at = y + Math.sin(((x - from) / 5) * 2 * Math.PI) * 1.5;
    if (x === from) context.moveTo(x, at);
    else context.lineTo(x, at);
  }
  context.stroke();
}

function drawProgram(
  context: CanvasRenderingContext2D,
  rows: readonly Row[],
  subject: Subject,
  column: number,
  top: number,
): void {
  const numbers = 4 * column;
  rows.forEach((row, index) => {
    const y = top + index * LINE + SIZE;
    context.font = `${SIZE}px ${MONO}`;
    if (row.number !== null) {
      context.fillStyle = row.number === subject.problem?.line ? ERROR : MUTED;
      context.fillText(String(row.number).padStart(3), PAD, y);
    }
    let x = PAD + numbers + column;
    let left = MOST_COLUMNS;
    for (const { text, kind, bold } of row.pieces) {
      context.font = `${bold ? "600 " : ""}${SIZE}px ${MONO}`;
      context.fillStyle = kind === null ? INK : COLOURS[kind];
      context.fillText(text.slice(0, Math.max(left, 0)), x, y);
      x += context.measureText(text).width;
      left -= text.length;
    }
    const span = subject.problem === null ? null : spanOn(subject.text, subject.problem, row);
    if (span === null) return;
    const line = row.pieces.map(({ text }) => text).join("");
    const start = PAD + numbers + column;
    context.font = `${SIZE}px ${MONO}`;
    const from = start + context.measureText(line.slice(0, span.from)).width;
    wave(
      context,
      from,
      from + Math.max(column, context.measureText(line.slice(span.from, span.to)).width),
      y + 5,
    );
  });
}

/** Draws the picture. The canvas has no alternative text: what is copied from it has the Markdown beside it. */
export function drawPicture(canvas: HTMLCanvasElement, subject: Subject): void {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  const rows = rowsOf(subject.lines, subject.problem);
  const drawing = subject.problem === null ? [] : subject.problem.rendered.trimEnd().split("\n").map(cut);
  context.font = `${SIZE}px ${MONO}`;
  const column = context.measureText("0").width;
  const widest = (texts: readonly string[]) =>
    Math.max(0, ...texts.map((text) => context.measureText(text).width));
  const program = widest(rows.map(({ pieces }) => cut(pieces.map(({ text }) => text).join(""))));
  const { title, foot } = subject;
  context.font = `600 16px ${SANS}`;
  const titleWidth = context.measureText(title).width;
  context.font = `${SIZE}px ${MONO}`;
  const width = Math.ceil(
    2 * PAD + Math.max(360, titleWidth, program + 5 * column, widest(drawing) + 2 * 14),
  );
  const programTop = PAD + 34;
  const drawingTop = programTop + rows.length * LINE + 14;
  const drawingHeight = drawing.length === 0 ? 0 : drawing.length * LINE + 20;
  const height = Math.ceil(drawingTop + drawingHeight + 22 + PAD);

  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  context.scale(SCALE, SCALE);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  context.fillStyle = subject.problem === null ? INK : ERROR;
  context.font = `600 16px ${SANS}`;
  context.fillText(title, PAD, PAD + 15);
  drawProgram(context, rows, subject, column, programTop);
  if (drawing.length > 0) {
    context.fillStyle = "#fdf1f0";
    context.strokeStyle = "#f0c9c5";
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(PAD, drawingTop, width - 2 * PAD, drawingHeight, 8);
    context.fill();
    context.stroke();
    context.fillStyle = INK;
    context.font = `${SIZE}px ${MONO}`;
    drawing.forEach((line, index) => {
      context.fillText(line, PAD + 14, drawingTop + 10 + index * LINE + SIZE);
    });
  }
  context.fillStyle = MUTED;
  context.font = `12.5px ${SANS}`;
  context.fillText(foot, PAD, height - PAD + 2);
}

/** The picture as PNG. */
export async function pictureOf(subject: Subject): Promise<Blob> {
  const canvas = document.createElement("canvas");
  drawPicture(canvas, subject);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("no picture"));
      else resolve(blob);
    }, "image/png");
  });
}
