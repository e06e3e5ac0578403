/** A program and what is wrong with it as text for other places: chats, issues, pages. */
import { escaped } from "./html";
import type { Diagnostic } from "../engine/contract";
import { messages } from "../messages";

export interface Report {
  text: string;
  /** The error that is spoken of, or null. */
  problem: Diagnostic | null;
  /** The engine's own Markdown of that error, or null. */
  drawn: string | null;
  link: string;
}

export interface Versions {
  language: string;
  build: string;
  agent: string;
}

/** A fence longer than any in the text, so that the text can't end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`;
}

/** The drawn error: the engine's Markdown, or its drawing where an error of a run has none. */
function drawing({ problem, drawn }: Report): string[] {
  if (drawn !== null) return [`${drawn.trimEnd()}\n`];
  return problem === null ? [] : [fenced(problem.rendered, "text")];
}

/** The program, the drawn error and the link. */
export function markdown(report: Report): string {
  const { text, link } = report;
  const parts = [fenced(text, "strand"), ...drawing(report)];
  parts.push(`[${messages.openInPlayground}](${link})\n`);
  return parts.join("\n");
}

/** What somebody who is to mend it needs: versions, program, drawing, PyTorch text where there is one, link. */
export function issue(report: Report, versions: Versions, torch: string | null): string {
  const { text, problem, link } = report;
  const parts = [
    `### ${problem === null ? messages.issueTitle : `${problem.code}: ${problem.message}`}\n`,
    `${messages.issueVersions(versions.language, versions.build, versions.agent)}\n`,
    fenced(text, "strand"),
    ...drawing(report),
  ];
  if (torch !== null) parts.push(`${messages.issueTorch}\n`, fenced(torch, "python"));
  parts.push(`[${messages.openInPlayground}](${link})\n`);
  return parts.join("\n");
}

/** HTML that shows the program in any page, and runs it in a page that has the script of `<strand-snippet>`. */
export function snippet({ text, link }: Report): string {
  return [
    `<strand-snippet><pre><code class="language-strand">${escaped(text.trimEnd())}\n</code></pre>`,
    `<p><a href="${escaped(link)}">${escaped(messages.openInPlayground)}</a></p></strand-snippet>`,
    "",
  ].join("\n");
}

const AGENTS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/OPR\/(\d+)/, "Opera"],
  [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/(?:Chrome|Chromium|CriOS|HeadlessChrome)\/(\d+)/, "Chromium"],
  [/Version\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari/, "Safari"],
];

/** The browser's family and major version, and no more of what it says about itself. */
export function agentFamily(userAgent: string): string {
  for (const [pattern, name] of AGENTS) {
    const found = pattern.exec(userAgent);
    if (found !== null) return `${name} ${found[1] ?? ""}`.trim();
  }
  return messages.otherBrowser;
}
