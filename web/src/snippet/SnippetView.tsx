import { useLayoutEffect, useRef } from "preact/hooks";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { Editor } from "../editor/editor";
import { messages } from "../messages";
import { ResultTab } from "../result/ResultTab";
import { Announcer } from "../ui/Announcer";
import { RunButton } from "../ui/RunButton";
import { Timing, Verdict } from "../ui/StatusLine";
import { hiddenBefore, hiddenLines } from "./hidden";
import type { Snippet } from "./snippet";

export interface SnippetOptions {
  readonly: boolean;
  /** The most pixels that the program takes, or null. */
  height: number | null;
}

function Text({ snippet, options }: { snippet: Snippet; options: SnippetOptions }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const { readonly, height } = options;
    if (height !== null) host.current.style.maxHeight = `${height}px`;
    const editor = new Editor(host.current, {
      text: snippet.text.peek(),
      selection: { from: 0, to: 0 },
      onChange: (text) => {
        snippet.edited(text);
      },
      onCaret: (offset) => {
        snippet.caret.value = offset;
        snippet.checking.caretMoved();
      },
      onFocus: () => undefined,
      onPoint: () => undefined,
      lineNumber: (line, state) => String(line - hiddenBefore(state, line)),
      more: [
        hiddenLines(snippet.source.hidden),
        readonly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
      ],
      problems: {
        apply: (fix) => {
          snippet.applyFix(fix);
        },
        open: (problem) => {
          snippet.goToLine(problem.line);
        },
        close: () => false,
        enter: () => undefined,
      },
      complete: (text, offset) => snippet.checking.complete(text, offset),
      hover: (text, offset) => snippet.checking.hover(text, offset),
    });
    snippet.attach(editor);
  }, [snippet, options]);
  return <div class="editor" ref={host} />;
}

/** A snippet in a page of somebody else's: the program, how it is run, and below it what it gives. */
export function SnippetView({ snippet, options }: { snippet: Snippet; options: SnippetOptions }) {
  return (
    <div class="snippet">
      <Text snippet={snippet} options={options} />
      <div class="status" data-activity={snippet.activity.value}>
        <RunButton program={snippet} />
        <Verdict program={snippet} />
        <Timing program={snippet} />
        {!options.readonly && (
          <span class="leave" aria-hidden="true">
            {messages.leaveHint}
          </span>
        )}
      </div>
      <ResultTab program={snippet} />
      <Announcer program={snippet} />
    </div>
  );
}
