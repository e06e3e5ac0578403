/**
 * What the flows share beside the browser: the page under a path of its own behind the strictest policy it promises
 * to work under, people with profiles of their own, and what they see.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect, isDeepStrictEqual } from "node:util";
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
 * isn't there, and one that is a promise is answered once that is kept. They may change while they are served. All of
 * it comes under one policy.
 */
async function serveBuild({ head = "", files = {}, policy = POLICY } = {}) {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("web/dist is missing: build the page first");
  const server = createServer((request, response) => {
    void answer(request, response, { head, files, policy });
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

async function answer(request, response, { head, files, policy }) {
  const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
  const inside = path.startsWith("/some/path/") ? normalize(path.slice("/some/path".length)) : "..";
  const file = join(DIST, inside === "/" ? "index.html" : inside);
  try {
    if (inside.includes("..")) throw new Error("outside");
    const own = await files[relative(DIST, file)];
    if (own === null) throw new Error("taken away");
    let body = own === undefined ? await readFile(file) : Buffer.from(own);
    const isPage = head !== "" && file.endsWith("index.html");
    if (isPage) body = Buffer.from(body.toString().replace("</head>", `${head}</head>`));
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    const known = request.headers["if-none-match"] === etag;
    response.writeHead(known ? 304 : 200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-encoding": "gzip",
      "content-security-policy": policy,
      "cache-control": "no-cache",
      etag,
    });
    if (known) response.end();
    else response.end(isPage || own !== undefined ? gzipSync(body) : zipped(file, body));
  } catch {
    response.writeHead(404, { "content-security-policy": policy }).end();
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
 * and closed after the last. `person` and `reader` visit it, `opened` gives a person who sees the opening program run,
 * and `host` serves the site once more.
 */
export function setUp(given) {
  const hosts = [];
  const flow = {
    person: (options) => person(flow.browser, options),
    opened: async (options) => {
      const visitor = await flow.person(options);
      const page = await visitor.open(flow.url);
      await expectClean(page);
      return { visitor, page };
    },
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
    /** Leaves; nothing that must never appear has. */
    done: async () => {
      assert.deepEqual(found.flat(), []);
      await profile.close();
    },
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

/** Text and role of what has the focus, through shadow roots. */
export function focused(page) {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element === null || element === document.body) return "";
    return element.getAttribute("aria-label") ?? element.textContent ?? "";
  });
}

/** Presses Tab, out of the text where the focus is in it, until something of that name has the focus. */
export async function reach(page, name) {
  for (let step = 0; step < 60; step++) {
    const label = await focused(page);
    if (label.includes(name)) return;
    if (label === "Strand program") await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  assert.fail(`${name} can't be reached`);
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

/** How `eventually` compares: with a pattern, by a function's word, else for deep equality. */
function isWanted(value, wanted) {
  if (wanted instanceof RegExp) return typeof value === "string" && wanted.test(value);
  if (typeof wanted === "function") return wanted(value);
  return isDeepStrictEqual(value, wanted);
}

/**
 * Reads again and again until `read` gives what is wanted, and gives that. The page answers in effects, workers and
 * timers: what follows an action is waited for, never looked at once. `patience` says how long, and how often.
 */
export async function eventually(read, wanted, what = "the page should come to this", patience = {}) {
  const { limit = 30_000, every = 25 } = patience;
  const end = Date.now() + limit;
  let last;
  do {
    last = await read();
    if (isWanted(last, wanted)) return last;
    await pause(every);
  } while (Date.now() < end);
  if (typeof wanted === "function") assert.fail(`${what}: last seen ${inspect(last)}`);
  if (wanted instanceof RegExp) assert.match(String(last), wanted, what);
  assert.deepEqual(last, wanted, what);
}

/** Reads once what must not have changed: after `settled`, or after something else that would have come later. */
export async function expectStill(read, wanted, what) {
  assert.deepEqual(await read(), wanted, what);
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
  return eventually(() => cellsOf(page, card, name), cells, `${name} of ${card}`);
}

/** What the status line says once the page has checked the text as it stands, and has run it where it does so by itself. */
export async function verdictOf(page) {
  await settled(page);
  return page.locator(".verdict").innerText();
}

/** Waits until nothing more comes by itself of the text as it stands: also the moment to see that something did not. */
export function settled(page) {
  const activity = () => page.evaluate(() => document.querySelector(".status")?.dataset.activity);
  return eventually(activity, "settled", "what the page is at", { limit: 60_000 });
}

/** Waits for the text to be checked and found without errors, and for the run that follows by itself. */
export function expectClean(page) {
  return eventually(() => verdictOf(page), /^✓/, "the text should be clean");
}

/** Waits for the editor to hold exactly this text. */
export function expectText(page, text) {
  return eventually(() => textOf(page), text, "the text");
}

/** What the storage has of the visitor's own texts. */
export function keptTexts(page) {
  return page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.includes("draft:"))
      .map(([, value]) => JSON.parse(value).text)
      .sort(),
  );
}

/**
 * Has the page's clock stand still, until the test moves it. It jumps ahead for that, by less than the page gives a
 * worker to answer.
 */
export async function holdTime(page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 8000);
}

/** Waits until nothing of the page has changed or moved for a while: what axe looks at must stand. */
export async function quiet(page) {
  await page.evaluate(async () => {
    let changed = performance.now();
    const observer = new MutationObserver(() => (changed = performance.now()));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const end = changed + 20_000;
    const moves = () => document.getAnimations().some(({ playState }) => playState === "running");
    while (performance.now() < end && (moves() || performance.now() - changed < 200)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    observer.disconnect();
  });
}

/** Waits for the page not to scroll sideways. */
export function expectNarrow(page, what = "the page") {
  return eventually(
    () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    (beyond) => beyond <= 0,
    `${what} shouldn't scroll sideways`,
  );
}

/** Waits for the page to stand still; axe must find no fault in it. */
export async function expectAccessible(page, what) {
  // A page that isn't the playground, or is still what the build painted, is at nothing.
  const still = page.locator(".status[data-activity=settled], .baked, body:not(:has(.status))");
  await still.first().waitFor({ state: "attached" });
  assert.deepEqual(await accessibilityFaults(page), [], what);
}

/** Faults that axe finds, one line each. */
async function accessibilityFaults(page) {
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
