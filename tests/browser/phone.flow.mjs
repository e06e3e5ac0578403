/** A phone: 360 × 640, touched, with a soft keyboard on which half the language's characters are hard to find. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectNarrow, expectText, setText, setUp, textOf, verdictOf } from "./harness.mjs";

const flow = setUp();

const phone = () => flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });

/** Waits for the keys to stand at the bottom of what a soft keyboard leaves, as wide as the screen. */
function expectKeys(page) {
  return eventually(
    () => page.locator(".keys").boundingBox(),
    (box) => box?.x === 0 && box.width === 360 && Math.abs(box.y + box.height - 380) < 1,
    "the keys stand on the keyboard",
  );
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
  await eventually(() => page.locator(".keys").isVisible(), false);
  await type(page);
  await setText(page, "y = x");
  await key(page, "|>").tap();
  await page.keyboard.type("sum");
  await key(page, "( )").tap();
  await key(page, "over=").tap();
  await page.keyboard.type("n");
  await expectText(page, "y = x |> sum(over=n)");
  await key(page, "Undo").tap();
  await eventually(
    () => textOf(page),
    (text) => text !== "y = x |> sum(over=n)",
    "the text before",
  );
  await setText(page, "x");
  await page.keyboard.press("ControlOrMeta+a");
  await key(page, "[ ]").tap();
  await expectText(page, "[x]");
  await page.keyboard.press("Home");
  await key(page, "Indent").tap();
  await expectText(page, "    [x]");
  await visitor.done();
});

const FAR = `dim V = 8
dim D = 2
dim C = 3

fn loss(emb: [V D], w: [D C], words: [n] i64 Index[V], y: [n] i64 Index[C]) -> []:
    return mean(emb[words] @ w) + sum(y to f32)

loss(ones([V D]), ones([D C]), [3, 1, 7] to Index[V], [0, 2, 1] to Index[V])
`;

test("in a drawing only code has a line number, marks stand under their code, and nothing is cut off", async () => {
  for (const width of [360, 320]) {
    const { visitor, page } = await flow.opened({
      viewport: { width, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    await setText(page, FAR);
    await eventually(() => verdictOf(page), /error/);
    await page.getByRole("tab", { name: "Result" }).click();
    await eventually(
      () =>
        page
          .locator(".first-error .drawing pre")
          .first()
          .evaluate((box) => [box.innerText, box.parentElement.scrollWidth - box.parentElement.clientWidth]),
      ([text, over]) => {
        const lines = text.split("\n");
        const at = lines.findIndex((line) => /~{3}/.test(line));
        return (
          over <= 0 &&
          lines.every((line) => /^ *(\d+ │ \S|│ +[~^└]|│ {2,}\w|$)/.test(line)) &&
          lines[at - 1].slice(lines[at].indexOf("~")).startsWith("[0, 2, 1] to")
        );
      },
      "code and marks in pairs",
    );
    await expectNarrow(page);
    await visitor.done();
  }
});

test("what fails while a function runs is said in full", async () => {
  const { visitor, page } = await phone();
  await setText(page, "fn root(x: [n]) -> [n] Positive = (x - 1.0) to Positive\n");
  await eventually(() => verdictOf(page), /error/);
  await page.getByRole("tab", { name: "Result" }).click();
  const card = page.getByRole("article", { name: "root" });
  await card.locator(".drawing-title", { hasText: "R02" }).waitFor();
  await eventually(
    () => card.locator(".drawing .scroll-box").evaluate((box) => box.scrollWidth - box.clientWidth),
    0,
  );
  await expectNarrow(page);
  await visitor.done();
});

test("what stands on the keyboard fits the screen, and so does the page above it", async () => {
  const { visitor, page } = await phone();
  await type(page);
  await expectKeys(page);
  await eventually(
    () => page.locator(".key").evaluateAll((keys) => keys.map((one) => one.offsetHeight)),
    (heights) => heights.every((height) => height >= 44),
    "every key is high enough",
  );
  await eventually(() => page.locator(".phone-bar").isVisible(), false);
  // The keyboard goes while the text keeps the focus, as with Android's back button.
  await page.setViewportSize(viewports.phone);
  await page.locator(".keys").waitFor({ state: "hidden" });
  await page.locator(".phone-bar").waitFor();
  // A keyboard that covers the page instead of shrinking it, as on iOS.
  await page.evaluate(() => {
    Object.defineProperty(window.visualViewport, "height", { value: 380, configurable: true });
    window.visualViewport.dispatchEvent(new Event("resize"));
  });
  await expectKeys(page);
  await visitor.done();
});

test("the strip above the keys names the problem, opens its drawing without the keyboard, and leads to the next", async () => {
  const { visitor, page } = await phone();
  await setText(page, "fn f(x: [n], w: [m]) -> [n] =\n    x * w\n\nfn g(x: [n]) -> [n] = y\n");
  const strip = page.locator(".strip-problem");
  await strip.waitFor();
  await type(page);
  await strip.filter({ hasText: "E0503" }).tap();
  await page.locator(".drawn .drawing", { hasText: "E0503" }).waitFor();
  await eventually(() => page.locator(".keys").isVisible(), false);
  await page.getByRole("button", { name: "Next problem" }).tap();
  await page.locator(".drawn .drawing", { hasText: "E0301" }).waitFor();
  await page.getByRole("button", { name: "Close the drawing" }).tap();
  await page.locator(".drawn").waitFor({ state: "detached" });
  await visitor.done();
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
  await eventually(() => page.locator(".strip .caret-type").innerText(), /./, "the type at the caret");
  await visitor.done();
});

test("tabs at the bottom, Share among them, and Run within reach of a thumb", async () => {
  const { visitor, page } = await phone();
  const bar = page.locator(".phone-bar");
  await eventually(
    async () => (await bar.getByRole("tab").allInnerTexts()).map((text) => text.trim()),
    ["Code", "Result", "PyTorch", "Steps"],
  );
  await bar.getByRole("tab", { name: "Result" }).tap();
  await page.locator('figure[data-value="result"] .cell').first().waitFor();
  await eventually(
    () => page.getByRole("button", { name: /^Run/ }).boundingBox(),
    (run) => run.y > 400 && run.x > 180 && run.height >= 44,
    "Run within reach",
  );
  await bar.getByRole("button", { name: "Share" }).tap();
  await page.locator(".share").waitFor();
  await visitor.done();
});

test("long lines wrap with a hanging indent, and a stage's type has a line of its own", async () => {
  const { visitor, page } = await phone();
  const places = () =>
    page.evaluate(() => {
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
  await eventually(
    places,
    ({ below, size, wide }) => below >= -2 && size === 16 && wide <= 0,
    "the type stands below its stage, and the line fits",
  );
  await visitor.done();
});
