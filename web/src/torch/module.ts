/** The PyTorch text as the statements that it is made of, so that a part of it can be taken with what it needs. */
import { pythonTokens, type Token } from "./python-tokens";

export type BlockKind = "comment" | "import" | "constant" | "definition" | "script";

/** A statement of the module, with the comment that stands on it. */
export interface Block {
  kind: BlockKind;
  from: number;
  to: number;
  /** What it gives a name to. */
  names: readonly string[];
  /** Names that stand in it. */
  uses: ReadonlySet<string>;
}

export interface Module {
  text: string;
  blocks: readonly Block[];
}

/** A piece of a text that was put together: `from` is its place in the module, null where it isn't the module's. */
export interface Piece {
  text: string;
  from: number | null;
}

const CONTINUES = /^(?:\s|[)\]}]|$)/;

function kindOf(statement: string): BlockKind {
  if (/^(?:import|from)\s/.test(statement)) return "import";
  if (/^(?:def|class|async|@)/.test(statement)) return "definition";
  if (/^[\p{XID_Start}_]\p{XID_Continue}* = /u.test(statement)) return "constant";
  return statement === "" ? "comment" : "script";
}

function namesOf(kind: BlockKind, statement: string): string[] {
  if (kind === "import") {
    const imported = statement.replace(/^from\s+\S+\s+import\s+|^import\s+/, "").replace(/[()]/g, "");
    return imported.split(",").flatMap((item) => {
      const [path = "", alias] = item.trim().split(/\s+as\s+/);
      const name = alias ?? path.split(".")[0] ?? "";
      return name === "" ? [] : [name];
    });
  }
  const found =
    kind === "definition"
      ? /^(?:async\s+)?(?:def|class)\s+([\p{XID_Start}_]\p{XID_Continue}*)/mu.exec(statement)
      : /^([\p{XID_Start}_]\p{XID_Continue}*) = /u.exec(statement);
  return found?.[1] === undefined ? [] : [found[1]];
}

/** Names that tokens speak of: not those behind a dot, but those in the braces of an f-string. */
function usedNames(text: string, tokens: readonly Token[]): Set<string> {
  const used = new Set<string>();
  let before = "";
  for (const { kind, from, to } of tokens) {
    if (kind === "space") continue;
    const written = text.slice(from, to);
    if ((kind === "name" || kind === "call") && before !== ".") used.add(written);
    if (kind === "string" && /^[rR]?[fF]/.test(written)) {
      for (const [name] of written.matchAll(/[\p{XID_Start}_]\p{XID_Continue}*/gu)) used.add(name);
    }
    before = written;
  }
  return used;
}

function blockOf(text: string, from: number, to: number): Block {
  const whole = text.slice(from, to);
  const statement = whole.replace(/^(?:#[^\n]*(?:\n|$)|\n)*/, "");
  const kind = kindOf(statement);
  return { kind, from, to, names: namesOf(kind, statement), uses: usedNames(whole, pythonTokens(whole)) };
}

export function moduleOf(text: string): Module {
  const blocks: Block[] = [];
  let at = 0;
  let from = 0;
  let end = 0;
  let isOpen = false;
  let onlyComment = false;
  const close = () => {
    if (isOpen) blocks.push(blockOf(text, from, end));
    isOpen = false;
  };
  for (const line of text.split("\n")) {
    const isComment = line.startsWith("#");
    // A comment that stands right on a statement is its own; an empty line ends a comment.
    const goesOn = isOpen && (onlyComment ? line !== "" : CONTINUES.test(line));
    if (!goesOn) {
      close();
      if (line !== "") {
        isOpen = true;
        from = at;
        onlyComment = true;
      }
    }
    // A decorator stands on the definition below it.
    onlyComment &&= isComment || line.startsWith("@");
    if (line.trim() !== "") end = at + line.length;
    at += line.length + 1;
  }
  close();
  return { text, blocks };
}

/** Definitions with everything that they need, in the module's order; the first comment says who wrote it. */
export function closure(module: Module, names: readonly string[]): Block[] {
  const wanted = new Set(names);
  const taken = new Set<Block>();
  for (let size = -1; size !== taken.size;) {
    size = taken.size;
    for (const block of module.blocks) {
      if (taken.has(block) || !block.names.some((one) => wanted.has(one))) continue;
      taken.add(block);
      for (const used of block.uses) wanted.add(used);
    }
  }
  return module.blocks.filter(
    (block, index) => taken.has(block) || (index === 0 && block.kind === "comment"),
  );
}

/** The blank lines between two statements, as black has them. */
function gapBetween(before: BlockKind, after: BlockKind): string {
  if (before === "definition" || after === "definition") return "\n\n\n";
  return before === after && before !== "script" ? "\n" : "\n\n";
}

/** What stands in a text that is put together: statements of the module, or text of its own. */
export type Item = Block | { kind: BlockKind; text: string };

/** Puts statements together. `numbers` are what constants say from now on. */
export function assembled(
  module: Module,
  items: readonly Item[],
  numbers: Readonly<Record<string, number>>,
): Piece[] {
  const pieces: Piece[] = [];
  const slice = (from: number, to: number) => pieces.push({ text: module.text.slice(from, to), from });
  items.forEach((item, index) => {
    const before = items[index - 1];
    if (before !== undefined) {
      const follows =
        "from" in before && "from" in item && module.blocks[module.blocks.indexOf(before) + 1] === item;
      if (follows) slice(before.to, item.from);
      else pieces.push({ text: gapBetween(before.kind, item.kind), from: null });
    }
    if (!("from" in item)) {
      pieces.push({ text: item.text, from: null });
      return;
    }
    const number = item.kind === "constant" ? numbers[item.names[0] ?? ""] : undefined;
    const digits = number === undefined ? null : / = (\d+)$/.exec(module.text.slice(item.from, item.to));
    if (number === undefined || digits?.[1] === undefined) {
      slice(item.from, item.to);
      return;
    }
    slice(item.from, item.to - digits[1].length);
    pieces.push({ text: String(number), from: null });
  });
  pieces.push({ text: "\n", from: null });
  return pieces;
}

/** What a text imports, as it says it. */
export function importsOf(items: readonly Item[], module: Module): string[] {
  return items
    .filter(({ kind }) => kind === "import")
    .map((item) => ("from" in item ? module.text.slice(item.from, item.to) : item.text));
}
