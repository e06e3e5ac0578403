/**
 * What every browser flow needs: the built page behind the strictest policy it promises to work under, a fresh
 * Chromium, and pages that fail their test for whatever they write to the console.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axePath = require.resolve("axe-core/axe.min.js");

const DIST = fileURLToPath(new URL("../../web/dist", import.meta.url));
const CHROMIUM = process.env.STRAND_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves the built page under /some/path/, as a dumb host would. Gives its address and a function that ends it. */
export async function serve() {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("web/dist is missing: build the page first");
  const requests = [];
  const server = createServer((request, response) => {
    void answer(request, response, requests);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/some/path/`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

async function answer(request, response, requests) {
  const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
  requests.push(path);
  const inside = path.startsWith("/some/path/") ? normalize(path.slice("/some/path".length)) : null;
  const file =
    inside === null || inside.includes("..") ? null : join(DIST, inside === "/" ? "index.html" : inside);
  try {
    const body = await readFile(file ?? "");
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
    });
    response.end(body);
  } catch {
    response.writeHead(404, { "content-security-policy": POLICY }).end();
  }
}

export async function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, headless: true });
}

/**
 * A browser profile of its own with one page in it. `faults` collects errors of the console, exceptions, refused
 * content and requests to other places; a test ends by asserting that there are none.
 */
export async function visitor(browser, options = {}) {
  const { initScript, ...context } = options;
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  if (initScript !== undefined) await profile.addInitScript(initScript);
  const faults = [];
  const open = async (url) => {
    const page = await profile.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith("http") && hostname !== "127.0.0.1") faults.push(`request to ${request.url()}`);
    });
    await page.goto(url);
    return page;
  };
  return { profile, open, faults };
}

/** The whole text of the editor. */
export async function textOf(page) {
  return page.evaluate(() => {
    const lines = document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line");
    return [...lines]
      .map((line) => {
        const copy = line.cloneNode(true);
        for (const inlay of copy.querySelectorAll(".strand-inlay")) inlay.remove();
        return copy.textContent;
      })
      .join("\n");
  });
}

/** Replaces the whole text, as a person who selects all and pastes. */
export async function setText(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Waits until the last check and run are of the text that stands in the editor, and gives the cells of a value. */
export async function cellsOf(page, card, name) {
  const figure = page.locator(`article[aria-label="${card}"] figure[data-value="${name}"]`);
  await figure.locator(".grid .cell, .scalar").first().waitFor();
  return figure.locator(".cell, .scalar").allInnerTexts();
}

/** Faults that axe finds, one line each. */
export async function accessibilityFaults(page) {
  const source = await readFile(axePath, "utf8");
  // Through the debugger, which the page's policy doesn't bind.
  await page.evaluate(source);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary}`),
  );
}
