import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { buildId } from "./build/build-id.ts";
import { enginePlugin } from "./build/engine-plugin.ts";
import { weightPlugin } from "./build/weight-plugin.ts";

const root = import.meta.dirname;
const enginePath = join(root, "pkg/strand_wasm_bg.wasm");
const id = buildId(root, enginePath);

const html: Plugin = {
  name: "strand-html",
  transformIndexHtml: (text) => text.replaceAll("%BUILD%", id),
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
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
