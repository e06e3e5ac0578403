/**
 * `<strand-snippet>`: a program in anybody's page, which stands in a `<pre><code>` inside the element and reads well
 * without this script. Nothing is fetched until somebody turns to a snippet; then all of the page share one engine.
 *
 * What authors can say with it, and hear of it, is told in `www/reference/11-snippets.md`.
 */
import type { Live } from "./live";
import { unindented } from "./written";

const NAME = "strand-snippet";

/** The root of the site that this script lies on. */
const site = new URL(/* @vite-ignore */ "./", import.meta.url).href;

const STYLE = `
:host { display: block; margin: 1em 0; }
.bar { display: flex; gap: 12px; align-items: center; padding: 4px 0; font: 14px/1.5 system-ui, sans-serif; }
button { min-width: 44px; min-height: 32px; font: inherit; }
button:focus-visible { outline: 2px solid; outline-offset: 2px; }
`;

const MESSAGES = { run: "Run", loading: "Loading …", failed: "This part of the page couldn't be fetched." };

/** The program's element; where there is none, the text that stands by itself becomes it. */
function codeOf(element: Element): Element | null {
  const found = element.querySelector("pre code") ?? element.querySelector("pre");
  if (found !== null) return found;
  if (element.textContent.trim() === "") return null;
  const block = document.createElement("pre");
  const code = document.createElement("code");
  code.textContent = element.textContent;
  block.append(code);
  element.replaceChildren(block);
  return code;
}

class StrandSnippet extends HTMLElement {
  private readonly root = this.attachShadow({ mode: "open" });
  private readonly note = document.createElement("span");
  private readonly button = document.createElement("button");
  /** What the author wrote, before anything of the page's own changed how it looks. */
  private written = "";
  private live: Live | null = null;
  private isComing = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [sheet];
    // Pages turn on arrow keys and search on letters: what is typed here is the snippet's.
    for (const kind of ["keydown", "keypress", "keyup"] as const) {
      this.addEventListener(kind, (event) => {
        if (kind === "keydown") this.keyed(event);
        event.stopPropagation();
      });
    }
  }

  connectedCallback(): void {
    if (this.live !== null || this.root.hasChildNodes()) return;
    const program = codeOf(this);
    if (program === null) {
      console.warn("strand-snippet: there is no program in it");
      return;
    }
    this.written = unindented(program.textContent);
    this.tidy(program);
    const bar = document.createElement("div");
    bar.className = "bar";
    this.button.type = "button";
    this.button.textContent = MESSAGES.run;
    this.button.addEventListener("click", () => void this.wake(true));
    this.note.setAttribute("role", "status");
    bar.append(this.button, this.note);
    const code = document.createElement("slot");
    code.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a") !== null) return;
      void this.wake(false);
    });
    this.root.append(code, bar);
  }

  /** Takes away what isn't for the reader; a program without any keeps what a highlighter made of it. */
  private tidy(code: Element): void {
    const shown = this.written.split("\n").filter((line) => !line.startsWith("~"));
    const text = shown.join("\n");
    if (text !== code.textContent.trimEnd()) code.textContent = text;
  }

  private keyed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || event.repeat) return;
    event.preventDefault();
    if (this.live === null) void this.wake(true);
    else this.live.runOrStop();
  }

  /** The pieces of this one's group that stand before it. */
  private setUp(): string[] {
    const group = this.getAttribute("group");
    if (group === null) return [];
    const all = [...document.querySelectorAll<StrandSnippet>(NAME)];
    return all
      .slice(0, all.indexOf(this))
      .filter((other) => other.getAttribute("group") === group)
      .map(({ written }) => written);
  }

  /** Somebody turned to it: it becomes live, and runs where that was asked for. */
  private async wake(runs: boolean): Promise<void> {
    if (this.live !== null || this.isComing) return;
    this.isComing = true;
    this.note.textContent = MESSAGES.loading;
    const height = Number(this.getAttribute("height"));
    const hadFocus = this.matches(":focus-within") || this.root.activeElement !== null;
    try {
      const { bring } = await import("./live");
      const live = await bring({
        root: this.root,
        written: this.written,
        before: this.setUp(),
        site,
        options: { readonly: this.hasAttribute("readonly"), height: height > 0 ? height : null },
        runs,
        tell: (kind, detail) => {
          this.dispatchEvent(new CustomEvent(kind, { detail, bubbles: true, composed: true }));
        },
      });
      if (typeof live === "string") {
        this.note.textContent = live;
        return;
      }
      this.live = live;
      if (!runs) live.focusText();
      else if (hadFocus) live.focusRun();
    } catch {
      this.note.textContent = MESSAGES.failed;
    } finally {
      this.isComing = false;
    }
  }
}

if (customElements.get(NAME) === undefined) customElements.define(NAME, StrandSnippet);
else console.warn("strand-snippet: another version of it is on this page already");
