/** A phone: 360 × 640, touched, with a soft keyboard on which half the language's characters are hard to find. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectClean, setText, setUp, textOf } from "./harness.mjs";

const flow = setUp();

async function phone() {
  const visitor = await flow.person({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  const page = await visitor.open(flow.url);
  await expectClean(page);
  return { visitor, page };
}

async function done(visitor) {
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
}

/** Touches the text, and takes from the page what a soft keyboard takes. */
async function type(page) {
  await page.locator(".cm-line").first().tap();
  await page.setViewportSize({ width: 360, height: 380 });
  await page.locator(".keys").waitFor();
}

const key = (page, name) =>
  page.getByRole("toolbar", { name: "Characters" }).getByRole("button", { name, exact: true });

test("the keys on the soft keyboard write what they show, and keep the focus in the text", async () => {
  const { visitor, page } = await phone();
  assert.equal(await page.locator(".keys").isVisible(), false);
  await type(page);
  await setText(page, "y = x");
  await key(page, "|>").tap();
  await page.keyboard.type("sum");
  await key(page, "( )").tap();
  await key(page, "over=").tap();
  await page.keyboard.type("n");
  assert.equal(await textOf(page), "y = x |> sum(over=n)");
  await key(page, "Undo").tap();
  assert.notEqual(await textOf(page), "y = x |> sum(over=n)");
  await setText(page, "x");
  await page.keyboard.press("ControlOrMeta+a");
  await key(page, "[ ]").tap();
  assert.equal(await textOf(page), "[x]");
  await page.keyboard.press("Home");
  await key(page, "Indent").tap();
  assert.equal(await textOf(page), "    [x]");
  await done(visitor);
});

test("what stands on the keyboard fits the screen, and so does the page above it", async () => {
  const { visitor, page } = await phone();
  await type(page);
  const box = await page.locator(".keys").boundingBox();
  assert.ok(box.x === 0 && box.width === 360);
  assert.ok(Math.abs(box.y + box.height - 380) < 1, "the keys stand at the bottom");
  const heights = await page.locator(".key").evaluateAll((keys) => keys.map((one) => one.offsetHeight));
  assert.ok(heights.every((height) => height >= 44));
  assert.equal(await page.locator(".phone-bar").isVisible(), false);
  // The keyboard goes while the text keeps the focus, as with Android's back button.
  await page.setViewportSize(viewports.phone);
  await page.locator(".keys").waitFor({ state: "hidden" });
  await page.locator(".phone-bar").waitFor();
  // A keyboard that covers the page instead of shrinking it, as on iOS.
  await page.evaluate(() => {
    Object.defineProperty(window.visualViewport, "height", { value: 380, configurable: true });
    window.visualViewport.dispatchEvent(new Event("resize"));
  });
  await page.locator(".keys").waitFor();
  const raised = await page.locator(".keys").boundingBox();
  assert.ok(Math.abs(raised.y + raised.height - 380) < 1, "the keys stand on the keyboard");
  await done(visitor);
});

test("the strip above the keys names the problem, opens its drawing without the keyboard, and leads to the next", async () => {
  const { visitor, page } = await phone();
  await setText(page, "fn f(x: [n], w: [m]) -> [n] =\n    x * w\n\nfn g(x: [n]) -> [n] = y\n");
  const strip = page.locator(".strip-problem");
  await strip.waitFor();
  await type(page);
  await strip.filter({ hasText: "E0503" }).tap();
  await page.locator(".drawn .drawing", { hasText: "E0503" }).waitFor();
  assert.equal(await page.locator(".keys").isVisible(), false);
  await page.getByRole("button", { name: "Next problem" }).tap();
  await page.locator(".drawn .drawing", { hasText: "E0301" }).waitFor();
  await page.getByRole("button", { name: "Close the drawing" }).tap();
  await page.locator(".drawn").waitFor({ state: "detached" });
  await done(visitor);
});

test("a tap on a name tells its type", async () => {
  const { visitor, page } = await phone();
  const place = await page.evaluate(() => {
    const root = document.querySelector(".editor").shadowRoot;
    const span = [...root.querySelectorAll(".cm-line span")].find(({ textContent }) => textContent === "map");
    const { right, top, height } = span.getBoundingClientRect();
    return { x: right + 30, y: top + height / 2 };
  });
  await page.touchscreen.tap(place.x, place.y);
  await page.setViewportSize({ width: 360, height: 380 });
  await eventually(
    () => page.locator(".strip .caret-type").innerText(),
    (type) => type !== "",
    "the type at the caret",
  );
  await done(visitor);
});

test("tabs at the bottom, Share among them, and Run within reach of a thumb", async () => {
  const { visitor, page } = await phone();
  const bar = page.locator(".phone-bar");
  assert.deepEqual(
    (await bar.getByRole("tab").allInnerTexts()).map((text) => text.trim()),
    ["Code", "Result", "PyTorch", "Steps"],
  );
  await bar.getByRole("tab", { name: "Result" }).tap();
  await page.locator('figure[data-value="result"] .cell').first().waitFor();
  const run = await page.getByRole("button", { name: /^Run/ }).boundingBox();
  assert.ok(run.y > 400 && run.x > 180 && run.height >= 44);
  await bar.getByRole("button", { name: "Share" }).tap();
  await page.locator(".share").waitFor();
  await done(visitor);
});

test("long lines wrap with a hanging indent, and a stage's type has a line of its own", async () => {
  const { visitor, page } = await phone();
  const places = await page.evaluate(() => {
    const root = document.querySelector(".editor").shadowRoot;
    const line = [...root.querySelectorAll(".cm-line")].find(({ textContent }) =>
      textContent.includes("map"),
    );
    const inlay = line.querySelector(".strand-inlay");
    const code = [...line.querySelectorAll("span")].find(({ textContent }) => textContent === "map");
    return {
      below: inlay.getBoundingClientRect().top - code.getBoundingClientRect().bottom,
      size: parseFloat(getComputedStyle(line).fontSize),
      wide: line.scrollWidth - line.clientWidth,
    };
  });
  assert.ok(places.below >= -2, `the type stands ${places.below} px below`);
  assert.equal(places.size, 16);
  assert.ok(places.wide <= 0);
  await done(visitor);
});
