/** Typing: values follow the text, errors are drawn and mended, and nothing is lost on the way. */
import { test } from "node:test";
import {
  cellsOf,
  eventually,
  expectCells,
  expectClean,
  expectStill,
  expectText,
  holdTime,
  pointAt,
  setText,
  setUp,
  settled,
  textOf,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const good = `dim D = 3

fn scale(x: [n D], w: [n]) -> [n D] =
    n |> map(i => x[i] * w[i])
`;
const bad = good.replace("n |> map(i => x[i] * w[i])", "x * w");

test("an edit changes the values by itself", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, good.replace("w[i])", "w[i] + 1.0)"));
  await expectCells(page, "scale", "result", [
    ..."1.0 1.0 1.0 2.0 2.1 2.2 5.0 5.2 5.4 10.0 10.3 10.6 17.0 17.4 17.8".split(" "),
  ]);
  await visitor.done();
});

test("a size changed in the strip is solved and run again, and the text stays", async () => {
  const { visitor, page } = await flow.opened();
  const text = await textOf(page);
  await page.getByRole("spinbutton", { name: "Size of n" }).fill("2");
  await expectCells(page, "scale", "w", ["0.0", "1.0"]);
  await page.getByRole("spinbutton", { name: "Size of D" }).fill("1");
  await expectCells(page, "scale", "x", ["0.0", "1.0"]);
  await page.getByRole("slider", { name: "Size of n" }).focus();
  await page.keyboard.press("ArrowRight");
  await expectCells(page, "scale", "w", ["0.0", "1.0", "2.0"]);
  await page.getByRole("button", { name: "as declared" }).click();
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
  await expectText(page, text);
  await visitor.done();
});

test("a size that can't be is named with its reason", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "dim D = 3\nfn total(x: [D]) -> [] = sum(x)\ntotal([1.0, 2.0, 3.0])\n");
  await expectCells(page, "total", "x", ["0.0", "1.0", "2.0"]);
  await page.getByRole("spinbutton", { name: "Size of D" }).fill("4");
  await page.locator(".first-error").getByText("D can't be 4").waitFor();
  await page.getByRole("button", { name: "as declared" }).click();
  await page.locator(".first-error").waitFor({ state: "detached" });
  await visitor.done();
});

test("a size too large to run by itself is priced", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "fn gram(x: [n D]) -> [n n] = x @ transpose(x)\n");
  await page.getByRole("article", { name: "gram" }).waitFor();
  await page.getByRole("spinbutton", { name: "Size of n" }).fill("3000");
  await page.getByRole("button", { name: /Run · about .*MB/ }).waitFor();
  await visitor.done();
});

test("an error is marked, drawn and listed; its fix is applied and undone", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, good);
  await expectClean(page);
  // The opening program has the same values one line lower: these are the good text's own.
  await page.getByRole("article", { name: "scale" }).getByText("line 3").waitFor();
  await setText(page, bad);
  await page.locator(".editor .strand-error").first().waitFor();
  await eventually(() => verdictOf(page), /1 error/);
  const line = page.locator(".problem-line");
  await eventually(() => line.innerText(), /4:\d+\s+E0503/);
  await eventually(() => page.locator(".first-error .drawing-title").innerText(), /x ends in D/);
  // The last good values stay, and say so.
  await page
    .getByText(/from before line 4 changed/)
    .first()
    .waitFor();
  await eventually(
    () => cellsOf(page, "scale", "result"),
    ({ length }) => length > 0,
    "the last good values",
  );
  await line.click();
  await page.locator(".drawn .drawing").waitFor();
  const fix = page.locator(".drawn .fix-apply").first();
  await fix.click();
  await expectClean(page);
  await eventually(
    () => textOf(page),
    (text) => text !== bad,
    "the fixed text",
  );
  await page.keyboard.press("ControlOrMeta+z");
  await expectText(page, bad);
  await visitor.done();
});

test("the tooltip of an error has its fix", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, bad);
  await eventually(() => verdictOf(page), /1 error/);
  await pointAt(page, "x * w", "w");
  await page.locator(".strand-tip button").first().click();
  await expectClean(page);
  await visitor.done();
});

test("a half-written line isn't scolded while somebody types it", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, good);
  await expectClean(page);
  await page.keyboard.press("ControlOrMeta+End");
  // The page's clock stands still, so that its patience ends when the test says so.
  await holdTime(page);
  await page.keyboard.type("y = (1.0 + ");
  await page.clock.runFor(200);
  await page.locator(".status[data-activity=unfinished]").waitFor({ state: "attached" });
  await expectStill(
    () => page.locator(".editor .strand-error").count(),
    0,
    "it is checked, and nothing is said",
  );
  await page.clock.runFor(700);
  await eventually(() => verdictOf(page), /^✕/, "the error shows in the end");
  await page.clock.resume();
  await page.keyboard.type("2.0)");
  await expectClean(page);
  await visitor.done();
});

test("Tab indents, Escape and Tab leave, and comments toggle", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "a = 1");
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  await expectText(page, "    a = 1");
  await page.keyboard.press("Shift+Tab");
  await expectText(page, "a = 1");
  await page.keyboard.press("ControlOrMeta+/");
  await expectText(page, "# a = 1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  const inside = () => page.evaluate(() => document.activeElement?.classList.contains("editor"));
  await eventually(inside, false, "the focus has left the text");
  await visitor.done();
});

test("a new line is indented as the language wants", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "fn f(x: [n]) -> []:");
  await page.keyboard.press("Enter");
  await page.keyboard.type("y = x");
  await page.keyboard.press("Enter");
  await page.keyboard.type("return sum(y)");
  await expectText(page, "fn f(x: [n]) -> []:\n    y = x\n    return sum(y)");
  await visitor.done();
});

test("what a program prints and the values of its script are shown, with errors of the run on their line", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, 'print("hello")\n1.0 + 2.0\n[1.0, -1.0] to Positive\n');
  await eventually(
    () => page.locator(".output pre").allInnerTexts(),
    (lines) => lines.includes("hello"),
    "the output",
  );
  await eventually(
    () => page.locator(".card .scalar").allInnerTexts(),
    (values) => values.some((value) => /^3(\.0)?$/.test(value)),
    "the value of line 2",
  );
  await eventually(() => page.locator(".problem-line").innerText(), /3:1\s+R02/);
  await page.locator(".editor .strand-error").first().waitFor();
  await visitor.done();
});

test("output of an earlier text is said to be that, and no text is said to show nothing that isn't known to", async () => {
  const { visitor, page } = await flow.opened();
  const output = page.locator(".output");
  const nothing = page.getByText("This program has no functions and shows no values.");
  await setText(page, "x = [1.0, 2.0]\nprint(sum(x))\n");
  await eventually(() => output.locator("pre").allInnerTexts(), ["3.0"]);
  await settled(page);
  await expectStill(() => nothing.count(), 0);
  await setText(page, "x = [1.0, 2.0]\nprint(sum(y))\n");
  await eventually(() => verdictOf(page), /error/);
  await settled(page);
  await eventually(() => output.locator(".stale-note").allInnerTexts(), ["from before line 2 changed"]);
  await expectStill(() => nothing.count(), 0);
  await setText(page, "x = [1.0, 2.0]\n");
  await nothing.waitFor();
  await eventually(() => output.count(), 0);
  await visitor.done();
});

test("each bar stands over its number", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "dim Classes = 3\nx = [1.5, -20000.25, 3.0] as [Classes]\nx\n");
  const middles = (cells) =>
    cells.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ x, width }) => x + width / 2),
    );
  const card = page.getByRole("article", { name: "x" });
  await card.locator(".bar").nth(2).waitFor();
  const cells = await middles(card.locator(".cell"));
  await eventually(
    () => middles(card.locator(".bar")),
    (bars) => bars.length === 3 && bars.every((middle, at) => Math.abs(middle - cells[at]) < 1),
    "the bars stand over the numbers",
  );
  // They make no number's cell wider.
  await eventually(
    () => card.locator(".cell").first().boundingBox(),
    (box) => box !== null && box.width < 90,
    "cells as wide as their numbers",
  );
  await visitor.done();
});

test("a big value is shown by its edges, and its parts on demand", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, "dim D = 300\n\nfn big(x: [a D D]) -> [a D D] = x + 1.0\n");
  await expectClean(page);
  await page.getByRole("button", { name: /^Run/ }).click();
  const shown = await eventually(
    () => cellsOf(page, "big", "result"),
    ({ length }) => length === 36,
    "the edges of the value",
  );
  const slider = page.locator('figure[data-value="result"]').getByRole("slider", { name: "Position on a" });
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await eventually(
    () => cellsOf(page, "big", "result"),
    (cells) => cells.length === 36 && cells[0] !== shown[0],
    "another slice",
  );
  await visitor.done();
});

test("formatting is one step back, and the caret stays by its token", async () => {
  const { visitor, page } = await flow.opened();
  const loose = "fn  f(x:[n])->[n]=x+1.0\n";
  await setText(page, loose);
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+Alt+F");
  const formatted = "fn f(x: [n]) -> [n] = x + 1.0\n";
  await expectText(page, formatted, "the formatted text");
  await page.keyboard.type("2");
  await expectText(page, formatted.replace("1.0", "21.0"));
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expectText(page, loose);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: /^Format/ }).click();
  await expectText(page, formatted, "the formatted text");
  await visitor.done();
});
