/** The editor's look. Colours are the page's own variables, which reach into the shadow root. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { NARROW } from "../ui/narrow";
import { rules } from "./highlight";

const highlight = HighlightStyle.define(
  rules.map(({ tag, kind, bold, italic }) => ({
    tag,
    color: `var(--code-${kind})`,
    ...(bold === true ? { fontWeight: "600" } : {}),
    ...(italic === true ? { fontStyle: "italic" } : {}),
    ...(kind === "pipe" ? { whiteSpace: "nowrap" } : {}),
  })),
);

/** A wavy line under the text, drawn by the browser, so that it is sharp at every zoom. */
const wave = (colour: string) => ({
  textDecoration: `underline wavy ${colour} 1.5px`,
  textDecorationSkipInk: "none",
  textUnderlineOffset: "3px",
});

const view = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "var(--editor-size)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.65",
    overflow: "auto",
    fontVariantLigatures: "none",
  },
  ".cm-content": { padding: "var(--editor-pad) 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 var(--editor-pad) 0 8px" },
  ".cm-cursor, .cm-dropCursor": { borderLeft: "2px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  ".cm-gutters": {
    color: "var(--faint)",
    backgroundColor: "var(--surface)",
    border: "none",
    fontVariantNumeric: "tabular-nums",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 var(--gutter-pad)", minWidth: "2ch" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--active-line)" },
  ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "transparent" },
  ".cm-lineNumbers .cm-gutterElement.strand-error-line": {
    color: "var(--error)",
    fontWeight: "700",
    backgroundColor: "var(--error-soft)",
    boxShadow: "inset 3px 0 0 var(--error)",
    cursor: "pointer",
  },
  // As wide as what is seen of the editor, wherever its lines are scrolled to.
  ".strand-drawn": {
    position: "sticky",
    left: "var(--gutter-room)",
    width: "calc(100cqi - var(--gutter-room))",
    whiteSpace: "normal",
    cursor: "default",
    userSelect: "text",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--bracket)",
    outline: "1px solid var(--bracket-edge)",
    borderRadius: "2px",
  },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", color: "var(--error)" },
  ".strand-error": wave("var(--error)"),
  ".strand-warning": wave("var(--warning)"),
  ".strand-hint": { textDecoration: "underline dotted var(--hint) 2px", textUnderlineOffset: "4px" },
  ".strand-label": { borderBottom: "1px dashed var(--muted)" },
  ".strand-point": {
    display: "inline-block",
    width: "0.7ch",
    height: "0.5em",
    borderBottom: "2px solid var(--error)",
  },
  ".strand-lit": {
    backgroundColor: "var(--lit)",
    borderRadius: "3px",
    boxShadow: "0 0 0 1px var(--lit-edge)",
  },
  ".strand-changed": {
    backgroundColor: "var(--ok-soft)",
    boxShadow: "inset 3px 0 0 var(--ok)",
  },
  ".strand-inlay": {
    color: "var(--inlay)",
    fontSize: "0.86em",
    marginLeft: "2ch",
    whiteSpace: "pre",
    textIndent: "0",
    userSelect: "none",
  },
  [`@media ${NARROW}`]: {
    // The Run button hangs over the last lines: they can be scrolled out from under it.
    ".cm-content": { paddingBottom: "var(--editor-room, 140px)" },
    ".strand-inlay": {
      display: "inline-block",
      width: "100%",
      marginLeft: "0",
      fontSize: "0.8em",
    },
  },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "8px",
    boxShadow: "var(--shadow)",
    maxWidth: "min(36rem, calc(100vw - 24px))",
    zIndex: "30",
  },
  ".cm-tooltip-section": { borderTop: "1px solid var(--line) !important" },
  ".cm-tooltip-section:first-child": { borderTop: "none !important" },
  ".strand-tip": { padding: "8px 12px", fontFamily: "var(--sans)", fontSize: "13px", lineHeight: "1.5" },
  ".strand-tip p": { margin: "0 0 4px" },
  ".strand-tip p:last-child": { margin: "0" },
  ".strand-tip-code": {
    fontFamily: "var(--mono)",
    fontSize: "12px",
    fontWeight: "600",
    marginRight: "8px",
  },
  ".strand-tip-code.is-error": { color: "var(--error)" },
  ".strand-tip-code.is-warning": { color: "var(--warning)" },
  ".strand-tip-code.is-hint": { color: "var(--hint)" },
  ".strand-tip-type": { fontFamily: "var(--mono)", fontSize: "13px", whiteSpace: "pre-wrap" },
  ".strand-tip-detail": { color: "var(--muted)" },
  ".strand-tip-detail code": { fontFamily: "var(--mono)", fontSize: "12px", color: "var(--text)" },
  ".strand-tip button": {
    display: "block",
    minHeight: "28px",
    margin: "6px 0 0",
    padding: "3px 10px",
    font: "inherit",
    textAlign: "left",
    color: "var(--accent-text)",
    background: "var(--accent-soft)",
    border: "1px solid var(--accent-line)",
    borderRadius: "6px",
    cursor: "pointer",
  },
  ".strand-tip button code": { fontFamily: "var(--mono)", fontSize: "12px" },
});

export function strandTheme(): Extension {
  return [view, syntaxHighlighting(highlight)];
}
