import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { buildId } from "./build/build-id.ts";
import { enginePlugin } from "./build/engine-plugin.ts";
import { weightPlugin } from "./build/weight-plugin.ts";

const root = import.meta.dirname;
const enginePath = join(root, "pkg/strand_wasm_bg.wasm");
const id = buildId(root, enginePath);

/** Writes the build id into the page, and has the browser fetch the engine while it still reads the script. */
const html: Plugin = {
  name: "strand-html",
  transformIndexHtml: {
    order: "post",
    handler(text, { bundle }) {
      const engine = Object.keys(bundle ?? {}).find((name) => name.endsWith(".wasm"));
      const attrs = { rel: "preload", as: "fetch", crossorigin: "", href: `./${engine ?? ""}` };
      return {
        html: text.replaceAll("%BUILD%", id),
        tags: engine === undefined ? [] : [{ tag: "link", attrs, injectTo: "head" }],
      };
    },
  },
};

export default defineConfig({
  root,
  base: "./",
  define: { __BUILD_ID__: JSON.stringify(id) },
  plugins: [enginePlugin(enginePath, id), html, weightPlugin()],
  worker: { format: "es", plugins: () => [enginePlugin(enginePath, id)] },
  build: {
    target: "es2022",
    outDir: "dist",
    rolldownOptions: { input: [join(root, "index.html"), join(root, "src/article.ts")] },
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
