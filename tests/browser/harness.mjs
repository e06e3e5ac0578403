/**
 * What the flows share beside the browser: the page under a path of its own behind the strictest policy it promises
 * to work under, people with profiles of their own, and what they see.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { after, before } from "node:test";
import { launch, viewports, watch } from "./browser.mjs";

/** Where the build lies. */
export const DIST = fileURLToPath(new URL("../../web/dist", import.meta.url));
const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const GALLERY = fileURLToPath(new URL("../../www/gallery", import.meta.url));

/** The programs of the gallery, in its order, and whether each has an error on purpose. */
export const programs = readdirSync(GALLERY)
  .filter((file) => file.endsWith(".md"))
  .sort()
  .map((file) => {
    const [, words, text] = /^```strand(.*)\n([\s\S]*?)^```$/m.exec(
      readFileSync(join(GALLERY, file), "utf8"),
    );
    return { name: file.replace(/^\d+-|\.md$/g, ""), text, isWrong: / error=E/.test(words) };
  });

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
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

/**
 * Serves the built page below `/some/path/`, as a dumb host would. Gives its address and what ends it. `head` is put
 * into the page, as a host that embeds it would, and `files` lie beside it or in place of the build's; one that is null
 * isn't there. They may change while they are served.
 */
async function serveBuild({ head = "", files = {} } = {}) {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("web/dist is missing: build the page first");
  const server = createServer((request, response) => {
    void answer(request, response, head, files);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return { url: `http://127.0.0.1:${server.address().port}/some/path/`, close };
}

const compressed = new Map();

/** Every host that counts compresses what it sends. */
function zipped(file, body) {
  const bytes = compressed.get(file) ?? gzipSync(body);
  compressed.set(file, bytes);
  return bytes;
}

async function answer(request, response, head, files) {
  const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
  const inside = path.startsWith("/some/path/") ? normalize(path.slice("/some/path".length)) : "..";
  const file = join(DIST, inside === "/" ? "index.html" : inside);
  try {
    if (inside.includes("..")) throw new Error("outside");
    const own = files[relative(DIST, file)];
    if (own === null) throw new Error("taken away");
    let body = own === undefined ? await readFile(file) : Buffer.from(own);
    const isPage = head !== "" && file.endsWith("index.html");
    if (isPage) body = Buffer.from(body.toString().replace("</head>", `${head}</head>`));
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-encoding": "gzip",
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
    });
    response.end(isPage || own !== undefined ? gzipSync(body) : zipped(file, body));
  } catch {
    response.writeHead(404, { "content-security-policy": POLICY }).end();
  }
}

/**
 * The page to visit: the one that `STRAND_URL` names, or the build served here, below a path; with `head` or `files`
 * always the build.
 */
export async function site({ below = false, ...added } = {}) {
  const given = process.env.STRAND_URL;
  const plain = !below && Object.keys(added).length === 0;
  if (given !== undefined && plain) return { url: given, close: () => Promise.resolve() };
  return serveBuild(added);
}

/**
 * What the tests of a flow share: a browser and the site, of which `site` may say more, opened before the first test
 * and closed after the last. `person` and `reader` visit it, and `host` serves the site once more.
 */
export function setUp(given) {
  const hosts = [];
  const flow = {
    person: (options) => person(flow.browser, options),
    reader: (options) => reader(flow.browser, options),
    host: async (options) => {
      const host = await site(options);
      hosts.push(host);
      return host;
    },
  };
  before(async () => {
    flow.browser = await launch();
    flow.url = (await flow.host(given)).url;
  });
  after(async () => {
    await flow.browser.close();
    await Promise.all(hosts.map((host) => host.close()));
  });
  return flow;
}

/**
 * A person: a browser profile of their own, whose tabs are opened with `open`. `faults` collects what must never
 * appear in any of them. Only where `serviceWorkers` is "allow" is the site kept for offline, which costs every profile
 * a fetch of all of it.
 */
export async function person(browser, options = {}) {
  const { initScript, ...contextOptions } = options;
  const profile = await browser.newContext({
    viewport: viewports.wide,
    serviceWorkers: "block",
    ...contextOptions,
  });
  if (initScript !== undefined) await profile.addInitScript(initScript);
  const found = [];
  const open = async (url) => {
    const page = await profile.newPage();
    found.push(watch(page));
    await page.goto(url, { timeout: 60_000 });
    await page.locator(".cm-content").waitFor();
    return page;
  };
  return {
    profile,
    open,
    get faults() {
      return found.flat();
    },
    leave: () => profile.close(),
  };
}

/** Somebody who reads a written page, in a profile of their own, perhaps without JavaScript. */
async function reader(browser, options = {}) {
  const context = await browser.newContext({ viewport: viewports.wide, ...options });
  const page = await context.newPage();
  return { context, page, faults: watch(page) };
}

/** The whole text of the editor. */
export function textOf(page) {
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
  // A drawing may stand in the middle of the text.
  await page.locator(".cm-line").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Where the first occurrence of a word stands on the screen, in the line that holds `line`; null without one. */
export function placeOf(page, line, word) {
  return page.evaluate(
    ({ line, word }) => {
      const lines = document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line");
      const element = [...lines].find(({ textContent }) => textContent.includes(line));
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.data.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return null;
    },
    { line, word },
  );
}

/** Moves the pointer onto such a word. */
export async function pointAt(page, line, word) {
  const place = await placeOf(page, line, word);
  if (place === null) throw new Error(`${word} doesn't stand in the line ${line}`);
  await page.mouse.move(place.x, place.y, { steps: 4 });
}

/** Tries again until `read` gives what `accept` takes (deep equality is the caller's), and gives that. */
export async function eventually(read, accept, what, limit = 20_000) {
  const end = Date.now() + limit;
  let last;
  do {
    last = await read();
    if (accept(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 25));
  } while (Date.now() < end);
  throw new Error(`${what}: last seen ${JSON.stringify(last)}`);
}

function figure(page, card, name) {
  return page.locator(`article[aria-label="${card}"] figure[data-value="${name}"]`);
}

/** The numbers that a value of a function's card shows, as text; none while there is no such value. */
export function cellsOf(page, card, name) {
  return figure(page, card, name).locator(".cell, .scalar").allInnerTexts();
}

/** Waits until a value shows exactly these cells. */
export function expectCells(page, card, name, cells) {
  const wanted = JSON.stringify(cells);
  return eventually(
    () => cellsOf(page, card, name),
    (shown) => JSON.stringify(shown) === wanted,
    `${name} of ${card} should be ${wanted}`,
  );
}

/** What the status line says of the text. */
export function verdictOf(page) {
  return page.locator(".verdict").innerText();
}

/** Waits for the text to be checked and found without errors. */
export function expectClean(page) {
  return eventually(
    () => verdictOf(page),
    (verdict) => verdict.startsWith("✓"),
    "the text should be clean",
  );
}

/** Waits until nothing of the page has changed or moved for a while: what axe looks at must stand. */
async function quiet(page) {
  await page.evaluate(async () => {
    let changed = performance.now();
    const observer = new MutationObserver(() => (changed = performance.now()));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const end = changed + 5000;
    const moves = () => document.getAnimations().some(({ playState }) => playState === "running");
    while (performance.now() < end && (moves() || performance.now() - changed < 200)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    observer.disconnect();
  });
}

/** Faults that axe finds, one line each. */
export async function accessibilityFaults(page) {
  const axe = await readFile(axePath, "utf8");
  await quiet(page);
  // Through the debugger, which the page's policy doesn't bind.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary}`),
  );
}
