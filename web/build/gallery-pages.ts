/**
 * The gallery, written by the build: a sheet with a picture of each program, and a page for each with what it shows,
 * the edit that it suggests and its PyTorch text. The pictures come from running the programs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Strand } from "../pkg/strand_wasm.js";
import { hasPicture, plain } from "../src/engine/contract";
import { escaped } from "../src/share/html";
import { pythonTokens } from "../src/torch/python-tokens";
import { ShapeTable } from "../src/ui/ShapeTable";
import { assetsOf, framed, linkOf, programFigure } from "./article-pages";
import { ENGINE, engine } from "./engine";
import { edited, galleryPrograms, type GalleryProgram } from "./gallery";
import { highlighted } from "./html";
import { figures, picture, shownBy } from "./shown";

/** What is wrong with a program, drawn; null where nothing is. Hints are for whoever writes it. */
function findingsOf(strand: Strand, text: string): string | null {
  const found = plain(strand.check(text)).diagnostics.filter(({ severity }) => severity !== "hint");
  return found.length === 0 ? null : found.map(({ rendered }) => rendered).join("\n");
}

/** The picture on the sheet: of a program with an error its drawing. */
function thumbnail(strand: Strand, program: GalleryProgram): string {
  if (program.gives !== null) {
    const [error] = plain(strand.check(program.text)).diagnostics;
    if (error === undefined || error.diff === null) throw new Error(`${program.name} has no shapes to draw`);
    const shapes = renderToString(h(ShapeTable, { diff: error.diff, speech: error.speech }));
    return `<div class="thumb-error"><p class="thumb-code">${error.code}</p>${shapes}</div>`;
  }
  const values = shownBy(strand, program.text);
  const value = values.find(hasPicture) ?? values[0];
  return value === undefined ? "" : picture(strand, value, true);
}

function card(strand: Strand, program: GalleryProgram): string {
  return `<li class="sheet-card">
<div class="thumb" aria-hidden="true" inert>${thumbnail(strand, program)}</div>
<h2><a href="./${program.name}.html">${escaped(program.title)}</a></h2>
<p>${inline(program.about)}</p>
</li>
`;
}

/** Text with its code set apart. */
function inline(text: string): string {
  return escaped(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

function changes({ replacements }: GalleryProgram): string {
  const rows = replacements.flatMap((replacement) => {
    const side = (text: string, sign: string, name: string) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => `<span class="${name}"><span class="sign">${sign}</span> ${highlighted(line)}</span>`);
    return [...side(replacement.old, "−", "is-old"), ...side(replacement.new, "+", "is-new")];
  });
  return `<pre class="program-text change" tabindex="0" aria-label="The change"><code>${rows.join("\n")}</code></pre>\n`;
}

function python(text: string): string {
  const kinds = { keyword: "keyword", call: "function", definition: "function", number: "number" } as const;
  const more = { string: "string", comment: "comment" } as const;
  const names: Partial<Record<string, string>> = { ...kinds, ...more };
  return pythonTokens(text)
    .map(({ kind, from, to }) => {
      const piece = escaped(text.slice(from, to));
      const name = names[kind];
      return name === undefined ? piece : `<span class="code-${name}">${piece}</span>`;
    })
    .join("");
}

async function suggestion(strand: Strand, program: GalleryProgram): Promise<string> {
  const after = edited(program);
  const link = await linkOf(after);
  const error = findingsOf(strand, after);
  const outcome =
    program.editGives === null
      ? figures(strand, shownBy(strand, after).slice(0, 6))
      : `<pre class="program-error" tabindex="0" aria-label="What Strand says">${escaped((error ?? "").trimEnd())}</pre>`;
  return `<h2>Change it</h2>
<p>${inline(program.suggestion)}</p>
<figure class="program">
${changes(program)}${program.editGives === null ? "" : outcome}
<figcaption><button type="button" class="button" data-try="${escaped(link)}" hidden>Try the change here</button>
<a href="../#${escaped(link)}">Open the change in the playground</a></figcaption>
</figure>
${program.editGives === null ? outcome : ""}`;
}

async function article(
  strand: Strand,
  program: GalleryProgram,
  after: GalleryProgram | undefined,
): Promise<string> {
  const shown = program.gives === null ? figures(strand, shownBy(strand, program.text)) : "";
  const torch = program.gives === null ? "In PyTorch" : "In PyTorch, with the change";
  const findings = findingsOf(strand, program.text);
  const figure = programFigure(program.text, findings, await linkOf(program.text));
  const next =
    after === undefined
      ? ""
      : `<p class="next">Next: <a href="./${after.name}.html">${escaped(after.title)}</a></p>\n`;
  return `<h1>${escaped(program.title)}</h1>
<p>${inline(program.about)}</p>
${figure}${shown}${await suggestion(strand, program)}
<h2>${torch}</h2>
<figure class="program"><pre class="program-text" tabindex="0" aria-label="PyTorch text"><code>${python(program.torch.trimEnd())}</code></pre></figure>
${next}`;
}

function sheet(strand: Strand, programs: readonly GalleryProgram[]): string {
  return `<h1>Gallery</h1>
<p>Each program teaches one thing. Its picture comes from running it, and its values are those of PyTorch.</p>
<ul class="sheet">
${programs.map((program) => card(strand, program)).join("")}</ul>
`;
}

async function main(): Promise<void> {
  const web = join(import.meta.dirname, "..");
  const folder = join(web, "dist/gallery");
  const assets = assetsOf(join(web, "dist"));
  const strand = engine(join(web, ENGINE));
  const programs = galleryPrograms();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), framed("Gallery", sheet(strand, programs), assets));
  for (const [at, program] of programs.entries()) {
    const html = framed(program.title, await article(strand, program, programs[at + 1]), assets);
    writeFileSync(join(folder, `${program.name}.html`), html);
  }
  console.log(`${programs.length} programs of the gallery`);
}

await main();
