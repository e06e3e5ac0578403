import assert from "node:assert/strict";
import { test } from "node:test";
import { opensBy, templateOf } from "../src/editor/completion.ts";

/** An item whose holes are the pieces in angle brackets. */
function item(marked: string) {
  const holes: { from: number; to: number }[] = [];
  let insert = "";
  for (const piece of marked.split(/(<[^>]*>)/)) {
    const text = piece.startsWith("<") ? piece.slice(1, -1) : piece;
    if (piece.startsWith("<")) holes.push({ from: insert.length, to: insert.length + text.length });
    insert += text;
  }
  return { insert, holes };
}

test("the list opens where something is due, and while a name is typed", () => {
  const opens = [
    "x |> ",
    "x |>",
    "sum(x, over=",
    "sum(x, over=(n, ",
    "x to ",
    "x |> as ",
    "m.",
    "f(x).",
    "so",
    "y = x1",
  ];
  for (const before of opens) assert.ok(opensBy(before), before);
  for (const before of ["", "x ", "x + ", "12", "0.", "f(", "x = ", "auto "])
    assert.ok(!opensBy(before), before);
});

test("holes become fields, and holes with one text are one field", () => {
  assert.equal(templateOf(item("softmax(over=<n>)"), ""), "softmax(over=${1:n})${}");
  assert.equal(templateOf(item("map(<v> => <v>, over=<n>)"), ""), "map(${1:v} => ${1:v}, over=${2:n})${}");
  assert.equal(templateOf(item("seed=<0>"), ""), "seed=${1:0}${}");
});

test("what the template's language means otherwise is escaped", () => {
  assert.equal(templateOf(item('f"{x}\\n"'), ""), 'f"\\{x\\}\\\\n"');
});

test("a block is indented by the line that it goes into", () => {
  const block = item("for <i> in 0..<n>:\n        <pass>");
  assert.equal(templateOf(block, "    "), "for ${1:i} in 0..${2:n}:\n    ${3:pass}${}");
});
