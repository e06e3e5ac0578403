/**
 * `<strand-snippet>`: a program in anybody's page, which stands in a `<pre><code>` inside the element and reads well
 * without this script. Nothing is fetched until somebody turns to a snippet; then all of the page share one engine.
 *
 * Attributes: `readonly`, `height` in pixels, and `group`: earlier snippets of the same group are its hidden set-up.
 * Lines that begin with `~` belong to the program and aren't shown. Events: `ready`, `result` and `error`.
 */
import type { Live } from "./live";

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

function codeOf(element: Element): Element | null {
  return element.querySelector("pre code") ?? element.querySelector("pre");
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
    this.written = codeOf(this)?.textContent ?? "";
    this.hideLines();
    const bar = document.createElement("div");
    bar.className = "bar";
    this.button.type = "button";
    this.button.textContent = MESSAGES.run;
    this.button.addEventListener("click", () => void this.wake(true));
    this.note.setAttribute("role", "status");
    bar.append(this.button, this.note);
    const code = document.createElement("slot");
    code.addEventListener("click", () => void this.wake(false));
    this.root.append(code, bar);
  }

  /** Lines that belong to the program and aren't for the reader. */
  private hideLines(): void {
    const code = codeOf(this);
    if (code === null || !/^~/m.test(this.written)) return;
    const shown = this.written.split("\n").filter((line) => !line.startsWith("~"));
    code.textContent = shown.join("\n");
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
      if (hadFocus || !runs) live.focus();
    } catch {
      this.note.textContent = MESSAGES.failed;
    } finally {
      this.isComing = false;
    }
  }
}

if (customElements.get(NAME) === undefined) customElements.define(NAME, StrandSnippet);
else console.warn("strand-snippet: another version of it is on this page already");
