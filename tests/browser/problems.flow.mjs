/** Errors in the editor: drawn beneath their line, reached by pointer, keyboard and touch, mended with a look ahead. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectText, focused, setText, setUp, textOf } from "./harness.mjs";

const flow = setUp();

const bad = `dim D = 3

fn scale(x: [n D], w: [n]) -> [n D] =
    x * w

fn second(x: [n]) -> [n] = y
`;

async function broken(options) {
  const { visitor, page } = await flow.opened(options);
  await setText(page, bad);
  await page.locator(".editor .strand-error").nth(1).waitFor();
  return { visitor, page };
}

const drawing = (page) => page.locator(".drawn .drawing");

/** Where the drawing and the lines around it stand: the line, the drawing, the next line. */
function order(page) {
  return page.evaluate(() => {
    const lines = [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line")];
    const line = lines.find(({ textContent }) => textContent.includes("x * w"));
    const next = lines[lines.indexOf(line) + 1];
    const numbers = [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-gutterElement")];
    const number = numbers.find(({ textContent }) => textContent === "5");
    const box = document.querySelector(".drawn").getBoundingClientRect();
    return {
      beneath: box.top - line.getBoundingClientRect().bottom,
      above: next.getBoundingClientRect().top - box.bottom,
      gutter: Math.abs(number.getBoundingClientRect().top - next.getBoundingClientRect().top),
    };
  });
}

test("a click on a squiggle draws the error beneath its line, and a click on its line's number closes it", async () => {
  const { visitor, page } = await broken();
  await page.locator(".editor .strand-error").first().click();
  await drawing(page).waitFor();
  await eventually(() => drawing(page).locator(".drawing-title").innerText(), /E0503[\s\S]*x ends in D/);
  await eventually(
    () => order(page),
    ({ beneath, above, gutter }) => Math.abs(beneath) < 2 && Math.abs(above) < 2 && gutter < 2,
    "the lines make room for the drawing",
  );
  await page.locator(".cm-gutterElement.strand-error-line").first().click();
  await drawing(page).waitFor({ state: "detached" });
  await page.locator(".cm-gutterElement.strand-error-line").first().click();
  await drawing(page).waitFor();
  await visitor.done();
});

test("by keyboard: F8 to the next problem, Enter to its fixes, a look, apply, undo", async () => {
  const { visitor, page } = await broken();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("F8");
  await drawing(page).filter({ hasText: "E0503" }).waitFor();
  await page.keyboard.press("F8");
  await drawing(page).filter({ hasText: "E0301" }).waitFor();
  await page.keyboard.press("F8");
  await drawing(page).filter({ hasText: "E0503" }).waitFor();
  await page.keyboard.press("Shift+F8");
  await drawing(page).filter({ hasText: "E0301" }).waitFor();
  await page.keyboard.press("Shift+F8");
  await drawing(page).filter({ hasText: "E0503" }).waitFor();
  await page.keyboard.press("Enter");
  const preview = page.locator(".drawn .fix-preview");
  await preview.waitFor();
  await expectText(page, bad);
  await eventually(() => preview.locator("del").innerText(), /4 −\s+x \* w/);
  await eventually(() => preview.locator("ins").innerText(), /4 \+\s+n \|> map\(i => x\[i\] \* w\[i\]\)/);
  await eventually(() => page.locator(".drawn .fix.is-open").innerText(), /gives \[n D\]/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await drawing(page).waitFor({ state: "detached" });
  await eventually(() => textOf(page), /n \|> map\(i => x\[i\] \* w\[i\]\)/);
  await page.keyboard.press("ControlOrMeta+z");
  await expectText(page, bad);
  await visitor.done();
});

test("Escape closes the drawing from inside and from the text; the caret and the keyboard stay in the text", async () => {
  const { visitor, page } = await broken();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("F8");
  await page.keyboard.press("Enter");
  await eventually(() => focused(page), /^Fix/);
  await page.keyboard.press("Escape");
  await drawing(page).waitFor({ state: "detached" });
  await eventually(() => focused(page), "Strand program");
  await page.keyboard.press("F8");
  await drawing(page).filter({ hasText: "E0301" }).waitFor();
  await page.keyboard.press("Shift+F8");
  await drawing(page).filter({ hasText: "E0503" }).waitFor();
  await page.keyboard.press("Escape");
  await drawing(page).waitFor({ state: "detached" });
  await page.keyboard.type("0 + ");
  await expectText(page, bad.replace("x * w", "x * 0 + w"));
  await visitor.done();
});

test("the drawing follows its line, and goes when its error is mended", async () => {
  const { visitor, page } = await broken();
  await page.locator(".problem-line").first().click();
  await drawing(page).waitFor();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# a line more\n");
  await page.locator(".problem-line").filter({ hasText: "5:9" }).waitFor();
  await drawing(page).filter({ hasText: "5 │" }).waitFor();
  await page.locator(".cm-line", { hasText: "x * w" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("2.0");
  await drawing(page).waitFor({ state: "detached" });
  await visitor.done();
});

test("functions that an error doesn't touch keep running", async () => {
  const { visitor, page } = await broken();
  await setText(page, bad.replace("[n] = y", "[n] = x + 1.0"));
  await page.locator('article[aria-label="second"] .cell').first().waitFor();
  const cells = page.locator('article[aria-label="second"] figure[data-value="result"] .cell');
  await eventually(() => cells.allInnerTexts(), "1.0 2.0 3.0 4.0 5.0".split(" "));
  await visitor.done();
});

test("by touch: tap the squiggle, look at a fix, apply it", async () => {
  const { visitor, page } = await broken({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await page.locator(".editor .strand-error").first().tap();
  await drawing(page).waitFor();
  await page.locator(".drawn .fix-look").first().tap();
  await page.locator(".drawn .fix-preview ins").waitFor();
  await page.locator(".drawn .fix-apply").first().tap();
  await eventually(() => textOf(page), /n \|> map/, "the fixed text");
  await visitor.done();
});

test("a link made from an error selects what it speaks of", async () => {
  const { visitor, page } = await broken();
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".problem-line").first().click();
  await page.locator(".drawn").getByRole("button", { name: "Copy a link to this" }).click();
  await page.getByText("Link copied").waitFor();
  const at = bad.indexOf("* w") + 2;
  const link = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually(link, new RegExp(`&sel=${at}-${at + 1}&`));
  await visitor.done();
});
