/** The first paint is the finished picture: readable before any script, and taken over by it without a flicker. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  accessibilityFaults,
  eventually,
  expectCells,
  expectClean,
  programs,
  setText,
  setUp,
} from "./harness.mjs";

const flow = setUp();

const opening = programs[0].text;

/** What is shown: the program's lines, and the cells of each value. */
function picture(page) {
  return page.evaluate(() => ({
    cells: [...document.querySelectorAll("figure[data-value]")].map((figure) => [
      figure.dataset.value,
      [...figure.querySelectorAll(".cell")].map(({ textContent }) => textContent).join(" "),
    ]),
    sizes: [...document.querySelectorAll(".size-field")].map(({ value }) => value),
    verdict: document.querySelector(".verdict").textContent,
  }));
}

/** The page with its script held back until `go` is called. */
async function heldBack(options) {
  const visitor = await flow.person(options);
  const page = await visitor.profile.newPage();
  let go;
  const gone = new Promise((resolve) => (go = resolve));
  await page.route(/assets\/index-.*\.js$/, async (route) => {
    await gone;
    await route.continue();
  });
  return { visitor, page, go };
}

for (const [width, viewport] of Object.entries(viewports)) {
  test(`without JavaScript the program and its values can be read, ${width}`, async () => {
    const context = await flow.browser.newContext({ viewport, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(flow.url);
    const lines = await page.locator(".baked-line code").allTextContents();
    assert.ok(lines.length >= opening.trimEnd().split("\n").length);
    for (const line of opening.trimEnd().split("\n"))
      assert.ok(
        lines.some((shown) => shown.startsWith(line)),
        line,
      );
    await page.locator(".baked-line", { hasText: "map" }).waitFor();
    if (width === "wide") {
      await page.locator('figure[data-value="result"] .cell').first().waitFor();
      assert.equal(await page.locator('figure[data-value="result"] .cell').last().innerText(), "16.8");
    }
    // Chromium under test parses as if it had scripts, so the words for those without aren't drawn.
    assert.match(await page.locator("noscript").textContent(), /needs JavaScript/);
    await context.close();
  });
}

test("what the build painted is what the engine gives here", async () => {
  const { visitor, page, go } = await heldBack();
  await page.goto(flow.url, { waitUntil: "commit" });
  await page.locator("figure[data-value] .cell").first().waitFor();
  const painted = await picture(page);
  assert.equal(painted.cells.length, 3);
  assert.match(painted.verdict, /✓ No problems, for every n/);
  go();
  await eventually(
    () => page.evaluate(() => performance.getEntriesByName("strand:first-value").length),
    (count) => count === 1,
    "the program has run here",
  );
  assert.deepEqual(await picture(page), painted);
  await visitor.leave();
});

test("the app takes the painted page over: the same elements, nothing moves", async () => {
  const { visitor, page, go } = await heldBack({
    initScript: () => {
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    },
  });
  await page.goto(flow.url, { waitUntil: "commit" });
  await page.locator("figure[data-value] .cell").first().waitFor();
  const places = () =>
    page.evaluate(() => {
      const editor = document.querySelector(".editor");
      const root = editor.shadowRoot ?? editor;
      const line = [...root.querySelectorAll(".cm-line, .baked-line code")].find(({ textContent }) =>
        textContent.includes("map"),
      );
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode();
      while (!node.data.includes("map")) node = walker.nextNode();
      const range = document.createRange();
      range.setStart(node, node.data.indexOf("map"));
      range.setEnd(node, node.data.indexOf("map") + 3);
      const { x, y } = range.getBoundingClientRect();
      return { x, y };
    });
  const before = await places();
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("button, figure, td.cell")) element.painted = true;
  });
  go();
  await page.locator(".cm-content").waitFor();
  await expectClean(page);
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
  const after = await places();
  assert.ok(
    Math.abs(after.x - before.x) < 1.5 && Math.abs(after.y - before.y) < 1.5,
    JSON.stringify({ before, after }),
  );
  const replaced = await page.evaluate(
    () =>
      [...document.querySelectorAll("figure, td.cell")].filter((element) => element.painted !== true).length,
  );
  assert.equal(replaced, 0);
  assert.ok((await page.evaluate(() => window.shift)) < 0.02);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("somebody's own text is never preceded by the opening program", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, "fn mine(x: [n]) -> [n] = x\n");
  await expectClean(page);
  await page.waitForTimeout(300);
  let go;
  const gone = new Promise((resolve) => (go = resolve));
  await page.route(/assets\/index-.*\.js$/, async (route) => {
    await gone;
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  await page.locator(".baked").waitFor({ state: "attached" });
  assert.equal(await page.locator(".baked").isVisible(), false);
  go();
  await page.locator(".cm-content").waitFor();
  assert.equal(await page.locator(".header").isVisible(), true);
  await visitor.leave();
});

test("the painted page has no accessibility faults", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { visitor, page, go } = await heldBack({ colorScheme });
    await page.goto(flow.url, { waitUntil: "commit" });
    await page.locator(".baked").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    go();
    await page.locator(".cm-content").waitFor();
    await visitor.leave();
  }
});

test("how long a slow phone waits", async (t) => {
  const visitor = await flow.person();
  const page = await visitor.profile.newPage();
  const session = await visitor.profile.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 0.75e6 / 8,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(flow.url, { timeout: 60_000 });
  await eventually(
    () => page.evaluate(() => performance.getEntriesByName("strand:first-value").length),
    (count) => count === 1,
    "the first value that was computed here",
    60_000,
  );
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    live: performance.getEntriesByName("strand:first-value")[0].startTime,
  }));
  assert.ok(times.painted < times.live, "the picture comes first");
  t.diagnostic(
    `at 1.6 Mbit/s and a quarter of this processor: painted after ${Math.round(times.painted)} ms, live after ${Math.round(times.live)} ms`,
  );
  await visitor.leave();
});
