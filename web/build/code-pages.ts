/**
 * A page for each diagnostic code, written by the build: what the code means, the programs that give it with their
 * drawn errors, and the mended ones. Each program opens in the playground, which the page can also hold in itself.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import { initSync, Strand } from "../pkg/strand_wasm.js";
import { escaped } from "../src/share/html";
import { assetsOf, framed, linkOf, programFigure } from "./article-pages";

const RUN_OPTIONS = { sizes: {}, fill: "index", memoryLimit: 2 ** 30 } as const;

/** What a fence says to the tests; a reader sees the drawn error in its place. */
const MARK = /[ \t]*# (?:next error|error|warning|hint|run error|type|lowering): .*$/gm;

/** Where the head of each page leads. */
const LINKS = [
  ["./index.html", "All codes"],
  ["../gallery/index.html", "Gallery"],
  ["../", "Playground"],
] as const;

const FAMILIES: readonly (readonly [prefix: string, title: string])[] = [
  ["E01", "Syntax"],
  ["E02", "Dims"],
  ["E03", "Names"],
  ["E04", "Axes"],
  ["E05", "Shapes and indexing"],
  ["E06", "Dtypes and domains"],
  ["E07", "Calls"],
  ["E08", "Control flow"],
  ["E09", "Models"],
  ["E21", "Data"],
  ["E22", "Training"],
  ["E23", "Workers"],
  ["E24", "Chains"],
  ["E25", "Export"],
  ["E31", "Python"],
  ["E32", "Pipes"],
  ["W", "Warnings"],
  ["H", "Hints"],
  ["R", "While running"],
];

interface CodePage {
  code: string;
  title: string;
  markdown: string;
}

function readPages(folder: string): CodePage[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const head = /^# (\S+) (.*)\n/.exec(text);
    if (head?.[1] === undefined || head[2] === undefined) throw new Error(`${name} has no "# CODE title"`);
    return { code: head[1], title: head[2], markdown: text.slice(head[0].length) };
  });
}

/** What is wrong with a program, drawn: what the checker finds, else what first stops a run. Empty where nothing is. */
function drawn(strand: Strand, program: string): string {
  const found = strand.check(program).diagnostics;
  if (found.length > 0) return found.map(({ rendered }) => rendered).join("\n");
  const errors: string[] = [];
  const result = strand.run(program, RUN_OPTIONS, (event) => {
    if (event.kind === "call" && event.call.error) errors.push(event.call.error.rendered);
  });
  return result.error?.rendered ?? errors[0] ?? "";
}

async function figure(strand: Strand, fence: string): Promise<string> {
  const program = `${fence.replace(MARK, "").trimEnd()}\n`;
  const error = drawn(strand, program);
  return programFigure(program, error === "" ? null : error, await linkOf(program));
}

/** Code names in the text become links to their pages. */
function withLinks(markdown: string, codes: ReadonlySet<string>, own: string): string {
  const fences = markdown.split(/(```[\s\S]*?```|`[^`\n]*`)/);
  const linked = (text: string) =>
    text.replace(/\b[EWHR]\d{2,4}\b/g, (code) =>
      codes.has(code) && code !== own ? `[${code}](./${code}.html)` : code,
    );
  return fences.map((piece, at) => (at % 2 === 1 ? piece : linked(piece))).join("");
}

async function article(page: CodePage, strand: Strand, codes: ReadonlySet<string>): Promise<string> {
  const figures: string[] = [];
  const marked = new Marked();
  const tokens = marked.lexer(withLinks(page.markdown, codes, page.code));
  for (const token of tokens) {
    if (token.type !== "code" || token["lang"] !== "strand") continue;
    figures.push(await figure(strand, String(token["text"])));
  }
  let next = 0;
  marked.use({
    renderer: {
      code({ lang, text }) {
        if (lang === "strand") return figures[next++] ?? "";
        return `<pre class="program-text"><code>${escaped(text)}</code></pre>\n`;
      },
    },
  });
  return `<h1><span class="article-code">${page.code}</span> ${escaped(page.title)}</h1>\n${marked.parser(tokens)}`;
}

function index(pages: readonly CodePage[]): string {
  const family = ([prefix, title]: readonly [string, string]) => {
    const own = pages.filter(({ code }) => code.startsWith(prefix));
    const rows = own.map(
      ({ code, title: about }) =>
        `<li><a href="./${code}.html"><code>${code}</code>${escaped(about)}</a></li>`,
    );
    return own.length === 0
      ? ""
      : `<section><h2>${title}</h2>\n<ul class="codes">\n${rows.join("\n")}\n</ul></section>\n`;
  };
  return `<h1>What Strand says about a program</h1>
<p>Every finding has a code. Its page says what it means, with a program that gives it and the mended one.</p>
${FAMILIES.map(family).join("")}`;
}

async function main(): Promise<void> {
  const web = join(import.meta.dirname, "..");
  const site = join(web, "dist");
  const folder = join(site, "codes");
  const assets = assetsOf(site);
  initSync({ module: readFileSync(join(web, "pkg/strand_wasm_bg.wasm")) });
  const strand = new Strand();
  const pages = readPages(join(web, "../crates/strand_session/pages"));
  const codes = new Set(pages.map(({ code }) => code));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), framed("Codes", index(pages), assets, LINKS));
  for (const page of pages) {
    const html = framed(`${page.code} ${page.title}`, await article(page, strand, codes), assets, LINKS);
    writeFileSync(join(folder, `${page.code}.html`), html);
  }
  console.log(`${pages.length} pages of codes`);
}

await main();
