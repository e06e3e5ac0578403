import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PARTS } from "./engine-plugin.ts";

/** Every file below a folder, in an order that only the names give. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

/** What a build reads, beside the engine: the page, its tools, and what the written pages are made of. */
const READ = ["src", "build", "../www/gallery", "../www/reference", "../crates/strand_session/pages"];

/**
 * One id for everything a build gives: it depends on every file that is read for it, the locked dependencies and the
 * engine, and on nothing else, so that the same sources give the same names.
 */
export function buildId(root: string, packageFolder: string): string {
  const hash = createHash("sha256");
  const paths = [
    ...READ.flatMap((folder) => filesUnder(join(root, folder))),
    join(root, "index.html"),
    join(root, "package-lock.json"),
    join(root, "vite.config.ts"),
    join(root, "vite.snippet.config.ts"),
    ...["strand_wasm.js", "later.js"].map((name) => join(packageFolder, name)),
    ...Object.values(PARTS).map((name) => join(packageFolder, name)),
  ];
  for (const path of paths) {
    hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 12);
}
