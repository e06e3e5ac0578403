/** An error on a page of each width: drawn once, read whole, mended, and what was mended is seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectClean,
  expectStill,
  expectText,
  holdTime,
  setText,
  settled,
  setUp,
  verdictOf,
} from "./harness.mjs";

const SCALE =
  "dim D = 3\n\n# every row of x, times its own weight\nfn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n";

const flow = setUp();

const phone = () => flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });

/** What of a drawing is cut off at the right, or must be scrolled to be read. */
function clipped(page) {
  return page.locator(".drawn .drawing").evaluate((drawing) => {
    const edge = drawing.getBoundingClientRect().right;
    const parts = [...drawing.querySelectorAll("*")].filter((part) => !part.classList.contains("ruler"));
    return parts
      .filter(
        (part) => part.getBoundingClientRect().right > edge + 1 || part.scrollWidth > part.clientWidth + 1,
      )
      .filter((part) => getComputedStyle(part).display !== "inline" && part.clientWidth > 1)
      .map((part) => `${part.tagName} ${part.className}`);
  });
}

test("on a phone a drawing is read without scrolling sideways, and its first fix stands near the top", async () => {
  const { visitor, page } = await phone();
  await setText(page, SCALE);
  await page.locator(".strip-problem", { hasText: "E0503" }).tap();
  const first = page.locator(".drawn .fix-title").first();
  await first.waitFor();
  await eventually(
    () => first.evaluate((title) => title.getBoundingClientRect().top),
    (top) => top > 60 && top < 400,
    "the first fix stands near the top",
  );
  await eventually(() => clipped(page), []);
  await page.locator(".drawn .fix-look").first().tap();
  await page.locator(".drawn .fix-preview ins").waitFor();
  await eventually(() => clipped(page), []);
  await visitor.done();
});

test("what a fix changed is shown for a moment, stands on the screen, and is announced", async () => {
  const { visitor, page } = await phone();
  await setText(page, `${SCALE}\n${"# more\n".repeat(40)}`);
  await page.locator(".strip-problem", { hasText: "E0503" }).tap();
  const apply = page.locator(".drawn .fix-apply").first();
  await apply.waitFor();
  // The moment lasts as long as the test looks at it.
  await holdTime(page);
  await apply.tap();
  const changed = page.locator(".strand-changed");
  await changed.waitFor();
  await eventually(() => changed.innerText(), /n \|> map\(i => x\[i\] \* w\[i\]\)/);
  await page.clock.runFor(500);
  await eventually(
    () => changed.boundingBox(),
    ({ y, height }) => y >= 56 && y + height < 560,
    "the line stands on the screen",
  );
  await page.clock.resume();
  await page.locator(".hidden-text[role=status]", { hasText: "Fixed: line 5 changed." }).waitFor({
    state: "attached",
  });
  await changed.waitFor({ state: "detached" });
  await visitor.done();
});

test("an error stands once beside the text: drawn beneath its line, or else above the values", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, SCALE);
  await page.locator(".first-error .drawing").waitFor();
  await eventually(() => page.locator(".drawing").count(), 1);
  await page.locator(".problem-line").click();
  await page.locator(".drawn .drawing").waitFor();
  await eventually(() => page.locator(".drawing").count(), 1);
  await page.locator(".first-error.is-elsewhere", { hasText: "x ends in D, w ends in n" }).waitFor();
  await page.getByRole("button", { name: "Close the drawing" }).click();
  await page.locator(".first-error .drawing").waitFor();
  await visitor.done();
});

test("pieces of programs in sentences are set as code, without backticks", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "def f(x: [n]) -> [n]:\n    return x\n");
  const title = page.locator(".first-error .drawing-title");
  await title.waitFor();
  await eventually(() => title.locator("code").allInnerTexts(), ["fn", "def"]);
  await eventually(() => page.locator(".problem-message code").allInnerTexts(), ["fn", "def"]);
  await eventually(() => page.locator(".page").evaluate((all) => all.innerText.includes("`")), false);
  await visitor.done();
});

test("a text that can't be read isn't formatted, and the page says why", async () => {
  const { visitor, page } = await flow.opened();
  const text = "x  =  [1.0, 2.0\ny = 3";
  await setText(page, text);
  await eventually(() => verdictOf(page), /error/);
  await page.getByRole("button", { name: "More" }).click();
  await page.locator(".menu-item", { hasText: "Format" }).click();
  await page.locator(".notice", { hasText: "Not formatted: line 1 can't be read (E0102)." }).waitFor();
  await expectText(page, text);
  await setText(page, "x  =  [1.0, 2.0]\n");
  await page.locator(".notice").waitFor({ state: "detached" });
  await expectClean(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.locator(".menu-item", { hasText: "Format" }).click();
  await expectText(page, "x = [1.0, 2.0]\n", "the text is formatted");
  await page.getByRole("button", { name: "More" }).click();
  await page.locator(".menu-item", { hasText: "Undo" }).click();
  await expectText(page, "x  =  [1.0, 2.0]\n", "the format is taken back");
  await visitor.done();
});

test("the status line says of a text only what its own run took, and nothing of one that ran nothing", async () => {
  const { visitor, page } = await flow.opened();
  const timing = () => page.locator(".timing").innerText();
  await eventually(timing, /step/, "the program ran");
  await setText(page, "y = x\n");
  await eventually(() => verdictOf(page), /error/);
  await settled(page);
  await expectStill(() => timing(), "");
  await visitor.done();
});

test("what the last right text cost doesn't make a dear one with an error run by itself", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "fn f(x: [n]) -> [n] = x\n");
  await expectClean(page);
  await setText(
    page,
    "dim M = 700\nfn dear(a: [M M]) -> [M M] = a @ a @ a\nfn wrong(x: [n]) -> [n] = x @ y\n",
  );
  await eventually(() => verdictOf(page), /1 error/);
  await page.locator(".button.run", { hasText: /Run · about/ }).waitFor();
  await settled(page);
  await expectStill(() => page.locator('article[aria-label="dear"] .grid').count(), 0);
  // Cheap functions that the error doesn't touch run all the same.
  await setText(page, "fn double(a: [n]) -> [n] = a * 2.0\nfn wrong(x: [n]) -> [n] = x @ y\n");
  await page.locator('article[aria-label="double"] figure[data-value="result"] .cell').first().waitFor();
  await visitor.done();
});

test("a warning has its own colour in the status line", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "fn loss(p: [n 1], y: [n]) -> [] = mean((p - y) ** 2)\n");
  const verdict = page.locator(".verdict.is-warning");
  await verdict.waitFor();
  const colours = await verdict.evaluate((element) => {
    const probe = document.createElement("span");
    element.append(probe);
    const of = (name) => {
      probe.className = name;
      return getComputedStyle(probe).color;
    };
    return [getComputedStyle(element).color, of("verdict is-error"), of("verdict is-ok")];
  });
  assert.equal(new Set(colours).size, 3);
  await visitor.done();
});

test("on a phone Run shows the values", async () => {
  const { visitor, page } = await phone();
  await page.locator(".button.run").tap();
  await page.locator(".panel-result").waitFor();
  await eventually(() => page.locator(".page").getAttribute("data-phone-tab"), "result");
  await eventually(() => page.locator(".editor").isVisible(), false);
  await visitor.done();
});

test("sizes and counts have their thousands apart", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "ones([1234 2]) > 0.0\n");
  await page
    .locator(".figure-summary", { hasText: /1,234\s×\s2.*2,468\sof\s2,468\strue/ })
    .first()
    .waitFor();
  await visitor.done();
});

test("numbers are told in their own precision", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "[2.4, 1.1]\n");
  const cell = page.locator(".cell").first();
  await eventually(
    () => cell.getAttribute("title"),
    (title) => title === "2.4",
    "the cell's title",
  );
  await visitor.done();
});
