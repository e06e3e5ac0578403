import assert from "node:assert/strict";
import { test } from "node:test";
import { colouredLines } from "../src/editor/highlight.ts";
import type { Diagnostic } from "../src/engine/contract.ts";
import { rowsOf } from "../src/share/picture.ts";
import { QR_LIMIT, qrCode } from "../src/share/qr.ts";
import { agentFamily, issue, markdown, snippet } from "../src/share/report.ts";

const text = "fn f(x: [n]) -> [n] =\n    x * w  # <b> & ``` more\n";
const link = "https://host/path/#v=1&l=0.1&s=&t=result&sel=0-0&c=00000000&p=AA";
const problem: Diagnostic = {
  code: "E0301",
  severity: "error",
  message: "w isn't known",
  range: { from: 30, to: 31 },
  line: 2,
  column: 9,
  labels: [],
  diff: null,
  notes: [],
  fixes: [],
  checked: null,
  source: "",
  speech: "",
  rendered: "E0301  w isn't known\n 2 │ x * w\n   │     ~\n",
};

test("Markdown has the program, the drawn error and the link, in fences that the text can't end", () => {
  assert.equal(
    markdown({ text, problem, drawn: null, link }),
    [
      "````strand",
      "fn f(x: [n]) -> [n] =",
      "    x * w  # <b> & ``` more",
      "````",
      "",
      "```text",
      "E0301  w isn't known",
      " 2 │ x * w",
      "   │     ~",
      "```",
      "",
      `[Open in the Strand playground](${link})`,
      "",
    ].join("\n"),
  );
  assert.doesNotMatch(markdown({ text: "x = 1", problem: null, drawn: null, link }), /```text/);
});

test("an issue has title, versions, program, drawing and PyTorch text", () => {
  const versions = { language: "0.1", build: "abc", agent: "Firefox 140" };
  assert.equal(
    markdown({ text: "x * w\n", problem, drawn: "**E0301** w isn't known\n", link }),
    `\`\`\`strand\nx * w\n\`\`\`\n\n**E0301** w isn't known\n\n[Open in the Strand playground](${link})\n`,
  );
  const written = issue({ text, problem, drawn: null, link }, versions, "def f(x):\n    return x\n");
  assert.match(written, /^### E0301: w isn't known\n\nStrand 0\.1, build abc, Firefox 140\n/);
  assert.match(written, /```python\ndef f\(x\):\n {4}return x\n```/);
  assert.ok(written.indexOf("```text") < written.indexOf("```python"));
});

test("a snippet shows the text as text in any page", () => {
  const html = snippet({ text, problem: null, drawn: null, link });
  assert.match(html, /# &lt;b&gt; &amp; ``` more/);
  assert.ok(html.includes(`href="${link.replaceAll("&", "&amp;")}"`));
  assert.doesNotMatch(html, /<b>|style=|<script/);
  assert.match(
    html,
    /^<strand-snippet><pre><code[^>]*>[^<]*<\/code><\/pre>\n<p><a [^<]*<\/a><\/p><\/strand-snippet>\n$/,
  );
});

test("of the browser only family and version are told", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.1.2 Safari/537.36";
  assert.equal(agentFamily(chrome), "Chromium 140");
  assert.equal(agentFamily(`${chrome} Edg/141.0`), "Edge 141");
  assert.equal(agentFamily("Mozilla/5.0 (X11; rv:128.0) Gecko/20100101 Firefox/128.0"), "Firefox 128");
  assert.equal(
    agentFamily(
      "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
    ),
    "Safari 17",
  );
  assert.equal(agentFamily("curl"), "another browser");
});

test("a QR code is square with a quiet border, and says when a link is too long", () => {
  const code = qrCode(link);
  assert.ok(code !== null);
  for (const [, x, y] of code.path.matchAll(/M(\d+) (\d+)/g)) {
    for (const place of [Number(x), Number(y)]) assert.ok(place >= 4 && place < code.size - 4);
  }
  assert.equal((code.size - 8 - 17) % 4, 0);
  assert.equal(qrCode(`${link}${"A".repeat(QR_LIMIT)}`), null);
  assert.ok(qrCode("A".repeat(QR_LIMIT)) !== null);
});

test("coloured lines are the text, and a picture shows the lines around the error of a long one", () => {
  const whole = colouredLines(text);
  assert.equal(whole.map((line) => line.map((piece) => piece.text).join("")).join("\n"), text);
  assert.equal(whole[0]?.find((piece) => piece.text === "fn")?.kind, "keyword");
  const long = Array.from({ length: 100 }, (_, index) => `x${index} = 1`).join("\n");
  const numbers = rowsOf(colouredLines(long), { ...problem, line: 50 }).map(({ number }) => number);
  assert.deepEqual([numbers[0], numbers[1], numbers.at(-2), numbers.at(-1)], [null, 42, 58, null]);
  assert.equal(rowsOf(colouredLines(long), { ...problem, line: 100 }).at(-1)?.number, 100);
});
