/** What the written pages have in common: their frame, and programs that can be opened and tried. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escaped } from "../src/share/html";
import { encodeLink, LANGUAGE_VERSION } from "../src/share/link";
import { highlighted } from "./html";

/** The files that a page refers to, as addresses from a folder beside `assets`. */
export interface PageAssets {
  style: string;
  script: string;
  icon: string;
  /** The id that the playground carries. */
  build: string;
}

/** The id of the build that lies in a folder. */
export function buildOf(site: string): string {
  const page = readFileSync(join(site, "index.html"), "utf8");
  const id = /<meta name="strand-build" content="([0-9a-f]+)"/.exec(page)?.[1];
  if (id === undefined) throw new Error("index.html has no build id");
  return id;
}

export function assetsOf(site: string): PageAssets {
  const names = readdirSync(join(site, "assets"));
  const named = (pattern: RegExp) => {
    const found = names.find((name) => pattern.test(name));
    if (found === undefined) throw new Error(`the build has no file like ${String(pattern)}`);
    return `../assets/${found}`;
  };
  return {
    style: named(/\.css$/),
    script: named(/^article-.*\.js$/),
    icon: named(/^icon-.*\.svg$/),
    build: buildOf(site),
  };
}

/** Where the head of every written page leads. */
const LINKS = [
  ["../reference/index.html", "Reference"],
  ["../codes/index.html", "Codes"],
  ["../gallery/index.html", "Gallery"],
  ["../", "Playground"],
] as const;

/** A whole page around its main part. */
export function framed(title: string, main: string, assets: PageAssets): string {
  const anchors = LINKS.map(([address, text]) => `<a href="${address}">${text}</a>`).join(" ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="strand-build" content="${assets.build}">
<title>${escaped(title)} · Strand</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body class="article">
<header class="article-head"><a class="brand" href="../"><img src="${assets.icon}" width="24" height="24" alt=""> Strand</a>
<nav aria-label="Site">${anchors}</nav></header>
<main>
${main}</main>
</body>
</html>
`;
}

/** The fragment that opens a program in the playground. */
export function linkOf(program: string): Promise<string> {
  return encodeLink({
    text: program,
    languageVersion: LANGUAGE_VERSION,
    sizes: {},
    tab: "result",
    selection: { from: 0, to: 0 },
  });
}

/** A program with what Strand says of it, null where it says nothing, and ways into the playground. */
export function programFigure(program: string, error: string | null, link: string): string {
  const verdict =
    error === null
      ? '<p class="program-verdict is-ok">✓ No problems</p>'
      : `<pre class="program-error" tabindex="0" aria-label="What Strand says">${escaped(error.trimEnd())}</pre>`;
  return `<figure class="program ${error === null ? "is-right" : "is-wrong"}">
<pre class="program-text" tabindex="0" aria-label="Program"><code>${highlighted(program.trimEnd())}</code></pre>
${verdict}
<figcaption><button type="button" class="button" data-try="${escaped(link)}" hidden>Try it here</button>
<a href="../#${escaped(link)}">Open in the playground</a></figcaption>
</figure>
`;
}
