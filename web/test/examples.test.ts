/** Every example through the very engine that the page loads: checked, run, looked at and written as PyTorch. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Strand } from "../pkg/strand_wasm.js";
import { ENGINE, start } from "../build/engine.ts";
import { edited, galleryPrograms } from "../build/gallery.ts";
import { applied } from "../src/app/preview.ts";
import { hasPicture, plain, type Call, type RunEvent } from "../src/engine/contract.ts";
import { examples } from "../src/examples/index.ts";

start(join(import.meta.dirname, "..", ENGINE));

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

const programs = galleryPrograms();

test("the menu lists the gallery's programs", () => {
  assert.deepEqual(
    examples,
    programs.map(({ name, title, about, text, suggestion, replacements }) => ({
      ...{ name, title, about, text },
      ...{ suggestion, replacements },
    })),
  );
});

const errorsOf = (strand: Strand, text: string) =>
  plain(strand.check(text)).diagnostics.filter(({ severity }) => severity === "error");

for (const program of programs) {
  const { name, text, gives } = program;
  test(`${name} checks as it says, and every function without an error runs`, () => {
    const strand = new Strand();
    const checked = plain(strand.check(text));
    const errors = checked.diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(
      errors.map(({ code }) => code),
      gives === null ? [] : [gives],
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

  test(`${name} is in the one style, and its edit gives what it says`, () => {
    const strand = new Strand();
    // The opening program has its chain on a line of its own, for the first error to stand there.
    if (text !== programs[0]?.text) assert.equal(strand.format(text), text);
    assert.match(program.about, /^[A-Z`].*\.$/);
    assert.match(program.suggestion, /^[A-Z`].*\.$/);
    const after = edited(program);
    assert.notEqual(after, text);
    const codes = new Set(errorsOf(strand, after).map(({ code }) => code));
    assert.deepEqual([...codes], program.editGives === null ? [] : [program.editGives]);
    strand.free();
  });
}

test("no picture of the gallery takes more than 64 KB", () => {
  const strand = new Strand();
  let seen = 0;
  for (const { text } of programs) {
    for (const event of runOf(strand, text)) {
      if (event.kind !== "value" || !hasPicture(event.value)) continue;
      const { levels, numbers, labels } = strand.picture(event.value.id, new Uint32Array(1), 0, 1000);
      const bytes = levels.byteLength + numbers.byteLength + labels.byteLength;
      assert.ok(bytes > 0 && bytes <= 65_536, `${event.value.name}: ${bytes}`);
      seen++;
    }
  }
  assert.ok(seen > 15, `${seen} pictures`);
});

test("every fix of the example with an error mends it", () => {
  const { text } = programs.find(({ gives }) => gives === "E0503") ?? { text: "" };
  const strand = new Strand();
  const [error] = strand.check(text).diagnostics;
  assert.ok((error?.fixes.length ?? 0) > 0);
  for (const { title, edits } of error?.fixes ?? []) {
    const left = strand
      .check(applied(text, edits))
      .diagnostics.filter(({ severity }) => severity === "error");
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
