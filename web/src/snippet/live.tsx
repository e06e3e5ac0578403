/** Makes a snippet live: fetched when somebody first turns to one of the page. */
import { render } from "preact";
import { keepNothing } from "../store/storage";
import { sharedEngine } from "./shared";
import { Snippet, type Tell } from "./snippet";
import { SnippetView, type SnippetOptions } from "./SnippetView";
import { sourceOf } from "./source";
import style from "./snippet.css?inline";

export interface Place {
  /** Where the live snippet is to stand, in a shadow root. */
  root: ShadowRoot;
  /** What the author wrote, and the pieces of its group before it. */
  written: string;
  before: readonly string[];
  /** The root of the site that has the playground. */
  site: string;
  options: SnippetOptions;
  /** Whether somebody asked for a run. */
  runs: boolean;
  tell: Tell;
}

/** What the element does with a live snippet. */
export interface Live {
  runOrStop: () => void;
  focusText: () => void;
  focusRun: () => void;
  /** The element was taken out of the page, and put in again. */
  leave: () => void;
  comeBack: () => void;
}

keepNothing();

let sheet: CSSStyleSheet | null = null;

function styled(root: ShadowRoot): void {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  root.adoptedStyleSheets = [sheet];
}

/** Puts a live snippet in place; null, with the reason told, where there is no engine. */
export async function bring({
  root,
  written,
  before,
  site,
  options,
  runs,
  tell,
}: Place): Promise<Live | string> {
  const snippet = new Snippet(sourceOf(written, before), site, tell, options.readonly);
  if (!(await snippet.start(sharedEngine()))) {
    const { value } = snippet.engine;
    return value.kind === "failed" ? value.message : "";
  }
  styled(root);
  const box = document.createElement("div");
  render(<SnippetView snippet={snippet} options={options} />, box);
  root.replaceChildren(box);
  if (runs) snippet.runSoon();
  return {
    runOrStop: () => {
      snippet.runOrStop();
    },
    focusText: () => {
      snippet.focusText();
    },
    focusRun: () => {
      box.querySelector<HTMLElement>(".button.run")?.focus();
    },
    leave: () => {
      snippet.leave();
    },
    comeBack: () => {
      snippet.comeBack();
    },
  };
}
