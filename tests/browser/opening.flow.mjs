/** The first minute: the page opens with its program and values, and every example runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eventually,
  expectCells,
  expectClean,
  pointAt,
  programs,
  setUp,
  textOf,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const opening = programs[0].text;

test("a new visitor sees the opening program and its values", async (t) => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  assert.equal(await textOf(page), opening);
  await expectClean(page);
  assert.match(await verdictOf(page), /for every n/);
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
  const inlay = await page.locator(".strand-inlay").first().innerText();
  assert.match(inlay, /\[n D\]/);
  const firstValue = await page.evaluate(
    () => performance.getEntriesByName("strand:first-value")[0]?.startTime,
  );
  assert.ok(firstValue > 0);
  t.diagnostic(`first value after ${Math.round(firstValue)} ms`);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("the page works below any path of a host", async () => {
  const host = await flow.host({ below: true });
  const visitor = await flow.person();
  const page = await visitor.open(host.url);
  await expectClean(page);
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
  await host.close();
});

test("every example opens, is what its file says, and shows values", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await page.getByRole("button", { name: "Examples" }).click();
  const items = page.locator("button.menu-item");
  assert.equal(await items.count(), programs.length);
  await page.keyboard.press("Escape");
  for (const [index, { name, text, isWrong }] of programs.entries()) {
    await page.getByRole("button", { name: "Examples" }).click();
    await items.nth(index).click();
    assert.equal(await textOf(page), text, name);
    const verdict = await eventually(
      () => verdictOf(page),
      (said) => /^[✓✕!]/.test(said),
      name,
    );
    assert.equal(verdict.startsWith("✕"), isWrong, `${name}: ${verdict}`);
    await eventually(
      () => page.locator("figure.is-result :is(.cell, .scalar, .picture)").count(),
      (values) => values > 0,
      `${name} shows a value`,
    );
    assert.equal(await page.locator(".card .drawing").count(), 0, `${name} runs without an error`);
  }
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("the PyTorch tab has the text, and lights what the pointer is at on both sides", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await expectClean(page);
  await page.getByRole("tab", { name: "PyTorch" }).first().click();
  const text = await page.locator(".torch pre").innerText();
  assert.match(text, /^def scale\(/m);
  await page.locator(".torch .py-name", { hasText: /^w$/ }).last().hover();
  await page.locator(".editor .strand-lit").first().waitFor();
  await pointAt(page, "map", "w");
  await eventually(
    () => page.locator(".torch .is-lit").allInnerTexts(),
    (lit) => lit.includes("w"),
    "the partner of w",
  );
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("hovering a name tells its type", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await expectClean(page);
  await pointAt(page, "fn scale", "x");
  const tip = page.locator(".strand-tip-type");
  await tip.waitFor();
  assert.match(await tip.innerText(), /\[n D\]/);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});
