/** What the engine says of a program text, compiled to WebAssembly. */
import { instance } from "./instance.mjs";
import { elements } from "./npy.mjs";
import { spansOf } from "./positions.mjs";

const RUN_OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 };

/** A new instance of the engine that the page loads too, as a function from program text to verdict. */
export async function loadEngine(packageFolder) {
  const { Strand } = await instance(packageFolder);
  const strand = new Strand();
  return (text) => engineVerdict(strand, text);
}

function engineVerdict(strand, text) {
  const check = checked(strand.check(text), spansOf(text));
  if (check.diagnostics.some((diagnostic) => diagnostic.severity === "error")) return { check };
  return { check, torch: strand.torch(text).text.trimEnd(), run: ran(strand, text) };
}

/** In the form of `check --json`. */
function checked({ diagnostics, functions, chains, inlays }, span) {
  const chain = ({ range, stages, lowering, reason }) => ({ span: span(range), stages, lowering, reason });
  const placed = ({ range, text }) => ({ span: span(range), text });
  return {
    diagnostics: diagnostics.map(({ code, severity, message, range, labels, notes, fixes }) => ({
      code,
      severity,
      message,
      span: span(range),
      labels: labels.map(placed),
      notes,
      fixes: fixes.map(({ title, type, edits }) => ({ title, type, edits: edits.map(placed) })),
    })),
    functions: functions.map(({ name, signature, cost, chains }) => ({
      name,
      signature,
      cost: cost && { multiply_adds: cost.multiplyAdds, peak_bytes: cost.peakBytes },
      chains: chains.map(chain),
    })),
    chains: chains.map(chain),
    inlays: inlays.map(({ position, text }) => ({
      position: span({ from: position, to: position }).start,
      text,
    })),
  };
}

function ran(strand, text) {
  const shown = [];
  const { error } = strand.run(text, RUN_OPTIONS, (event) => {
    if (event.kind === "value") shown.push(event.value);
  });
  return {
    values: shown.map(({ id, line, name, type, axes, shape, dtype, host }) => ({
      line,
      name,
      type,
      axes,
      shape,
      dtype,
      elements: dtype === "str" ? [host] : elements(strand.npy(id)),
    })),
    error:
      error === null ? null : { code: error.code, message: error.message, span: spansOf(text)(error.range) },
  };
}
