/** What is copied of the PyTorch text, through the very engine that the page loads, run on real PyTorch. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ENGINE, start } from "../build/engine.ts";
import { galleryPrograms } from "../build/gallery.ts";
import { Strand } from "../pkg/strand_wasm.js";
import type { ShownCall, ShownValue } from "../src/app/outcome.ts";
import { plain, type Call, type RunOptions, type Slice, type ValueInfo } from "../src/engine/contract.ts";
import { gridOf } from "../src/result/grid.ts";
import { initialRectangles } from "../src/result/window-plan.ts";
import { closure, moduleOf } from "../src/torch/module.ts";
import { takeable, taken, type Inputs, type Written } from "../src/torch/taken.ts";

const PYTHON = process.env["STRAND_TORCH_PYTHON"] ?? join(homedir(), ".cache/strand/torch-venv/bin/python");
const RUNNER = join(import.meta.dirname, "../../tests/torch/pasted.py");

start(join(import.meta.dirname, "..", ENGINE));
const strand = new Strand();

/** Every kind of parameter, and names that Python or the text has already. */
const EVERY_KIND = `dim D = 3
dim C = 2

fn host(x: [n D], k: int, b: bool, s: str, f: float = 0.25) -> [n D] = x * f

fn domains(p: [n D] Prob, q: [n] Positive, r: [n] NonNegative) -> [n] = sum(p, over=D) * q + r

fn kinds(m: [n] bool, i: [n] i64, d: [n D] f64, s: [] f32, t: [] f32 = 0.1) -> [n D] f64 =
    where(m to [n 1], d, d * (t to f64)) + (i to [n 1]) to f64

fn gather(x: [n D], at: [m] Index[n]) -> [m D] = x[at]

fn narrow(u: [n] u8, b: [n D] i8, c: [n] i16, e: [n] i32) -> [n D] i64 =
    ((b + 100) to i64) * 1000 + ((u + 250) to [n 1]) to i64 - ((c * 300 + (e to i16)) to [n 1]) to i64

fn halves(h: [n D] f16, g: [n] bf16, p: [n] f16 Prob) -> [n D] f32 = (h * 3.0) to f32 * ((g + 1.0) to [n 1]) to f32 + (p to [n 1]) to f32

fn scalars(s: [] f32, t: [] f32 = 0.1) -> [] = s + t

fn box(x: [a b c d]) -> [a b c d] = x + 1.0

fn long_numbers(x: [n D], y: [n D] f64) -> [n D] f64 = y

model Net:
    w: [D C] = ones

    fn forward(self, x: [n D]) -> [n C] = x @ self.w

fn use(net: Net, x: [n D]) -> [n C] = net.forward(x)

fn lambda(def: [n], torch: [n], twice: [n]) -> [n] = def + torch

fn helper(x: [n D]) -> [n] = sum(x, over=D)

fn twice(helper: [n D]) -> [n D] = helper * 2.0

fn helped(x: [n D]) -> [n] = helper(x) * 2.0

print(zeros([2]))
`;

interface Ran {
  written: Written;
  inputs: Inputs;
  results: Map<string, { shape: number[]; data: number[] }>;
}

function shown(info: ValueInfo): ShownValue {
  const outer = info.shape.slice(0, -2).map(() => 0);
  const slices = (info.host === null ? initialRectangles(info.shape) : []).map((at): Slice =>
    plain(strand.view(info.id, outer, at.row, at.rows, at.column, at.columns)),
  );
  return {
    info,
    grid: info.host === null ? gridOf(info.shape, slices) : null,
    picture: null,
    source: { ask: () => Promise.reject(new Error("not here")) },
  };
}

/** All elements of a value in row-major order. */
function elements(info: ValueInfo): number[] {
  const outerShape = info.shape.slice(0, -2);
  const [rows = 1, columns = 1] = info.shape.length < 2 ? [1, info.shape[0] ?? 1] : info.shape.slice(-2);
  const count = outerShape.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, at) => {
    let left = at;
    const outer = [...outerShape]
      .reverse()
      .map((size) => {
        const index = left % size;
        left = Math.floor(left / size);
        return index;
      })
      .reverse();
    return [...strand.view(info.id, outer, 0, rows, 0, columns).data];
  }).flat();
}

function ran(text: string, sizes: Record<string, number>, fill: RunOptions["fill"]): Ran {
  const check = plain(strand.check(text));
  const errors = check.diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ rendered }) => rendered),
    [],
  );
  const calls: ShownCall[] = [];
  const results: Ran["results"] = new Map();
  const given: Call[] = [];
  strand.run(text, { sizes, fill, memoryLimit: 2 ** 30 }, (event) => {
    if (event.kind === "call") given.push(plain(event.call));
  });
  for (const call of given) {
    calls.push({
      kind: "call",
      key: call.function,
      name: call.function,
      line: call.line,
      arguments: call.arguments.map(shown),
      result: call.result === null ? null : shown(call.result),
      error: call.error,
      skipped: call.skipped,
      text,
    });
    if (call.result !== null)
      results.set(call.function, { shape: call.result.shape, data: elements(call.result) });
  }
  const declared = Object.fromEntries(check.sizes.map(({ name, value }) => [name, value]));
  const written = { ...plain(strand.torch(text)), source: text, check };
  return { written, inputs: { calls, sizes: { ...declared, ...sizes }, fill }, results };
}

const examples = galleryPrograms().filter(({ gives }) => gives === null);
const programs = [...examples, { name: "every kind", text: EVERY_KIND }];

const SIZES: Record<string, number>[] = [{}, { n: 3, D: 4 }, { n: 130, D: 30, a: 2, b: 11, c: 3, d: 12 }];

test("the text as it is pasted prints on PyTorch what the page shows", (t) => {
  if (!existsSync(PYTHON)) {
    t.skip("no PyTorch here");
    return;
  }
  const cases: { name: string; python: string; prints: unknown[] }[] = [];
  for (const { name, text } of programs) {
    for (const wanted of SIZES) {
      for (const fill of ["index", "normal"] as const) {
        const known = new Set(plain(strand.check(text)).sizes.map((size) => size.name));
        const sizes = Object.fromEntries(Object.entries(wanted).filter(([size]) => known.has(size)));
        const { written, inputs, results } = ran(text, sizes, fill);
        const label = `${name} ${JSON.stringify(sizes)} ${fill}`;
        const functions = takeable(written);
        const prints = functions.map((one) => results.get(one.name));
        assert.ok(
          prints.every((value) => value !== undefined),
          label,
        );
        cases.push({ name: label, python: taken(written, null, inputs).text, prints });
        functions.forEach((one, at) => {
          cases.push({
            name: `${label}: ${one.name}`,
            python: taken(written, one, inputs).text,
            prints: [prints[at]],
          });
        });
      }
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "strand-pasted-"));
  try {
    const file = join(folder, "cases.json");
    writeFileSync(file, JSON.stringify(cases));
    const output = execFileSync(PYTHON, [RUNNER, file], { encoding: "utf8" });
    assert.match(output, new RegExp(`^${cases.length} passed, 0 failed`, "m"));
    t.diagnostic(output.trim());
  } catch (error) {
    assert.fail((error as { stdout?: string }).stdout ?? String(error));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the module as it is, is the engine's text, and one function brings what it needs and no more", () => {
  const { written, inputs } = ran(EVERY_KIND, {}, "index");
  assert.equal(taken(written, null, null).text, written.text);
  const helped = takeable(written).find(({ name }) => name === "helped") ?? null;
  const alone = taken(written, helped, null);
  assert.deepEqual(alone.imports, ["import torch"]);
  assert.match(alone.text, /^# Written by Strand [\s\S]*\n\n\ndef helper\([\s\S]*\n\n\ndef helped\(/);
  assert.doesNotMatch(alone.text, /class Net|def twice|def main|^D = /m);
  const used = takeable(written).find(({ name }) => name === "use") ?? null;
  assert.match(
    taken(written, used, inputs).text,
    /class Net[\s\S]*net = Net\(torch\.Generator\(\)\.manual_seed\(0\)\)/,
  );
});

test("an import comes where inputs need it, and is said", () => {
  const { written, inputs } = ran("dim D = 3\nfn f(x: [n D]) -> [n D] = x * 2.0\n", { D: 4 }, "index");
  assert.deepEqual(taken(written, null, null).imports, []);
  const bound = taken(written, null, inputs);
  assert.deepEqual(bound.imports, ["import torch"]);
  assert.match(bound.text, /^# Written by[^\n]*\n\nimport torch\n\nD = 4\n\n\ndef f/);
});

test("every place of a copied text that is the module's leads back to the same characters", () => {
  const { written, inputs } = ran(EVERY_KIND, { D: 4 }, "index");
  for (const only of [null, ...takeable(written)]) {
    for (const { text, from } of taken(written, only, inputs).pieces) {
      if (from !== null) assert.equal(written.text.slice(from, from + text.length), text);
    }
  }
});

test("a module's statements are what stands between its empty lines", () => {
  const module = moduleOf(
    "# head\n\nimport math\nimport torch.nn.functional as F\n\nD = 3\n\n\n# said\n@torch.no_grad()\ndef f(\n    x,\n):\n    return F.relu(x) * D\n\n\ndef g(y):\n    return y.f\n",
  );
  assert.deepEqual(
    module.blocks.map(({ kind, names }) => [kind, ...names]),
    [
      ["comment"],
      ["import", "math"],
      ["import", "F"],
      ["constant", "D"],
      ["definition", "f"],
      ["definition", "g"],
    ],
  );
  assert.deepEqual(
    closure(module, ["f"]).flatMap(({ names }) => names),
    ["F", "D", "f"],
  );
  assert.deepEqual(
    closure(module, ["g"]).flatMap(({ names }) => names),
    ["g"],
  );
});
