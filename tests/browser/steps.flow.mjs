/** The Steps tab: what ran, the first NaN, and where a value lies in memory. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectAccessible, expectClean, expectNarrow, setText, setUp } from "./harness.mjs";

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
  const { visitor, page } = await flow.opened();
  await setText(page, "fn shift(x: [n D], w: [n]) -> [n D] = n |> map(i => exp(x[i] * w[i]) + 1.0)\n");
  await expectClean(page);
  await openSteps(page);
  const step = page.locator(".step").last();
  // What ran, over what, and the range of its values.
  for (const said of [/mul → exp → add/, /fused/, /f32 5 × 3|f32 5 × 7/, /…/])
    await eventually(() => step.textContent(), said);
  // Each row of x has its own weight: w is read again and again along D.
  await eventually(() => step.locator(".stride-zero").count(), 1);
  await expectAccessible(page);
  await visitor.done();
});

test("a large expression runs by a loop that was compiled for it, and a small one doesn't", async () => {
  const { visitor, page } = await flow.opened();
  await setText(
    page,
    "x = arange(300000) to f32\nsum(exp(x / 1e6) * 2.0 + 1.0)\ny = exp([1.0, 2.0]) + 1.0\ny\n",
  );
  await expectClean(page);
  await openSteps(page);
  const kinds = page.locator(".step-kind");
  await eventually(
    () => kinds.allTextContents(),
    (found) => found.includes("compiled") && found.includes("fused"),
    "a loop of each kind",
  );
  await visitor.done();
});

test("of a run that is longer than its record, what is said is said of its beginning", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "x = [1.0, 2.0]\nfor i in 0..12000:\n    x = x + sum(x) * 0.0\nprint(x)\nx\n");
  await expectClean(page);
  await openSteps(page);
  await eventually(() => page.locator(".steps-summary").textContent(), /^the first 10,000 steps ·/);
  await eventually(() => page.locator(".timing").textContent(), /· the first 10,000 steps ·/);
  await visitor.done();
});

test("the first NaN is found, and its line", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "x = [4.0, 1.0, -1.0]\ny = x * 2.0\nprint(y)\nz = log(y)\nprint(z)\nz + 1.0\n");
  await expectClean(page);
  await openSteps(page);
  const found = page.locator(".steps-nan");
  await eventually(() => found.textContent(), /first NaN/);
  const marked = page.locator(".step.is-first-nan");
  await eventually(() => marked.count(), 1);
  await eventually(() => marked.textContent(), /log.*line 4.*1 NaN/s);
  await found.getByRole("button", { name: "go there" }).click();
  const line = () =>
    page.evaluate(() => {
      const focusNode = document.activeElement.shadowRoot?.getSelection()?.focusNode;
      const element = focusNode?.nodeType === Node.TEXT_NODE ? focusNode.parentElement : focusNode;
      return element?.closest(".cm-line")?.textContent;
    });
  await eventually(line, /^z = log\(y\)/, "the caret is on the line of the first NaN");
  await visitor.done();
});

test("a transpose, a slice, a broadcast and a negative stride show in the picture of the memory", async () => {
  const { visitor, page } = await flow.opened();
  const look = async (text, layout) => {
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
      ([first]) => layout.test(first),
      `the memory of ${text.trim()}`,
    );
  };
  await look("x to [4 3]\n", /shape \(4, 3\)/);
  await look("transpose(x)\n", /shape \(4, 3\), strides \(8, 32\) bytes, from byte 0, 8 bytes/);
  await eventually(
    () => facts(page),
    (all) => all.some((fact) => /a view/.test(fact)),
    "it is a view",
  );
  await eventually(
    async () => ({ value: await colours(page, ":not(.is-block)"), block: await colours(page, ".is-block") }),
    // The value's element [i, j] is the block's cell 4 j + i.
    ({ value, block }) =>
      value.length === 12 &&
      value.every((colour, place) => block[(place % 3) * 4 + Math.floor(place / 3)] === colour),
    "the value's elements have the colours of the block's cells",
  );
  await look("x[.., 1..3]\n", /strides \(32, 8\) bytes, from byte 8/);
  await eventually(
    () => colours(page, ".is-block"),
    (block) => block.filter((colour) => colour === "is-unused").length === 6,
    "a half of the block is unused",
  );
  await look("flip(x, over=-2)\n", /strides \(−32, 8\) bytes, from byte 64/);
  await page.locator(".memory-table:not(.is-block) button").first().hover();
  await eventually(
    () => page.locator(".memory-formula").textContent(),
    "[0, 0]: 64 + 0·−32 + 0·8 = byte 64",
    "how the element is found",
  );
  await visitor.done();
});

test("on a phone the steps and the memory stand on a tab of their own", async () => {
  const { visitor, page } = await flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await openSteps(page);
  await page.locator(".step").first().waitFor();
  await eventually(
    () => facts(page),
    (found) => found.length > 0,
    "the memory",
  );
  await expectNarrow(page);
  await expectAccessible(page);
  await visitor.done();
});
