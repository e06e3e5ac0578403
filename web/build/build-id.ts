import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

/**
 * One id for everything a build gives: it depends on every source file, the locked dependencies and the engine,
 * and on nothing else, so that the same sources give the same names.
 */
export function buildId(root: string, enginePath: string): string {
  const hash = createHash("sha256");
  const paths = [
    ...filesUnder(join(root, "src")),
    join(root, "index.html"),
    join(root, "package-lock.json"),
    enginePath,
  ];
  for (const path of paths) {
    hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 12);
}
