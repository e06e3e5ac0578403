/** What people come for, each by keyboard alone and by touch alone. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectCells, expectClean, focused, reach, settled, setUp, textOf } from "./harness.mjs";

const flow = setUp();

const broken = "fn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n\ndim D = 3\n";
const endless = `acc = 0.0
for i in 0..10000:
    for j in 0..10000:
        for k in 0..10000:
            acc = acc + 1.0
print(acc)
`;

async function keyboard() {
  const { visitor, page } = await flow.opened();
  const write = async (text) => {
    await reach(page, "Strand program");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
    await settled(page);
  };
  return { visitor, page, write };
}

async function touch() {
  const { visitor, page } = await flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  const part = (name) => page.locator(".phone-bar").getByRole("tab", { name }).tap();
  const write = async (text) => {
    await page.locator(".cm-line").first().tap();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
    await settled(page);
    await page.evaluate(() => document.activeElement?.blur());
  };
  return { visitor, page, part, write };
}

const stoppedNote = (page) => page.getByText("Stopped before the program gave its values.");

test("keyboard: the error is found, its fix is looked at and applied", async () => {
  const { visitor, page, write } = await keyboard();
  await write(broken);
  await page.locator(".problem-line").waitFor();
  await reach(page, "E0503x");
  await page.keyboard.press("Enter");
  await page.locator(".drawn .drawing").waitFor();
  await reach(page, "Fix:");
  await page.locator(".fix-preview ins").first().waitFor();
  await reach(page, "apply:");
  await page.keyboard.press("Enter");
  await expectClean(page);
  await eventually(() => textOf(page), /map\(/);
  await eventually(() => focused(page), "Strand program");
  await visitor.done();
});

test("keyboard: a value follows an edit", async () => {
  const { visitor, page, write } = await keyboard();
  await write("fn f(x: [n]) -> [n] = x + x\n");
  await expectCells(page, "f", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("End");
  await page.keyboard.type(" + x");
  await expectCells(page, "f", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  await visitor.done();
});

test("keyboard: a run is started and stopped by the same keys", async () => {
  const { visitor, page, write } = await keyboard();
  await write(endless);
  await page.getByRole("button", { name: /^Run · about/ }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("button", { name: "Stop the run" }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await stoppedNote(page).waitFor();
  await visitor.done();
});

test("keyboard: the program is shared, and the focus comes back", async () => {
  const { visitor, page } = await keyboard();
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await reach(page, "Share");
  await page.keyboard.press("Enter");
  await page.getByText("Link copied").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".share").waitFor({ state: "detached" });
  await eventually(() => focused(page), /Share/);
  await visitor.done();
});

test("keyboard: tabs are switched by arrows", async () => {
  const { visitor, page } = await keyboard();
  await reach(page, "Result");
  await page.keyboard.press("ArrowRight");
  await page.locator(".torch pre").waitFor();
  await eventually(() => page.locator(".torch .is-lit").count(), 0, "nothing was pointed at");
  await page.keyboard.press("ArrowLeft");
  await page.locator('figure[data-value="result"]').waitFor();
  await visitor.done();
});

test("keyboard: a size is changed", async () => {
  const { visitor, page } = await keyboard();
  await reach(page, "Size of n");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("2");
  await expectCells(page, "scale", "w", ["0.0", "1.0"]);
  await visitor.done();
});

test("keyboard: an example and a recent text are opened by arrows, and the focus goes to the text", async () => {
  const { visitor, page, write } = await keyboard();
  await write("fn mine(x: [n]) -> [n] = x\n");
  await expectClean(page);
  await reach(page, "Examples");
  await page.keyboard.press("ArrowDown");
  await page.locator(".menu-item:focus").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".menu-list").waitFor({ state: "detached" });
  await eventually(() => focused(page), "Strand program");
  await eventually(
    () => textOf(page),
    (text) => !text.includes("mine"),
    "the example",
  );
  await reach(page, "Recent");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await eventually(() => focused(page), /Recent/);
  await page.keyboard.press("ArrowDown");
  await page.locator(".menu-item:focus").waitFor();
  await page.keyboard.press("Enter");
  await eventually(() => textOf(page), /mine/, "the recent text");
  await visitor.done();
});

test("touch: the error is found, its fix is looked at and applied", async () => {
  const { visitor, page, write } = await touch();
  await write(broken);
  await page.locator(".strip-problem").tap();
  await page.locator(".drawn .drawing").waitFor();
  await page.locator(".drawn .fix-look").first().tap();
  await page.locator(".drawn .fix-preview ins").first().waitFor();
  await page.locator(".drawn .fix-apply").first().tap();
  await expectClean(page);
  await eventually(() => textOf(page), /map\(/);
  await visitor.done();
});

test("touch: a value follows an edit", async () => {
  const { visitor, page, part, write } = await touch();
  await write("fn f(x: [n]) -> [n] = x + x\n");
  await part("Result");
  await expectCells(page, "f", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await part("Code");
  await write("fn f(x: [n]) -> [n] = x + x + x\n");
  await part("Result");
  await expectCells(page, "f", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  await visitor.done();
});

test("touch: a run is started and stopped", async () => {
  const { visitor, page, part, write } = await touch();
  await write(endless);
  await part("Result");
  await page.getByRole("button", { name: /^Run · about/ }).tap();
  await page.getByRole("button", { name: "Stop the run" }).tap();
  await stoppedNote(page).waitFor();
  await visitor.done();
});

test("touch: the program is shared from the tab it is looked at in, and opens there", async () => {
  const { visitor, page, part } = await touch();
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await part("PyTorch");
  await page.locator(".phone-bar").getByRole("button", { name: "Share" }).tap();
  const link = await page.getByRole("textbox", { name: "The link" }).inputValue();
  await page.goto("about:blank");
  await page.goto(link);
  const tab = page.locator(".phone-bar").getByRole("tab", { name: "PyTorch", selected: true });
  await tab.waitFor();
  await page.locator(".torch pre").waitFor();
  await page.locator(".notice").getByRole("button", { name: "Run" }).tap();
  await page.locator(".notice").getByRole("button", { name: "Close" }).tap();
  await page.locator(".notice").waitFor({ state: "detached" });
  await visitor.done();
});

test("touch: the parts of the page are switched, and Copy covers no text", async () => {
  const { visitor, page, part } = await touch();
  await part("PyTorch");
  const copy = page.getByRole("button", { name: "Copy the PyTorch text" });
  await eventually(
    async () => [await copy.boundingBox(), await page.locator(".torch pre").boundingBox()],
    ([button, text]) => button.y + button.height <= text.y,
    "Copy stands above the text",
  );
  await part("Result");
  await page.locator('figure[data-value="result"]').waitFor();
  await part("Code");
  await page.locator(".cm-content").waitFor();
  await visitor.done();
});

test("touch: a size is changed", async () => {
  const { visitor, page, part } = await touch();
  await part("Result");
  await page.getByRole("spinbutton", { name: "Size of n" }).tap();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("2");
  await expectCells(page, "scale", "w", ["0.0", "1.0"]);
  await visitor.done();
});

test("touch: an example and a recent text are opened", async () => {
  const { visitor, page, write } = await touch();
  await write("fn mine(x: [n]) -> [n] = x\n");
  await expectClean(page);
  await page.getByRole("button", { name: "Examples" }).tap();
  await page.locator(".menu-item").nth(1).tap();
  await eventually(
    () => textOf(page),
    (text) => !text.includes("mine"),
    "the example",
  );
  await page.getByRole("button", { name: "Recent" }).tap();
  await page.locator(".menu-item").first().tap();
  await eventually(() => textOf(page), /mine/);
  await visitor.done();
});
