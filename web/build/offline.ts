/** Writes the service worker, with the list of every file of the build, beside the page: the last step of a build. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { SCRIPT } from "../src/offline/names";
import { buildOf } from "./article-pages";
import { filesUnder } from "./build-id";

const web = join(import.meta.dirname, "..");
const site = join(web, "dist");

/** The worker as one script that needs no modules, which service workers don't have everywhere. */
async function compiled(id: string, files: readonly string[]): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    define: { __BUILD_ID__: JSON.stringify(id), __FILES__: JSON.stringify(files) },
    build: {
      write: false,
      target: "es2022",
      lib: { entry: join(web, "src/offline/service-worker.ts"), formats: ["iife"], name: "strandOffline" },
    },
  });
  const [first] = [built].flat();
  if (first === undefined || !("output" in first)) throw new Error("the service worker wasn't built");
  return first.output[0].code;
}

async function main(): Promise<void> {
  const names = filesUnder(site).map((path) => relative(site, path).split(sep).join("/"));
  const files = names.filter((name) => name !== SCRIPT);
  const code = await compiled(buildOf(site), files);
  writeFileSync(join(site, SCRIPT), code);
  const bytes = files.map((name) => readFileSync(join(site, name))).map((file) => gzipSync(file).length);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  console.log(
    `offline: ${files.length} files, ${(total / 1024).toFixed(0)} KB gzip, kept by a worker of ${(gzipSync(code).length / 1024).toFixed(1)} KB`,
  );
}

await main();
