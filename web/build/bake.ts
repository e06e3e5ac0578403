/**
 * Paints the finished page into `dist/index.html`: the opening program with its values, as markup, so that it can be
 * read before any script has come, and without one. The app takes it over as it stands.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createServer } from "vite";
import { BAKED_ID } from "../src/app/baked";

const web = join(import.meta.dirname, "..");

/** As much of a browser as the parts of the page look at before they are shown: it keeps nothing and says nothing. */
function standInBrowser(): void {
  const none = () => undefined;
  const storage = { getItem: () => null, setItem: none, removeItem: none, key: () => null, length: 0 };
  const matchMedia = () => ({ matches: false, addEventListener: none });
  const location = { href: "", hash: "", search: "" };
  const document = {
    documentElement: { dataset: {}, style: {} },
    addEventListener: none,
    visibilityState: "visible",
  };
  const window = {
    location,
    matchMedia,
    localStorage: storage,
    sessionStorage: storage,
    addEventListener: none,
  };
  for (const [name, value] of Object.entries({
    ...{ window, document, location, addEventListener: none, requestAnimationFrame: none },
    navigator: { userAgent: "", locks: undefined },
  })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

interface Painter {
  paint: (packageFolder: string) => { markup: string; data: string };
}

async function painted(): Promise<{ markup: string; data: string }> {
  standInBrowser();
  const server = await createServer({
    root: web,
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  try {
    const painter = (await server.ssrLoadModule("/build/paint.ts")) as unknown as Painter;
    return painter.paint(join(web, "pkg"));
  } finally {
    await server.close();
  }
}

async function main(): Promise<void> {
  const { markup, data } = await painted();
  const early = readFileSync(join(import.meta.dirname, "early.js"));
  const name = `early-${createHash("sha256").update(early).digest("hex").slice(0, 8)}.js`;
  writeFileSync(join(web, "dist/assets", name), early);
  const path = join(web, "dist/index.html");
  const place = '<div id="page"></div>';
  const html = readFileSync(path, "utf8");
  if (!html.includes(place)) throw new Error("index.html has no empty place for the page");
  const whole = html
    .replace("<title>", () => `<script src="./assets/${name}"></script>\n    <title>`)
    .replace(
      place,
      () =>
        `<div id="page">${markup}</div>\n    <script type="application/json" id="${BAKED_ID}">${data}</script>`,
    );
  writeFileSync(path, whole);
  console.log(`index.html with the opening program: ${(gzipSync(whole).length / 1024).toFixed(1)} KB gzip`);
}

await main();
