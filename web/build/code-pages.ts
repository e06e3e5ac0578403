/**
 * A page for each diagnostic code, written by the build: what the code means, the programs that give it with their
 * drawn errors, and the mended ones. Each program opens in the playground, which the page can also hold in itself.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escaped } from "../src/share/html";
import { assetsOf, framed } from "./article-pages";
import { ENGINE, engine } from "./engine";
import { knownCodes, withLinks, written } from "./written";

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
  ["E22", "Training"],
  ["E24", "Chains"],
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

function index(pages: readonly CodePage[]): string {
  const lost = pages.find(({ code }) => !FAMILIES.some(([prefix]) => code.startsWith(prefix)));
  if (lost !== undefined) throw new Error(`no family has ${lost.code}`);
  const family = ([prefix, title]: readonly [string, string]) => {
    const own = pages.filter(({ code }) => code.startsWith(prefix));
    const rows = own.map(
      ({ code, title: about }) =>
        `<li><a href="./${code}.html"><code>${code}</code>${escaped(about)}</a></li>`,
    );
    return `<section><h2>${title}</h2>\n<ul class="codes">\n${rows.join("\n")}\n</ul></section>\n`;
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
  const strand = engine(join(web, ENGINE));
  const pages = readPages(join(web, "../crates/strand_session/pages"));
  const codes = knownCodes(web);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), framed("Codes", index(pages), assets));
  for (const page of pages) {
    const text = await written(withLinks(page.markdown, codes, page.code), strand);
    const head = `<h1><span class="article-code">${page.code}</span> ${escaped(page.title)}</h1>\n`;
    const html = framed(`${page.code} ${page.title}`, `${head}${text}`, assets);
    writeFileSync(join(folder, `${page.code}.html`), html);
  }
  console.log(`${pages.length} pages of codes`);
}

await main();
