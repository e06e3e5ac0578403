/** Nothing that a person wrote is lost: not by reloads, examples, links, other tabs or a storage that refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, expectClean, expectText, keptTexts, setText, setUp, textOf } from "./harness.mjs";

const flow = setUp();

const first = "fn first(x: [n]) -> [n] = x + 1.0\n";
const second = "fn second(x: [n]) -> [n] = x + 2.0\n";

/** Waits until these are the texts that are kept. */
function expectKept(page, ...texts) {
  return eventually(() => keptTexts(page), texts.sort(), "the texts that are kept");
}

/** Leaves no room in the storage. */
async function fillStorage(page) {
  await page.evaluate(() => {
    let piece = "x".repeat(1 << 20);
    while (piece.length > 0) {
      try {
        localStorage.setItem(`filler ${Math.random()}`, piece);
      } catch {
        piece = piece.slice(0, piece.length >> 1);
      }
    }
  });
}

async function emptyStorage(page) {
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith("filler")) localStorage.removeItem(key);
  });
}

async function recentTitles(page) {
  await page.getByRole("button", { name: "Recent" }).click();
  const titles = await page.locator(".menu-title").allInnerTexts();
  await page.keyboard.press("Escape");
  return titles;
}

test("a reload keeps the text, also right after the last key", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await page.reload();
  await page.locator(".cm-content").waitFor();
  await expectText(page, first);
  await expectClean(page);
  await visitor.done();
});

test("a closed tab's text comes back in a new one", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await expectKept(page, first);
  await page.close();
  const again = await visitor.open(flow.url);
  await expectText(again, first);
  await visitor.leave();
});

test("an example over edits keeps them two clicks away", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await eventually(
    () => textOf(page),
    (text) => text !== first,
    "the example",
  );
  await page.getByRole("button", { name: "Recent" }).click();
  await page.locator(".menu-item", { hasText: "first" }).click();
  await expectText(page, first);
  await visitor.done();
});

test("a text that is left and opened again is still one text", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await expectKept(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await page.getByRole("button", { name: "Recent" }).click();
  await page.locator(".menu-item", { hasText: "first" }).click();
  await setText(page, `${first}# more\n`);
  await expectKept(page, `${first}# more\n`);
  await visitor.done();
});

test("undo brings back what an example replaced", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+z");
  await expectText(page, first);
  await visitor.leave();
});

test("two tabs never write over each other", async () => {
  const { visitor, page: one } = await flow.opened();
  await setText(one, first);
  await expectKept(one, first);
  const two = await visitor.open(flow.url);
  await expectText(two, first);
  await setText(two, second);
  await expectKept(two, first, second);
  await setText(one, `${first}# more\n`);
  await expectKept(one, `${first}# more\n`, second);
  await one.reload();
  await two.reload();
  await one.locator(".cm-content").waitFor();
  await two.locator(".cm-content").waitFor();
  await expectText(one, `${first}# more\n`);
  await expectText(two, second);
  await eventually(
    () => recentTitles(two),
    (titles) => titles.toSorted().join() === "first,second",
    "both are among the recent texts",
  );
  await visitor.done();
});

test("a duplicated tab, which has the session of the other, gets a place of its own", async () => {
  const { visitor, page: one } = await flow.opened();
  await setText(one, first);
  await expectKept(one, first);
  const session = await one.evaluate(() => JSON.stringify(sessionStorage));
  const two = await visitor.profile.newPage();
  await two.addInitScript((stored) => {
    if (sessionStorage.length > 0) return;
    for (const [key, value] of Object.entries(JSON.parse(stored))) sessionStorage.setItem(key, value);
  }, session);
  await two.goto(flow.url);
  await two.locator(".cm-content").waitFor();
  await expectText(two, first);
  await setText(two, second);
  await expectKept(two, first, second);
  await one.reload();
  await one.locator(".cm-content").waitFor();
  await expectText(one, first);
  await visitor.leave();
});

test("a storage that is denied is said at once, and the page works", async () => {
  const visitor = await flow.person({
    initScript: () => {
      const denied = {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      };
      Object.defineProperty(window, "localStorage", denied);
      Object.defineProperty(window, "sessionStorage", denied);
    },
  });
  const page = await visitor.open(flow.url);
  await page.getByText("This browser keeps nothing for this page").waitFor();
  await setText(page, first);
  await expectClean(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download .strand" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "program.strand");
  await visitor.done();
});

test("a storage that is full is said, and what was there stays", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await expectKept(page, first);
  await fillStorage(page);
  await setText(page, second.repeat(50));
  await page.getByText("The browser's storage is full").waitFor();
  await expectKept(page, first);
  await emptyStorage(page);
  await setText(page, second);
  await page.getByText("The browser's storage is full").waitFor({ state: "detached" });
  await visitor.done();
});

test("what a full storage refused is kept under its own name once there is room", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, first);
  await expectKept(page, first);
  await fillStorage(page);
  const long = `# long\n${second.repeat(50)}`;
  await setText(page, long);
  await page.getByText("The browser's storage is full").waitFor();
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await emptyStorage(page);
  const third = "fn third(x: [n]) -> [n] = x\n";
  await setText(page, third);
  await expectKept(page, long, third);
  await visitor.done();
});

test("the twentieth text is kept, the oldest beyond them is not", async () => {
  const { visitor, page } = await flow.opened();
  for (let index = 0; index < 22; index++) {
    await page.getByRole("button", { name: "Examples" }).click();
    await page
      .locator(".menu-item")
      .nth(index % 2)
      .click();
    await setText(page, `fn text_${index}(x: [n]) -> [n] = x\n`);
  }
  const last = Array.from({ length: 20 }, (_, index) => `text_${21 - index}`);
  await eventually(() => recentTitles(page), last, "the recent texts");
  await visitor.leave();
});
