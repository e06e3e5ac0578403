import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { buildId } from "./build/build-id.ts";
import { enginePlugin } from "./build/engine-plugin.ts";
import { weightPlugin } from "./build/weight-plugin.ts";

const root = import.meta.dirname;
const enginePackage = join(root, "pkg");
const id = buildId(root, enginePackage);

/**
 * Writes the build id into the page, and has the browser fetch the engine's first part, and what the page's script
 * imports, while it still reads that script.
 */
const html: Plugin = {
  name: "strand-html",
  transformIndexHtml: {
    order: "post",
    handler(text, { bundle }) {
      const engine = Object.keys(bundle ?? {}).find((name) => /strand-(?!later)[^/]*\.wasm$/.test(name));
      const imported = Object.values(bundle ?? {}).flatMap((file) =>
        file.type === "chunk" && file.facadeModuleId?.endsWith("index.html") === true ? file.imports : [],
      );
      const links = [
        ...imported.map((name) => ({ rel: "modulepreload", crossorigin: "", href: `./${name}` })),
        ...(engine === undefined
          ? []
          : [{ rel: "preload", as: "fetch", crossorigin: "", href: `./${engine}` }]),
      ];
      return {
        html: text.replaceAll("%BUILD%", id),
        tags: links.map((attrs) => ({ tag: "link", attrs, injectTo: "head" as const })),
      };
    },
  },
};

export default defineConfig({
  root,
  base: "./",
  define: { __BUILD_ID__: JSON.stringify(id) },
  plugins: [enginePlugin(enginePackage, id), html, weightPlugin()],
  worker: { format: "es", plugins: () => [enginePlugin(enginePackage, id)] },
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
