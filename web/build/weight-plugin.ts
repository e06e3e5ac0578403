import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const PAGE_LIMIT = 200 * 1024;

/** Refuses a build whose page and editor (HTML, CSS and JavaScript, gzip) weigh more than 200 KB together. */
export function weightPlugin(): Plugin {
  const weights = new Map<string, number>();
  return {
    name: "strand-weight",
    writeBundle(_options, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        if (!/\.(html|css|js|svg)$/.test(name)) continue;
        weights.set(name, gzipSync(file.type === "chunk" ? file.code : file.source).length);
      }
      const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
      const sentence = `page and editor: ${(total / 1024).toFixed(1)} KB gzip of ${PAGE_LIMIT / 1024} KB`;
      if (total > PAGE_LIMIT) this.error(sentence);
      console.log(sentence);
    },
  };
}
