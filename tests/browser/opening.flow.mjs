/** The first minute: the page opens with its program and values, and every example runs. */
import { test } from "node:test";
import {
  eventually,
  expectCells,
  expectClean,
  expectText,
  pointAt,
  programs,
  setUp,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const opening = programs[0].text;

test("a new visitor sees the opening program and its values", async (t) => {
  const { visitor, page } = await flow.opened();
  await expectText(page, opening);
  await expectClean(page);
  await eventually(() => verdictOf(page), /for every n/);
  await expectCells(
    page,
    "scale",
    "x",
    "0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1 2.2 3.0 3.1 3.2 4.0 4.1 4.2".split(" "),
  );
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
  await expectCells(page, "scale", "result", [
    ..."0.0 0.0 0.0 1.0 1.1 1.2 4.0 4.2 4.4 9.0 9.3 9.6 16.0 16.4 16.8".split(" "),
  ]);
  await eventually(() => page.locator(".strand-inlay").first().innerText(), /\[n D\]/);
  const firstValue = await eventually(
    () => page.evaluate(() => performance.getEntriesByName("strand:first-value")[0]?.startTime),
    (time) => time > 0,
    "the mark of the first value",
  );
  t.diagnostic(`first value after ${Math.round(firstValue)} ms`);
  await visitor.done();
});

test("the page works below any path of a host", async () => {
  const host = await flow.host({ below: true });
  const visitor = await flow.person();
  const page = await visitor.open(host.url);
  await expectClean(page);
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
  await visitor.done();
  await host.close();
});

test("every example opens, is what its file says, and shows values", async () => {
  const { visitor, page } = await flow.opened();
  await page.getByRole("button", { name: "Examples" }).click();
  const items = page.locator("button.menu-item");
  await eventually(() => items.count(), programs.length);
  await page.keyboard.press("Escape");
  for (const [index, { name, text, isWrong }] of programs.entries()) {
    await page.getByRole("button", { name: "Examples" }).click();
    await items.nth(index).click();
    await expectText(page, text, name);
    await eventually(() => verdictOf(page), isWrong ? /^✕/ : /^[✓!]/, name);
    await eventually(
      () => page.locator("figure.is-result :is(.cell, .scalar, .picture)").count(),
      (values) => values > 0,
      `${name} shows a value`,
    );
    await eventually(() => page.locator(".card .drawing").count(), 0, `${name} runs without an error`);
  }
  await visitor.done();
});

test("the PyTorch tab has the text, and lights what the pointer is at on both sides", async () => {
  const { visitor, page } = await flow.opened();
  await page.getByRole("tab", { name: "PyTorch" }).first().click();
  await eventually(() => page.locator(".torch pre").innerText(), /^def scale\(/m);
  await page.locator(".torch .py-name", { hasText: /^w$/ }).last().hover();
  await page.locator(".editor .strand-lit").first().waitFor();
  await pointAt(page, "map", "w");
  await eventually(
    () => page.locator(".torch .is-lit").allInnerTexts(),
    (lit) => lit.includes("w"),
    "the partner of w",
  );
  await visitor.done();
});

test("hovering a name tells its type", async () => {
  const { visitor, page } = await flow.opened();
  await pointAt(page, "fn scale", "x");
  const tip = page.locator(".strand-tip-type");
  await tip.waitFor();
  await eventually(() => tip.innerText(), /\[n D\]/);
  await visitor.done();
});
