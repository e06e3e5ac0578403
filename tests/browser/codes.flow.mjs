/** The pages of the codes: each reads well without JavaScript, and its programs can be tried where they stand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectAccessible, expectNarrow, setUp } from "./harness.mjs";

const flow = setUp();

const address = (name) => new URL(`codes/${name}`, flow.url).href;

test("every code's page is there, with a program, and its links lead somewhere", async () => {
  const { context, page, faults } = await flow.reader({ javaScriptEnabled: false });
  await page.goto(address("index.html"));
  const codes = await page.locator(".codes code").allInnerTexts();
  assert.ok(codes.length > 70);
  for (const code of codes) {
    const response = await page.goto(address(`${code}.html`));
    assert.equal(response.status(), 200, code);
    await page.locator(".article-code", { hasText: code }).waitFor();
    // A run is stopped by a person, not by a program.
    if (code === "R05") continue;
    const wrong = await page.locator(".program-error").allInnerTexts();
    assert.ok(
      wrong.some((text) => text.includes(`${code}  `)),
      `${code} has a program that gives it`,
    );
    const links = await page
      .locator("main a[href$='.html']")
      .evaluateAll((anchors) => anchors.map(({ href }) => href));
    for (const link of links)
      assert.ok(
        codes.some((known) => link.endsWith(`/${known}.html`)),
        link,
      );
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("a program is tried in its place, and nothing of it is kept", async () => {
  const { context, page, faults } = await flow.reader();
  await page.goto(address("E0503.html"));
  await page.getByRole("button", { name: "Try it here" }).first().click();
  const frame = page.frameLocator(".program-frame");
  await frame.locator(".first-error").getByText("x ends in D, w ends in n").first().waitFor();
  await frame.locator(".cm-line").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("fn twice(x: [n]) -> [n] = x * 2.0\n");
  await frame.locator(".verdict", { hasText: "✓" }).waitFor();
  await eventually(() => page.evaluate(() => localStorage.length + sessionStorage.length), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a program opens in the playground", async () => {
  const { context, page, faults } = await flow.reader();
  await page.goto(address("E0406.html"));
  await page.getByRole("link", { name: "Open in the playground" }).first().click();
  await page.locator(".first-error").getByText("needs over=").first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [width, viewport] of Object.entries(viewports)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing on the pages of codes, ${width}, ${colorScheme}`, async () => {
      const { context, page } = await flow.reader({ viewport, colorScheme });
      for (const name of ["index.html", "E0503.html", "R03.html"]) {
        await page.goto(address(name));
        await expectAccessible(page, name);
        await expectNarrow(page, name);
      }
      await context.close();
    });
  }
}
