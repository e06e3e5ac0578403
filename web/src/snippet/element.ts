/**
 * `<strand-snippet>`: a program in anybody's page, which stands in a `<pre><code>` inside the element and reads well
 * without this script. Nothing is fetched until somebody turns to a snippet; then all of the page share one engine.
 *
 * What authors can say with it, and hear of it, is told in `www/reference/11-snippets.md`.
 */
import { elementMessages as messages } from "./element-messages";
import type { Live } from "./live";
import { unindented } from "./written";
import type { SnippetEvents } from "./snippet";

const NAME = "strand-snippet";

/** The root of the site that this script lies on. */
const site = new URL(/* @vite-ignore */ "./", import.meta.url).href;

const STYLE = `
:host { display: block; margin: 1em 0; }
.bar { display: flex; gap: 12px; align-items: center; padding: 4px 0; font: 14px/1.5 system-ui, sans-serif; }
button { min-width: 44px; min-height: 32px; font: inherit; }
button:focus-visible { outline: 2px solid; outline-offset: 2px; }
`;

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
  /** What the author wrote, before anything of the page's own changed how it looks; "" until something is there. */
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
    this.live?.comeBack();
    if (this.root.hasChildNodes()) return;
    // Of a page that still comes there may be the first half of a program.
    if (document.readyState === "loading")
      document.addEventListener(
        "DOMContentLoaded",
        () => {
          this.stand();
        },
        { once: true },
      );
    else this.stand();
  }

  /** Gets its button once there is a program, which may be put in after the element. */
  private stand(): void {
    if (this.root.querySelector("button") !== null) return;
    if (this.read() === "") {
      this.root.append(document.createElement("slot"));
      const filled = new MutationObserver(() => {
        if (this.read() === "") return;
        filled.disconnect();
        this.stand();
      });
      filled.observe(this, { childList: true, characterData: true, subtree: true });
      return;
    }
    const bar = document.createElement("div");
    bar.className = "bar";
    this.button.type = "button";
    this.button.textContent = messages.run;
    this.button.addEventListener("click", () => void this.wake(true));
    this.note.setAttribute("role", "status");
    bar.append(this.button, this.note);
    const code = document.createElement("slot");
    code.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a") !== null) return;
      // Whoever selects text wants to copy it.
      if (document.getSelection()?.isCollapsed !== false) void this.wake(false);
    });
    this.root.replaceChildren(code, bar);
  }

  disconnectedCallback(): void {
    // What is only moved stands somewhere else by then.
    queueMicrotask(() => {
      if (!this.isConnected) this.live?.leave();
    });
  }

  /** What the author wrote; "" where that is still to be put in. */
  private read(): string {
    const code = this.written === "" ? codeOf(this) : null;
    if (code !== null) {
      this.written = unindented(code.textContent);
      this.tidy(code);
    }
    return this.written;
  }

  /**
   * Hides what isn't for the reader. It stays in the page, where a copy of the element finds it; a program without any
   * keeps what a highlighter made of it.
   */
  private tidy(code: Element): void {
    if (!/^~/m.test(this.written) && this.written === code.textContent.trimEnd()) return;
    const lines = this.written.split(/(?<=\n)/).map((line) => {
      if (!line.startsWith("~")) return line;
      const hidden = document.createElement("span");
      hidden.hidden = true;
      hidden.textContent = line;
      return hidden;
    });
    code.replaceChildren(...lines);
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
      .map((other) => other.read());
  }

  /** Somebody turned to it: it becomes live, and runs where that was asked for. */
  private async wake(runs: boolean): Promise<void> {
    if (this.live !== null || this.isComing) return;
    this.isComing = true;
    this.note.textContent = messages.loading;
    const height = Number(this.getAttribute("height"));
    const hadFocus = this.matches(":focus-within") || this.root.activeElement !== null;
    try {
      const { bring } = await import("./live");
      const live = await bring({
        root: this.root,
        written: this.read(),
        before: this.setUp(),
        site,
        options: { readonly: this.hasAttribute("readonly"), height: height > 0 ? height : null },
        runs,
        tell: (kind, detail) => {
          this.tell(kind, detail);
        },
      });
      if (typeof live === "string") {
        this.note.textContent = live;
        return;
      }
      this.live = live;
      if (!this.isConnected) live.leave();
      // Who went on to something else meanwhile stays there.
      const isFree = document.activeElement === document.body || this.matches(":focus-within");
      if (isFree && !runs) live.focusText();
      else if (isFree && hadFocus) live.focusRun();
    } catch {
      const isStranger = new URL(site).origin !== location.origin;
      const message = isStranger ? messages.otherOrigin : messages.failed;
      this.note.textContent = message;
      this.tell("error", { code: null, line: null, message });
    } finally {
      this.isComing = false;
    }
  }

  private tell<K extends keyof SnippetEvents>(kind: K, detail: SnippetEvents[K]): void {
    this.dispatchEvent(new CustomEvent(kind, { detail, bubbles: kind !== "error", composed: true }));
  }
}

if (customElements.get(NAME) === undefined) customElements.define(NAME, StrandSnippet);
else console.warn("strand-snippet: another version of it is on this page already");
