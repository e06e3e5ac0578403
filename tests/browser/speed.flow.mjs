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

test("typing into 300 lines doesn't freeze the page", async (t) => {
  const visitor = await person(browser);
  const page = await visitor.open(here.url);
  const functions = Array.from(
    { length: 75 },
    (_, index) => `fn f${index}(x: [n]) -> [n] =\n    x |> map(v => v * 2.0)\n\n# ${index}`,
  );
  await setText(page, `${functions.join("\n")}\n`);
  await expectClean(page);
  const tasks = await watchTasks(page);
  await page.keyboard.press("ControlOrMeta+End");
  for (let index = 0; index < 50; index++) {
    await page.keyboard.type(index % 10 === 9 ? "\n" : "#");
    await page.waitForTimeout(60);
  }
  await expectClean(page);
  const found = await tasks();
  t.diagnostic(`tasks over 50 ms: ${found.join(", ") || "none"}`);
  assert.ok(Math.max(0, ...found) < 1000);
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
  const found = await tasks();
  t.diagnostic(`tasks over 50 ms: ${found.join(", ") || "none"}`);
  assert.ok(Math.max(0, ...found) < 1000);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});
