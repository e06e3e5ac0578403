/** Enough of Python's lexis to colour the text that Strand writes. */
export type TokenKind =
  "keyword" | "name" | "call" | "definition" | "number" | "string" | "comment" | "operator" | "space";

export interface Token {
  kind: TokenKind;
  from: number;
  to: number;
}

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

const PATTERN =
  /(?<space>\s+)|(?<comment>#[^\n]*)|(?<string>[fFrRbB]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))|(?<number>\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)|(?<name>[\p{XID_Start}_]\p{XID_Continue}*)|(?<operator>[\s\S])/gu;

function nameKind(name: string, before: string, next: string): TokenKind {
  if (KEYWORDS.has(name)) return "keyword";
  if (before === "def" || before === "class") return "definition";
  return next === "(" ? "call" : "name";
}

/** Covers the whole text, in order. */
export function pythonTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let before = "";
  for (const match of text.matchAll(PATTERN)) {
    const groups = match.groups ?? {};
    const from = match.index;
    const to = from + match[0].length;
    const found = (["space", "comment", "string", "number", "name", "operator"] as const).find(
      (kind) => groups[kind] !== undefined,
    );
    const kind = found === "name" ? nameKind(match[0], before, text[to] ?? "") : (found ?? "operator");
    if (kind !== "space") before = match[0];
    tokens.push({ kind, from, to });
  }
  return tokens;
}
