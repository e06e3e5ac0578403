/** Markdown of the written pages as HTML: programs with what Strand says of them, and links from code names. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import type { Strand } from "../pkg/strand_wasm.js";
import { escaped } from "../src/share/html";
import { linkOf, programFigure } from "./article-pages";
import { ran } from "./engine";
import { figures, shownBy } from "./shown";

/** What a fence says to the tests; a reader sees the drawn error in its place. */
const MARK = /[ \t]*# (?:next error|error|warning|hint|run error|type|lowering): .*$/gm;

/** Fences of programs, some with what they have on purpose: `strand hint=H2402`. */
function isProgram(lang: string): boolean {
  return /^strand\b/.test(lang);
}

/**
 * What is wrong with a program, drawn: what the checker finds, but for a hint that the fence names, else what first stops
 * a run. Empty where nothing is.
 */
function drawn(strand: Strand, program: string, lang: string): string {
  const named = ({ code }: { code: string }) => lang.includes(`hint=${code}`);
  const found = strand.check(program).diagnostics.filter((finding) => !named(finding));
  if (found.length > 0) return found.map(({ rendered }) => rendered).join("\n");
  const { events, result } = ran(strand, program);
  const failed = events.flatMap((event) => (event.kind === "call" ? (event.call.error ?? []) : []));
  return (result.error ?? failed[0])?.rendered ?? "";
}

async function figure(strand: Strand, fence: string, lang: string): Promise<string> {
  const program = `${fence.replace(MARK, "").trimEnd()}\n`;
  const error = drawn(strand, program, lang);
  const html = programFigure(program, error === "" ? null : error, await linkOf(program));
  const shows = error === "" && /\bshow\(/.test(program);
  return shows ? `${html}${figures(strand, shownBy(strand, program))}` : html;
}

/** Code names in the text become links to their pages. */
export function withLinks(markdown: string, codes: ReadonlySet<string>, own = ""): string {
  const fences = markdown.split(/(```[\s\S]*?```|`[^`\n]*`)/);
  const linked = (text: string) =>
    text.replace(/\b[EWHR]\d{2,4}\b/g, (code) =>
      codes.has(code) && code !== own ? `[${code}](../codes/${code}.html)` : code,
    );
  return fences.map((piece, at) => (at % 2 === 1 ? piece : linked(piece))).join("");
}

/** Markdown as HTML, its programs as figures. */
export async function written(markdown: string, strand: Strand): Promise<string> {
  const figures: string[] = [];
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (token.type !== "code" || !isProgram(String(token["lang"]))) continue;
    figures.push(await figure(strand, String(token["text"]), String(token["lang"])));
  }
  let next = 0;
  marked.use({
    renderer: {
      code({ lang, text }) {
        if (isProgram(lang ?? "")) return figures[next++] ?? "";
        const label = lang === "python" ? "In PyTorch" : lang === "output" ? "Shows" : "";
        const caption = label === "" ? "" : `<figcaption>${label}</figcaption>\n`;
        return `<figure class="program">\n${caption}<pre class="program-text" tabindex="0" aria-label="${label || "Text"}"><code>${escaped(text)}</code></pre>\n</figure>\n`;
      },
    },
  });
  return marked.parser(tokens);
}

/** The codes that have a page. */
export function knownCodes(web: string): ReadonlySet<string> {
  const names = readdirSync(join(web, "../crates/strand_session/pages"));
  return new Set(names.map((name) => name.replace(/\.md$/, "")));
}
