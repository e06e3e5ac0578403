/** What the native program says of a program text. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The statuses that come with an answer: no errors, errors, an error while running. */
const ANSWERED = [0, 1, 3];

/** Check, run and PyTorch text of a program, in the form in which both builds are compared. */
export async function nativeVerdict(strand, folder, number, text) {
  const file = join(folder, `${number}.strand`);
  writeFileSync(file, text);
  const check = asToldToPages(JSON.parse(await ask(strand, ["check", "--json", file])));
  if (check.diagnostics.some((diagnostic) => diagnostic.severity === "error")) return { check };
  const run = ran(JSON.parse(await ask(strand, ["run", "--json", file])));
  return { check, torch: (await ask(strand, ["torch", file])).trimEnd(), run };
}

/**
 * As the page is told: what the parts of a type at a pipe line say in one, and of a finding its sentence, places and
 * edits; the rest stands in its drawing.
 */
function asToldToPages(check) {
  const diagnostics = check.diagnostics.map(({ code, severity, message, span, labels, notes, fixes }) => ({
    code,
    severity,
    message,
    span,
    labels,
    notes,
    fixes: fixes.map(({ title, type, edits }) => ({ title, type, edits })),
  }));
  const inlays = check.inlays.map(({ position, text, change, lowering }) => {
    const type = lowering === null ? text : `${text} ${lowering}`;
    return { position, text: change === "" ? type : `${type} · ${change}` };
  });
  return { ...check, diagnostics, inlays };
}

function ask(strand, words) {
  return new Promise((resolve, reject) => {
    execFile(strand, words, { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error === null || ANSWERED.includes(error.code)) resolve(stdout);
      else
        reject(
          new Error(`\`strand ${words.join(" ")}\` ended with ${error.code ?? error.signal}: ${stderr}`),
        );
    });
  });
}

function ran({ values, error }) {
  return {
    values: values.map(({ line, name, type, axes, shape, dtype, data }) => ({
      line,
      name,
      type,
      axes,
      shape,
      dtype,
      elements: dtype === "str" ? [data] : elementsOf(data, dtype),
    })),
    error,
  };
}

/** JSON has no NaN, and writes a 32-bit float in as few digits as tell it from its neighbours. */
function elementsOf(data, dtype) {
  const round = dtype === "f32" ? Math.fround : (value) => value;
  return [data].flat(Infinity).map((value) => (typeof value === "boolean" ? value : round(Number(value))));
}
