/** The first paint is the finished picture: readable before any script, and taken over by it without a flicker. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectAccessible,
  expectCells,
  expectClean,
  expectStill,
  keptTexts,
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

/** Opens the page, and waits until all that the build made of it is there and painted. */
async function paints(page) {
  await page.goto(flow.url, { waitUntil: "commit" });
  await page.locator("#baked").waitFor({ state: "attached" });
  await eventually(
    () => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length),
    1,
    "the first paint",
  );
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
      await eventually(() => page.locator('figure[data-value="result"] .cell').last().innerText(), "16.8");
    }
    // Chromium under test parses as if it had scripts, so the words for those without aren't drawn.
    await eventually(() => page.locator("noscript").textContent(), /needs JavaScript/);
    await context.close();
  });
}

test("what the build painted is what the engine gives here", async () => {
  const { visitor, page, go } = await heldBack();
  await paints(page);
  const painted = await picture(page);
  assert.equal(painted.cells.length, 3);
  assert.match(painted.verdict, /✓ No problems, for every n/);
  go();
  await eventually(
    () => page.evaluate(() => performance.getEntriesByName("strand:first-value").length),
    1,
    "the program has run here",
  );
  await eventually(() => picture(page), painted);
  await visitor.leave();
});

test("the app takes the painted page over: the same elements, nothing moves", async () => {
  const { visitor, page, go } = await heldBack({
    initScript: () => {
      let shift = 0;
      const add = (entries) => {
        for (const entry of entries) shift += entry.value;
      };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: "layout-shift", buffered: true });
      window.shifted = () => {
        add(observer.takeRecords());
        return shift;
      };
    },
  });
  await paints(page);
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
  await eventually(
    places,
    (after) => Math.abs(after.x - before.x) < 1.5 && Math.abs(after.y - before.y) < 1.5,
    `the text should stand where it stood, at ${JSON.stringify(before)}`,
  );
  // Two frames later all that has moved is known.
  const { replaced, shift } = await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const cells = [...document.querySelectorAll("figure, td.cell")];
    return { replaced: cells.filter(({ painted }) => painted !== true).length, shift: window.shifted() };
  });
  assert.equal(replaced, 0);
  assert.ok(shift < 0.02, `${shift}`);
  await visitor.done();
});

test("somebody's own text is never preceded by the opening program", async () => {
  const { visitor, page } = await flow.opened();
  const own = "fn mine(x: [n]) -> [n] = x\n";
  await setText(page, own);
  await eventually(() => keptTexts(page), [own]);
  let go;
  const gone = new Promise((resolve) => (go = resolve));
  await page.route(/assets\/index-.*\.js$/, async (route) => {
    await gone;
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  await page.locator(".baked").waitFor({ state: "attached" });
  const hasStyle = () =>
    page.evaluate(() => [...document.querySelectorAll("link[rel=stylesheet]")].every(({ sheet }) => sheet));
  await eventually(hasStyle, true);
  await expectStill(() => page.locator(".baked").isVisible(), false);
  go();
  await page.locator(".cm-content").waitFor();
  await eventually(() => page.locator(".header").isVisible(), true);
  await visitor.leave();
});

test("the painted page has no accessibility faults", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { visitor, page, go } = await heldBack({ colorScheme });
    await paints(page);
    await expectAccessible(page);
    go();
    await page.locator(".cm-content").waitFor();
    await visitor.leave();
  }
});
