/** The language's reference as static pages, written by the build from `www/reference`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escaped } from "../src/share/html";
import { assetsOf, framed } from "./article-pages";
import { ENGINE, engine } from "./engine";
import { knownCodes, withLinks, written } from "./written";

interface ReferencePage {
  /** The page's address, without `.html`. */
  name: string;
  title: string;
  markdown: string;
}

/** The pages in the order of the numbers before their names. */
function readPages(folder: string): ReferencePage[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const head = /^# (.*)\n/.exec(text);
    if (head?.[1] === undefined) throw new Error(`${file} has no title`);
    const name = file.replace(/^\d+-/, "").replace(/\.md$/, "");
    const markdown = text.slice(head[0].length).replace(/^<!-- .* -->\n/gm, "");
    return { name, title: head[1], markdown };
  });
}

/** The headings of a page, which the index lists. */
function parts(page: ReferencePage): string {
  const headings = page.markdown
    .split(/```[\s\S]*?```/)
    .join("")
    .matchAll(/^## (.*)$/gm);
  return [...headings].map(([, title]) => escaped(title ?? "")).join(" · ");
}

function index(pages: readonly ReferencePage[]): string {
  const rows = pages.map(
    (page) => `<li><a href="./${page.name}.html">${escaped(page.title)}</a><span>${parts(page)}</span></li>`,
  );
  return `<h1>The language</h1>
<p>Strand is a small typed tensor language whose types name their axes. What the checker accepts holds for every size, and every
program is also PyTorch.</p>
<ol class="chapters">
${rows.join("\n")}
</ol>
<p>What Strand says about a program has <a href="../codes/index.html">a page for each code</a>.</p>
`;
}

/** The pages before and after one. */
function neighbours(pages: readonly ReferencePage[], at: number): string {
  const link = (page: ReferencePage | undefined, rel: "prev" | "next") =>
    page === undefined ? "" : `<a rel="${rel}" href="./${page.name}.html">${escaped(page.title)}</a>`;
  const links = [link(pages[at - 1], "prev"), link(pages[at + 1], "next")];
  return `<nav class="neighbours" aria-label="Chapters">${links.join(" ")}</nav>\n`;
}

/** Tables scroll in themselves where the page is narrow. */
function withScrollingTables(html: string): string {
  return html
    .replaceAll("<table>", '<div class="table-frame" role="group" tabindex="0" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
}

async function main(): Promise<void> {
  const web = join(import.meta.dirname, "..");
  const site = join(web, "dist");
  const folder = join(site, "reference");
  const assets = assetsOf(site);
  const strand = engine(join(web, ENGINE));
  const codes = knownCodes(web);
  const pages = readPages(join(web, "../www/reference"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), framed("The language", index(pages), assets));
  for (const [at, page] of pages.entries()) {
    const text = await written(withLinks(page.markdown, codes), strand);
    const main = `<h1>${escaped(page.title)}</h1>\n${withScrollingTables(text)}${neighbours(pages, at)}`;
    writeFileSync(join(folder, `${page.name}.html`), framed(page.title, main, assets));
  }
  console.log(`${pages.length} pages of the reference`);
}

await main();
