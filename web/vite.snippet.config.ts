/** `<strand-snippet>` beside the page: its own entry, and the page's very worker and engine. */
import { join } from "node:path";
import { defineConfig } from "vite";
import { buildId } from "./build/build-id.ts";
import { enginePlugin } from "./build/engine-plugin.ts";

const root = import.meta.dirname;
const enginePackage = join(root, "pkg");
const id = buildId(root, enginePackage);

export default defineConfig({
  root,
  base: "./",
  define: { __BUILD_ID__: JSON.stringify(id) },
  plugins: [enginePlugin(enginePackage, id)],
  worker: { format: "es", plugins: () => [enginePlugin(enginePackage, id)] },
  build: {
    target: "es2022",
    // Colours for light and dark as the page around wants them, which older browsers can't tell.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    outDir: "dist",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { "strand-snippet": join(root, "src/snippet/element.ts") },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "assets/snippet-[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
});
