import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureSyntaxTree, getIndentation } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { firstChangedLine } from "../src/app/outcome.ts";
import { strandLanguage } from "../src/editor/language.ts";
import { partnerAt } from "../src/torch/partners.ts";
import { pythonTokens } from "../src/torch/python-tokens.ts";

/** Each coloured word with its class, in order. */
function coloured(text: string): [string, string][] {
  const state = EditorState.create({ doc: text, extensions: strandLanguage() });
  const tree = ensureSyntaxTree(state, text.length);
  assert.ok(tree !== null);
  const found: [string, string][] = [];
  highlightTree(tree, classHighlighter, (from, to, classes) => {
    found.push([text.slice(from, to), classes.replaceAll("tok-", "")]);
  });
  return found;
}

function classOf(text: string, word: string): string | undefined {
  return coloured(text).find(([found]) => found === word)?.[1];
}

test("keywords, functions, axes, dtypes and comments are told apart", () => {
  const text = "fn scale(x: [n D] f32) -> [n D] = x |> map(row => mine(row), over=n) # done";
  assert.equal(classOf(text, "fn"), "keyword");
  assert.equal(classOf(text, "scale"), "variableName definition");
  assert.equal(classOf(text, "x"), "variableName");
  assert.equal(classOf(text, "n"), "typeName");
  assert.equal(classOf(text, "f32"), "className");
  assert.equal(classOf(text, "over"), "keyword");
  assert.equal(classOf(text, "# done"), "comment");
  assert.equal(coloured(text).filter(([word, name]) => word === "n" && name === "typeName").length, 3);
});

test("an index isn't a shape, and a shape may go on over lines", () => {
  assert.equal(classOf("y = x[i]", "i"), "variableName");
  assert.equal(classOf("y = x to [i]", "i"), "typeName");
  assert.equal(classOf("fn f(x: [a\n    b]) -> [] = x", "b"), "typeName");
});

test("contextual words are names outside their places", () => {
  assert.equal(classOf("by = 3", "by"), "variableName");
  assert.equal(classOf("train = 1.0", "train"), "variableName");
  assert.equal(classOf("with train:", "train"), "keyword");
  assert.equal(classOf("from = 1", "from"), "variableName");
});

test("texts, numbers and names of any alphabet", () => {
  assert.equal(classOf('print("a # b")', '"a # b"'), "string");
  assert.equal(classOf('print(f"{x} \\" y")', 'f"{x} \\" y"'), "string");
  assert.equal(classOf("x = 1_000.5e-3", "1_000.5e-3"), "number");
  assert.equal(classOf("r = 0..10", "10"), "number");
  assert.equal(classOf("длина = 3", "длина"), "variableName");
});

test("every text is coloured without stopping", () => {
  for (const text of [
    "",
    "\n\n",
    "[[[",
    "]]]",
    '"',
    "\\",
    "👩‍👩‍👧 |> =>",
    "fn",
    "dim",
    "\u0000",
    "1.2.3..4",
    "over=",
  ])
    coloured(text);
});

test("a line is indented like the one before, deeper after a colon or an equals sign", () => {
  const indentAfter = (text: string) => {
    const state = EditorState.create({ doc: `${text}\n`, extensions: strandLanguage() });
    return getIndentation(state, state.doc.length);
  };
  assert.equal(indentAfter("fn f(x: [n]) -> []:"), 4);
  assert.equal(indentAfter("fn f(x: [n]) -> [] ="), 4);
  assert.equal(indentAfter("    for i in 0..n:  # each"), 8);
  assert.equal(indentAfter("    y = x"), 4);
  assert.equal(indentAfter("x == "), 0);
  assert.equal(indentAfter("    y = x\n"), 4);
});

test("Python's tokens cover the text, and are named", () => {
  const text = 'def f(x):\n    """doc\n    more"""\n    return torch.vmap(lambda row: row * 2.5)(x)  # all\n';
  const tokens = pythonTokens(text);
  assert.equal(tokens.map(({ from, to }) => text.slice(from, to)).join(""), text);
  const kind = (word: string) => tokens.find(({ from, to }) => text.slice(from, to) === word)?.kind;
  assert.equal(kind("def"), "keyword");
  assert.equal(kind("f"), "definition");
  assert.equal(kind('"""doc\n    more"""'), "string");
  assert.equal(kind("vmap"), "call");
  assert.equal(kind("lambda"), "keyword");
  assert.equal(kind("2.5"), "number");
  assert.equal(kind("# all"), "comment");
  assert.equal(kind("x"), "name");
});

test("the smallest span that holds a place is its partner", () => {
  const spans = [
    { source: { from: 0, to: 20 }, target: { from: 100, to: 150 } },
    { source: { from: 4, to: 8 }, target: { from: 110, to: 120 } },
  ];
  assert.deepEqual(partnerAt(spans, "source", 5)?.target, { from: 110, to: 120 });
  assert.deepEqual(partnerAt(spans, "source", 15)?.target, { from: 100, to: 150 });
  assert.deepEqual(partnerAt(spans, "target", 111)?.source, { from: 4, to: 8 });
  assert.equal(partnerAt(spans, "source", 30), null);
});

test("the first line that changed", () => {
  assert.equal(firstChangedLine("a\nb\nc", "a\nx\nc"), 2);
  assert.equal(firstChangedLine("a\nb", "a\nb\nc"), 3);
  assert.equal(firstChangedLine("a\nb\nc", "a\nb"), 2);
  assert.equal(firstChangedLine("", "a"), 1);
});
