/** The Steps tab: what ran, the first NaN, and where a value lies in memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { accessibilityFaults, eventually, expectClean, setText, setUp } from "./harness.mjs";

const flow = setUp();

const openSteps = (page) => page.getByRole("tab", { name: "Steps" }).filter({ visible: true }).click();

const facts = (page) => page.locator(".memory-facts li").allTextContents();

/** The colours of the value's cells and of the block's, in the order they stand. */
const colours = (page, table) =>
  page
    .locator(`.memory-table${table} .memory-cell`)
    .evaluateAll((cells) => cells.map(({ className }) => /hue-\d+|is-unused/.exec(className)?.[0]));

const MATRIX = "x = arange(12) to [3 4]\n";

test("steps say what ran, how, over what and with which values", async () => {
  const reader = await flow.person();
  const page = await reader.open(flow.url);
  await expectClean(page);
  await setText(page, "fn shift(x: [n D], w: [n]) -> [n D] = n |> map(i => exp(x[i] * w[i]) + 1.0)\n");
  await expectClean(page);
  await openSteps(page);
  const step = page.locator(".step").last();
  await eventually(
    () => step.textContent(),
    (text) => /…/.test(text ?? ""),
    "the range of the values",
  );
  const text = await step.textContent();
  assert.match(text, /mul → exp → add/);
  assert.match(text, /fused/);
  assert.match(text, /f32 5 × 3|f32 5 × 7/);
  // Each row of x has its own weight: w is read again and again along D.
  assert.equal(await step.locator(".stride-zero").count(), 1);
  assert.deepEqual(await accessibilityFaults(page), []);
  await reader.leave();
});

test("a large expression runs by a loop that was compiled for it, and a small one doesn't", async () => {
  const reader = await flow.person();
  const page = await reader.open(flow.url);
  await expectClean(page);
  await setText(
    page,
    "x = arange(300000) to f32\nsum(exp(x / 1e6) * 2.0 + 1.0)\ny = exp([1.0, 2.0]) + 1.0\ny\n",
  );
  await expectClean(page);
  await openSteps(page);
  const kinds = page.locator(".step-kind");
  const texts = await eventually(
    () => kinds.allTextContents(),
    (found) => found.includes("compiled"),
    "a compiled loop",
  );
  assert.ok(texts.includes("fused"), texts.join(", "));
  await reader.leave();
});

test("of a run that is longer than its record, what is said is said of its beginning", async () => {
  const reader = await flow.person();
  const page = await reader.open(flow.url);
  await setText(page, "x = [1.0, 2.0]\nfor i in 0..12000:\n    x = x + sum(x) * 0.0\nprint(x)\nx\n");
  await expectClean(page);
  await openSteps(page);
  await eventually(
    () => page.locator(".steps-summary").textContent(),
    (text) => text?.startsWith("the first 10,000 steps ·"),
    "the summary",
  );
  assert.match(await page.locator(".timing").textContent(), /· the first 10,000 steps ·/);
  await reader.leave();
});

test("the first NaN is found, and its line", async () => {
  const reader = await flow.person();
  const page = await reader.open(flow.url);
  await expectClean(page);
  await setText(page, "x = [4.0, 1.0, -1.0]\ny = x * 2.0\nprint(y)\nz = log(y)\nprint(z)\nz + 1.0\n");
  await expectClean(page);
  await openSteps(page);
  const found = page.locator(".steps-nan");
  await eventually(
    () => found.textContent(),
    (text) => /first NaN/.test(text ?? ""),
    "the first NaN",
  );
  const marked = page.locator(".step.is-first-nan");
  assert.equal(await marked.count(), 1);
  assert.match(await marked.textContent(), /log.*line 4.*1 NaN/s);
  await found.getByRole("button", { name: "go there" }).click();
  const line = await page.evaluate(() => {
    const { shadowRoot } = document.activeElement;
    const { focusNode } = shadowRoot.getSelection();
    return (focusNode.nodeType === Node.TEXT_NODE ? focusNode.parentElement : focusNode).closest(".cm-line")
      .textContent;
  });
  assert.match(line, /^z = log\(y\)/);
  await reader.leave();
});

test("a transpose, a slice, a broadcast and a negative stride show in the picture of the memory", async () => {
  const reader = await flow.person();
  const page = await reader.open(flow.url);
  await expectClean(page);
  const look = async (text) => {
    await setText(page, MATRIX + text);
    await expectClean(page);
    await openSteps(page);
    await eventually(
      () => page.locator(".memory-choice select option").allTextContents(),
      (options) => options.includes(text.trim()),
      `${text.trim()} among the values to look at`,
    );
    await page.locator(".memory-choice select").selectOption({ label: text.trim() });
    await eventually(
      () => facts(page),
      (found) => found.length > 0,
      "the memory",
    );
  };
  await look("x to [4 3]\n");
  await look("transpose(x)\n");
  let [layout] = await facts(page);
  assert.match(layout, /shape \(4, 3\), strides \(8, 32\) bytes, from byte 0, 8 bytes/);
  assert.ok((await facts(page)).some((fact) => /a view/.test(fact)));
  const value = await colours(page, ":not(.is-block)");
  const block = await colours(page, ".is-block");
  assert.equal(value.length, 12);
  // The value's element [i, j] is the block's cell 4 j + i.
  value.forEach((colour, place) => {
    assert.equal(block[(place % 3) * 4 + Math.floor(place / 3)], colour);
  });
  await look("x[.., 1..3]\n");
  [layout] = await facts(page);
  assert.match(layout, /strides \(32, 8\) bytes, from byte 8/);
  assert.equal((await colours(page, ".is-block")).filter((colour) => colour === "is-unused").length, 6);
  await look("flip(x, over=-2)\n");
  [layout] = await facts(page);
  assert.match(layout, /strides \(−32, 8\) bytes, from byte 64/);
  await page.locator(".memory-table:not(.is-block) button").first().hover();
  await eventually(
    () => page.locator(".memory-formula").textContent(),
    (text) => text === "[0, 0]: 64 + 0·−32 + 0·8 = byte 64",
    "how the element is found",
  );
  await reader.leave();
});

test("on a phone the steps and the memory stand on a tab of their own", async () => {
  const reader = await flow.person({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  const page = await reader.open(flow.url);
  await expectClean(page);
  await openSteps(page);
  await eventually(
    () => page.locator(".step").count(),
    (count) => count > 0,
    "steps",
  );
  await eventually(
    () => facts(page),
    (found) => found.length > 0,
    "the memory",
  );
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false);
  assert.deepEqual(await accessibilityFaults(page), []);
  await reader.leave();
});
