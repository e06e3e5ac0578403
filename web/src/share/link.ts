/**
 * Link v1: `#v=1&l=<language version>&s=<sizes>&t=<tab>&sel=<a-b>&c=<checksum>&p=<text>`, where the text is
 * deflate-raw in base64url and the checksum is of every other field as it stands. Old links open for ever: a change of
 * this format is a new version beside it.
 */
import { checksum } from "./checksum";
import { deflate, fromBase64Url, inflate, toBase64Url, TooLarge } from "./packing";

export const LANGUAGE_VERSION = "0.1";
/** Longer links are cut off by the programs that pass them on. */
export const LINK_LIMIT = 30_000;
/** Up to here a link fits any chat. */
export const LINK_COMFORT = 2_000;
export const TEXT_LIMIT = 256 * 1024;

/** The part of the page that is open: on a wide one the code always is. */
export type LinkTab = "code" | "result" | "torch" | "steps";

function isTab(text: string): text is LinkTab {
  return ["code", "result", "torch", "steps"].includes(text);
}

/** What a link carries. */
export interface Shared {
  text: string;
  languageVersion: string;
  sizes: Record<string, number>;
  tab: LinkTab;
  /** UTF-16 offsets of the selection's ends. */
  selection: { from: number; to: number };
}

export type Decoded =
  | { kind: "none" }
  | { kind: "shared"; shared: Shared }
  | { kind: "damaged"; reason: "checksum" | "form" | "newer" | "too-large" };

const FIELDS = ["v", "l", "s", "t", "sel", "c", "p"] as const;
type Field = (typeof FIELDS)[number];

/** The link is longer than programs pass on: the text should be sent as a file. */
export class LinkTooLong extends Error {
  constructor(readonly length: number) {
    super(`a link of ${length} characters`);
  }
}

function encodeSizes(sizes: Record<string, number>): string {
  return Object.entries(sizes)
    .map(([name, value]) => `${encodeURIComponent(name)}-${value}`)
    .join(".");
}

function decodeSizes(text: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  if (text === "") return sizes;
  for (const item of text.split(".")) {
    const match = /^([^-]+)-([1-9]\d{0,9})$/.exec(item);
    if (match?.[1] === undefined) throw new SyntaxError("sizes");
    sizes[decodeURIComponent(match[1])] = Number(match[2]);
  }
  return sizes;
}

function decodeSelection(text: string, length: number): { from: number; to: number } {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const from = Number(match?.[1]);
  const to = Number(match?.[2]);
  if (match === null || from > length || to > length) throw new SyntaxError("selection");
  return { from, to };
}

function signed(fields: Record<Field, string>): string {
  return FIELDS.filter((field) => field !== "c")
    .map((field) => `${field}=${fields[field]}`)
    .join("&");
}

/** The part of a link after `#`. Throws `LinkTooLong` where it would pass `LINK_LIMIT` together with `address`. */
export async function encodeLink(shared: Shared, address = ""): Promise<string> {
  const fields: Record<Field, string> = {
    v: "1",
    l: encodeURIComponent(shared.languageVersion),
    s: encodeSizes(shared.sizes),
    t: shared.tab,
    sel: `${shared.selection.from}-${shared.selection.to}`,
    c: "",
    p: toBase64Url(await deflate(new TextEncoder().encode(shared.text))),
  };
  fields.c = checksum(signed(fields));
  const fragment = FIELDS.map((field) => `${field}=${fields[field]}`).join("&");
  const length = address.length + 1 + fragment.length;
  if (length > LINK_LIMIT) throw new LinkTooLong(length);
  return fragment;
}

function fieldsOf(fragment: string): Record<Field, string> | null {
  const parts = fragment.split("&");
  if (parts.length !== FIELDS.length) return null;
  const fields = {} as Record<Field, string>;
  for (const [index, field] of FIELDS.entries()) {
    const part = parts[index] ?? "";
    if (!part.startsWith(`${field}=`)) return null;
    fields[field] = part.slice(field.length + 1);
  }
  return fields;
}

async function decodeFields(fields: Record<Field, string>): Promise<Shared> {
  const bytes = await inflate(fromBase64Url(fields.p), TEXT_LIMIT);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (!isTab(fields.t)) throw new SyntaxError("tab");
  return {
    text,
    languageVersion: decodeURIComponent(fields.l),
    sizes: decodeSizes(fields.s),
    tab: fields.t,
    selection: decodeSelection(fields.sel, text.length),
  };
}

/** Reads an address's fragment (with or without its `#`). Never throws; a damaged link says how. */
export async function decodeLink(hash: string): Promise<Decoded> {
  const fragment = hash.startsWith("#") ? hash.slice(1) : hash;
  if (fragment === "") return { kind: "none" };
  if (fragment.length > LINK_LIMIT) return { kind: "damaged", reason: "too-large" };
  const newer = /^v=(\d+)&/.exec(fragment);
  if (newer !== null && newer[1] !== "1") return { kind: "damaged", reason: "newer" };
  const fields = fieldsOf(fragment);
  if (fields?.v !== "1") return { kind: "damaged", reason: "form" };
  if (checksum(signed(fields)) !== fields.c) return { kind: "damaged", reason: "checksum" };
  try {
    return { kind: "shared", shared: await decodeFields(fields) };
  } catch (error) {
    return { kind: "damaged", reason: error instanceof TooLarge ? "too-large" : "form" };
  }
}
