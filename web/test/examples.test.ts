/** Every example through the very engine that the page loads: checked, run, looked at and written as PyTorch. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { initSync, Strand } from "../pkg/strand_wasm.js";
import { plain, type Call, type RunEvent } from "../src/engine/contract.ts";

const EXAMPLES = join(import.meta.dirname, "../src/examples");
initSync({ module: readFileSync(join(import.meta.dirname, "../pkg/strand_wasm_bg.wasm")) });

const texts = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith(".strand"))
  .map((name) => ({ name, text: readFileSync(join(EXAMPLES, name), "utf8") }));

function runOf(strand: Strand, text: string, sizes: Record<string, number> = {}): RunEvent[] {
  const events: RunEvent[] = [];
  const result = plain(
    strand.run(text, { sizes, fill: "index", memoryLimit: 2 ** 30 }, (event) => {
      events.push(plain(event));
    }),
  );
  assert.equal(result.error, null);
  return events;
}

function callsOf(events: RunEvent[]): Call[] {
  return events.flatMap((event) => (event.kind === "call" ? [event.call] : []));
}

test("there are the examples that the page lists", () => {
  const listed = readFileSync(join(EXAMPLES, "index.ts"), "utf8");
  for (const { name } of texts) assert.ok(listed.includes(`./${name}?raw`), name);
});

for (const { name, text } of texts) {
  test(`${name} checks as it says, and every function without an error runs`, () => {
    const strand = new Strand();
    const checked = plain(strand.check(text));
    const errors = checked.diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(
      errors.map(({ code, line }) => `${code} ${line}`),
      name === "lining-up.strand" ? ["E0503 6"] : [],
    );
    for (const sizes of [{}, { n: 1 }, { n: 2, m: 3 }]) {
      const calls = callsOf(runOf(strand, text, sizes));
      assert.deepEqual(
        calls.map((call) => call.function),
        checked.functions.map((declared) => declared.name),
      );
      for (const call of calls) {
        const { hasError } = checked.functions.find((declared) => declared.name === call.function) ?? {};
        assert.equal(call.error, null, `${call.function}: ${call.error?.message ?? ""}`);
        assert.equal(call.result === null, hasError, call.function);
      }
    }
    if (errors.length === 0) assert.match(strand.torch(text).text, /^def /m);
    strand.free();
  });
}

test("every fix of the example with an error mends it", () => {
  const { text } = texts.find(({ name }) => name === "lining-up.strand") ?? { text: "" };
  const strand = new Strand();
  const [error] = strand.check(text).diagnostics;
  assert.ok((error?.fixes.length ?? 0) > 0);
  for (const { title, edits } of error?.fixes ?? []) {
    let mended = text;
    for (const { range, text: insert } of [...edits].sort((a, b) => b.range.from - a.range.from)) {
      mended = mended.slice(0, range.from) + insert + mended.slice(range.to);
    }
    const left = strand.check(mended).diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(left, [], title);
  }
});

test("a window of a value is what its place says, and positions are UTF-16", () => {
  const strand = new Strand();
  const text = "# 👩‍👩‍👧 é\nfn cube(x: [a b c]) -> [a b c] = x + y\n";
  const [error] = strand.check(text).diagnostics;
  assert.equal(text.slice(error?.range.from, error?.range.to), "y");
  const [call] = callsOf(runOf(strand, "fn cube(x: [a b c]) -> [a b c] = x + 0.0\n", { a: 3, b: 4, c: 5 }));
  const id = call?.result?.id ?? -1;
  const { shape, data } = strand.view(id, [2], 1, 2, 3, 2);
  assert.deepEqual(shape, [2, 2]);
  // The value x[2, 1, 3] is 2.13: its own index.
  assert.deepEqual(
    [...data].map((value) => Number(value.toFixed(2))),
    [2.13, 2.14, 2.23, 2.24],
  );
  assert.throws(() => strand.view(9999, [], 0, 1, 0, 1), Error);
});
