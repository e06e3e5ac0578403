/** How fast the page is: reported, and asserted only so far that a page which freezes fails. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { expectClean, person, setText, site } from "./harness.mjs";

let browser, here;
before(async () => {
  browser = await launch();
  here = await site();
});
after(async () => {
  await browser.close();
  await here.close();
});

/** Collects the page's main-thread tasks over 50 ms from now on. */
async function watchTasks(page) {
  await page.evaluate(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.longTasks.push(Math.round(entry.duration));
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => globalThis.longTasks);
}

/** What the page promises; a machine under tests may be many times slower, so that much more only fails. */
const PROMISED_MS = 50;
const FROZEN_MS = 1000;

function judge(t, found) {
  const long = found.filter((task) => task > PROMISED_MS);
  t.diagnostic(`tasks over ${PROMISED_MS} ms: ${long.length}, the longest ${Math.max(0, ...found)} ms`);
  assert.ok(Math.max(0, ...found) < FROZEN_MS, `a task of ${Math.max(0, ...found)} ms`);
}

test("typing 200 characters into 300 lines doesn't freeze the page", async (t) => {
  const visitor = await person(browser);
  const page = await visitor.open(here.url);
  const functions = Array.from(
    { length: 75 },
    (_, index) => `fn f${index}(x: [n]) -> [n] =\n    x |> map(v => v * 2.0)\n\n# ${index}`,
  );
  await setText(page, `${functions.join("\n")}\n`);
  await expectClean(page);
  await page.locator(".card.is-far").first().waitFor();
  const tasks = await watchTasks(page);
  await page.keyboard.press("ControlOrMeta+End");
  for (let index = 0; index < 200; index++) {
    await page.keyboard.type(index % 10 === 9 ? "\n" : "#");
    await page.waitForTimeout(100);
  }
  await expectClean(page);
  judge(t, await tasks());
  // What makes it so: of 75 cards those are drawn that are near, and a far one is once somebody comes to it.
  assert.ok((await page.locator(".card.is-far").count()) > 40);
  const last = page.locator(".items > *").last();
  await last.scrollIntoViewIfNeeded();
  await page.locator('article[aria-label="f74"] .cell').first().waitFor();
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a run doesn't freeze the page", async (t) => {
  const visitor = await person(browser);
  const page = await visitor.open(here.url);
  const tasks = await watchTasks(page);
  await setText(page, "dim M = 700\nfn f(a: [M M]) -> [M M] = a @ a @ a @ a\n");
  await expectClean(page);
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.locator('article[aria-label="f"] figure[data-value="result"] .cell').first().waitFor();
  judge(t, await tasks());
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a value of a million elements doesn't freeze the page", async (t) => {
  const visitor = await person(browser);
  const page = await visitor.open(here.url);
  const tasks = await watchTasks(page);
  await setText(page, "zeros([1000 1000])\narange(1000000)\n");
  await expectClean(page);
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.locator(".grid .gap").first().waitFor();
  judge(t, await tasks());
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});
