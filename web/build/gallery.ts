/** The programs of the gallery, read from their Markdown files in `www/gallery`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applied } from "../src/app/preview.ts";
import { suggestedEdits, type Suggested } from "../src/examples/edits.ts";

export interface GalleryProgram extends Suggested {
  /** `game-of-life` */
  name: string;
  title: string;
  /** What it teaches, in one sentence. */
  about: string;
  /** The code of the error that it has on purpose, or null. */
  gives: string | null;
  /** The edit that is suggested, in a sentence or two. */
  suggestion: string;
  /** The code that the edited program gives on purpose, or null. */
  editGives: string | null;
  /** The PyTorch text, of the edited program where this one has an error. */
  torch: string;
}

const FOLDER = join(import.meta.dirname, "../../www/gallery");
const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;

interface Fence {
  info: string;
  content: string;
  /** The paragraph right above it. */
  above: string;
}

function fencesOf(markdown: string): Fence[] {
  let end = 0;
  return [...markdown.matchAll(FENCE)].map((match) => {
    const above = markdown.slice(end, match.index).trim().split("\n\n").at(-1) ?? "";
    end = match.index + match[0].length;
    return { info: match[1] ?? "", content: match[2] ?? "", above: above.replaceAll("\n", " ") };
  });
}

function replacementsOf(edit: string): Suggested["replacements"] {
  const side = (place: string, sign: string) =>
    place
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1).replace(/^ /, "")}\n`)
      .join("");
  return edit
    .trimEnd()
    .split("\n\n")
    .map((place) => ({ old: side(place, "-"), new: side(place, "+") }));
}

function errorOf({ info }: Fence): string | null {
  return /error=(\S+)/.exec(info)?.[1] ?? null;
}

function read(file: string): GalleryProgram {
  const markdown = readFileSync(join(FOLDER, file), "utf8");
  const title = /^# (.*)\n/.exec(markdown)?.[1];
  const fences = fencesOf(markdown);
  const named = (kind: RegExp) => fences.find(({ info }) => kind.test(info));
  const program = named(/^strand\b/);
  const edit = named(/^edit\b/);
  const torch = named(/^python\b/);
  if (title === undefined || program === undefined || edit === undefined || torch === undefined) {
    throw new Error(`${file} needs a title, a program, an edit and its PyTorch text`);
  }
  return {
    name: file.replace(/^\d+-|\.md$/g, ""),
    title,
    about: program.above,
    text: program.content,
    gives: errorOf(program),
    suggestion: edit.above,
    replacements: replacementsOf(edit.content),
    editGives: errorOf(edit),
    torch: torch.content,
  };
}

/** In the order of their numbers. */
export function galleryPrograms(): GalleryProgram[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".md"));
  return files.sort().map(read);
}

/** A program after its edit. */
export function edited(program: Suggested): string {
  return applied(program.text, suggestedEdits(program));
}
