/** The programs of the language suites: every `strand` fence of a Markdown file, under the headings above it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Every program below a folder, in the order of names and lines. */
export function programsBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .flatMap((path) => {
      const file = relative(folder, path);
      return programsOf(readFileSync(path, "utf8")).map((program) => ({ file, ...program }));
    });
}

/** The programs of one suite. `line` is the line of the fence. */
export function programsOf(markdown) {
  const programs = [];
  const headings = [];
  let fence = null;
  markdown.split("\n").forEach((text, index) => {
    if (fence !== null) {
      if (text.trimEnd() === fence.marker) {
        if (isProgram(fence.language)) programs.push(finished(fence, headings));
        fence = null;
      } else {
        fence.lines.push(text);
      }
      return;
    }
    const opening = /^(`{3,})\s*(.*)$/.exec(text);
    if (opening !== null) {
      fence = { marker: opening[1], language: opening[2], line: index + 1, lines: [] };
    }
    const heading = /^(#+)\s+(.*?)\s*$/.exec(text);
    if (heading !== null) headings.splice(heading[1].length - 1, Infinity, heading[2]);
  });
  return programs;
}

/** `strand fixed` holds what a fix leaves of the program above it. */
function isProgram(language) {
  const words = language.trim().split(/\s+/);
  return words[0] === "strand" && !words.includes("fixed");
}

function finished(fence, headings) {
  const name = headings.filter((heading) => heading !== undefined).join(" › ");
  return { name, line: fence.line, text: fence.lines.map((line) => `${line}\n`).join("") };
}
