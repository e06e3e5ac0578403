/** The language's reference: every page reads without JavaScript, its links lead somewhere, its programs open. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectAccessible, expectNarrow, setUp } from "./harness.mjs";

const flow = setUp();

const address = (name) => new URL(`reference/${name}`, flow.url).href;

test("each page has a heading and programs, and its links lead somewhere", async () => {
  const { context, page, faults } = await flow.reader({ javaScriptEnabled: false });
  await page.goto(address("index.html"));
  const anchors = page.locator(".chapters a");
  const pages = await anchors.evaluateAll((all) => all.map(({ href }) => href));
  assert.ok(pages.length >= 10);
  const seen = new Set();
  for (const href of pages) {
    await page.goto(href);
    await eventually(() => page.locator("h1").count(), 1, href);
    await page.locator(".program").first().waitFor();
    const links = await page.locator("a[href]").evaluateAll((all) => all.map((a) => a.href));
    for (const link of links) {
      const target = link.replace(/#.*/, "");
      if (seen.has(target)) continue;
      seen.add(target);
      const response = await page.request.get(target);
      assert.equal(response.status(), 200, `${href} leads to ${target}`);
    }
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("the playground's menu leads to it, and a program of it opens there", async () => {
  const { context, page, faults } = await flow.reader();
  await page.goto(flow.url);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("link", { name: /Reference/ }).click();
  await page.getByRole("link", { name: "Expressions" }).click();
  await page.getByRole("link", { name: "Open in the playground" }).first().click();
  await page.locator(".first-error").getByText("x ends in D, w ends in n").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [width, viewport] of Object.entries(viewports)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing in the reference, ${width}, ${colorScheme}`, async () => {
      const { context, page } = await flow.reader({ viewport, colorScheme });
      for (const name of ["index.html", "built-ins.html", "chains.html"]) {
        await page.goto(address(name));
        await expectAccessible(page, name);
        await expectNarrow(page, name);
      }
      await context.close();
    });
  }
}
