/** Writes the list of the Examples menu, which is the gallery's, as a module of the page. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { galleryPrograms } from "./gallery.ts";

const FILE = join(import.meta.dirname, "../src/generated/examples.ts");

const list = galleryPrograms().map(({ name, title, about, text, suggestion, replacements }) => ({
  name,
  title,
  about,
  text,
  suggestion,
  replacements,
}));
const module = `// Written by \`npm run examples\` from www/gallery.
import type { Example } from "../examples";

export const list: readonly Example[] = ${JSON.stringify(list, null, 2)};
`;

function current(): string {
  try {
    return readFileSync(FILE, "utf8");
  } catch {
    return "";
  }
}

mkdirSync(join(FILE, ".."), { recursive: true });
if (current() !== module) writeFileSync(FILE, module);
