import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, previewOf } from "../src/app/preview.ts";

const text = "dim D = 3\n\nfn f(x: [n D]) -> [n D] =\n    x * w\n";

function edit(find: string, insert: string) {
  const from = text.indexOf(find);
  return { range: { from, to: from + find.length }, text: insert };
}

test("a fix's preview has the lines it changes, before and after", () => {
  assert.deepEqual(previewOf(text, [edit("x * w", "x * v")]), [
    { line: 4, before: ["    x * w"], after: ["    x * v"] },
  ]);
});

test("edits far apart are seen apart, edits of one line or of neighbours together", () => {
  assert.deepEqual(previewOf(text, [edit("x * w", "x"), edit("3", "4")]), [
    { line: 1, before: ["dim D = 3"], after: ["dim D = 4"] },
    { line: 4, before: ["    x * w"], after: ["    x"] },
  ]);
  assert.deepEqual(previewOf(text, [edit("w", "v"), edit("x *", "y *")]), [
    { line: 4, before: ["    x * w"], after: ["    y * v"] },
  ]);
  assert.equal(previewOf(text, [edit("=\n    x", "=\n    y")]).length, 1);
});

test("lines put in or taken out, at the start and at the end", () => {
  assert.deepEqual(previewOf(text, [{ range: { from: 0, to: 0 }, text: "dim E = 2\n" }]), [
    { line: 1, before: ["dim D = 3"], after: ["dim E = 2", "dim D = 3"] },
  ]);
  const end = text.length;
  assert.deepEqual(previewOf(text, [{ range: { from: end, to: end }, text: "f(x)" }]), [
    { line: 5, before: [""], after: ["f(x)"] },
  ]);
  assert.deepEqual(previewOf("", [{ range: { from: 0, to: 0 }, text: "a" }]), [
    { line: 1, before: [""], after: ["a"] },
  ]);
});

test("edits are made whatever order they come in", () => {
  assert.equal(applied(text, [edit("w", "v"), edit("3", "10")]), text.replace("w", "v").replace("3", "10"));
});
