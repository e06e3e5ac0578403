/**
 * Every marked caret of tests/completion in the engine that the page loads: each item that is accepted leaves no new
 * error, and the expected one is among the first five.
 *
 *     node tests/wasm/completion.mjs PACKAGE_FOLDER
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { instance } from "./instance.mjs";

const CARETS = fileURLToPath(new URL("../completion", import.meta.url));
const FIRST = 5;

const [packageFolder] = process.argv.slice(2);
if (packageFolder === undefined) {
  console.error("usage: node tests/wasm/completion.mjs PACKAGE_FOLDER");
  process.exit(2);
}
const { Strand } = await instance(packageFolder);
const strand = new Strand();

/** The carets of one page: a heading, a program with its caret, the items that are expected. */
function caretsOf(file) {
  const page = readFileSync(join(CARETS, file), "utf8");
  return page
    .split("\n## ")
    .slice(1)
    .map((section) => {
      const fence = (word) => section.split(`\`\`\`${word}\n`)[1].split("```")[0];
      const marked = fence("strand");
      return {
        name: `${file}: ${section.split("\n")[0]}`,
        text: marked.replace("‸", ""),
        caret: marked.indexOf("‸"),
        expected: fence("expected").trimEnd().split("\n"),
      };
    });
}

/** How many errors of each code a text has. */
function errorsOf(text) {
  const counts = new Map();
  for (const { severity, code } of strand.check(text).diagnostics) {
    if (severity === "error") counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

function problemsOf({ name, text, caret, expected }) {
  const { range, items } = strand.complete(text, caret);
  const before = errorsOf(text);
  const problems = [];
  for (const { insert } of items) {
    const after = errorsOf(text.slice(0, range.from) + insert + text.slice(range.to));
    for (const [code, count] of after) {
      if (count > (before.get(code) ?? 0)) problems.push(`${name}: \`${insert}\` brings ${code}`);
    }
  }
  const first = items.slice(0, FIRST);
  for (const wanted of expected) {
    const [label, type] = wanted.split(" : ");
    const found = first.some((item) => item.label === label && (type === undefined || item.type === type));
    if (!found)
      problems.push(`${name}: no \`${wanted}\` in ${first.map((item) => `${item.label} : ${item.type}`)}`);
  }
  return problems;
}

const carets = readdirSync(CARETS).sort().flatMap(caretsOf);
const problems = carets.flatMap(problemsOf);
for (const problem of problems) console.log(problem);
console.log(`${carets.length} carets, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
