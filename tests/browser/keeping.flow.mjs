/** Nothing that a person wrote is lost: not by reloads, examples, links, other tabs or a storage that refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, expectClean, setText, setUp, textOf } from "./harness.mjs";

const flow = setUp();

const first = "fn first(x: [n]) -> [n] = x + 1.0\n";
const second = "fn second(x: [n]) -> [n] = x + 2.0\n";

async function kept(page, text) {
  await eventually(
    () => page.evaluate(() => JSON.stringify(localStorage)),
    (stored) => stored.includes(JSON.stringify(JSON.stringify(text)).slice(4, 20)),
    "the text is stored",
  );
  await page.waitForTimeout(300);
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
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await page.reload();
  await page.locator(".cm-content").waitFor();
  assert.equal(await textOf(page), first);
  await expectClean(page);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a closed tab's text comes back in a new one", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await kept(page, first);
  await page.close();
  const again = await visitor.open(flow.url);
  assert.equal(await textOf(again), first);
  await visitor.leave();
});

test("an example over edits keeps them two clicks away", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  assert.notEqual(await textOf(page), first);
  await page.getByRole("button", { name: "Recent" }).click();
  await page.locator(".menu-item", { hasText: "first" }).click();
  assert.equal(await textOf(page), first);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a text that is left and opened again is still one text", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await kept(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await page.getByRole("button", { name: "Recent" }).click();
  await page.locator(".menu-item", { hasText: "first" }).click();
  await setText(page, `${first}# more\n`);
  await kept(page, `${first}# more\n`);
  const drafts = await page.evaluate(
    () => Object.keys(localStorage).filter((key) => key.includes("draft:")).length,
  );
  assert.equal(drafts, 1);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("undo brings back what an example replaced", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await textOf(page), first);
  await visitor.leave();
});

test("two tabs never write over each other", async () => {
  const visitor = await flow.person();
  const one = await visitor.open(flow.url);
  await setText(one, first);
  await kept(one, first);
  const two = await visitor.open(flow.url);
  assert.equal(await textOf(two), first);
  await setText(two, second);
  await kept(two, second);
  await setText(one, `${first}# more\n`);
  await one.waitForTimeout(400);
  await one.reload();
  await two.reload();
  await one.locator(".cm-content").waitFor();
  await two.locator(".cm-content").waitFor();
  assert.equal(await textOf(one), `${first}# more\n`);
  assert.equal(await textOf(two), second);
  assert.deepEqual((await recentTitles(two)).sort(), ["first", "second"]);
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a duplicated tab, which has the session of the other, gets a place of its own", async () => {
  const visitor = await flow.person();
  const one = await visitor.open(flow.url);
  await setText(one, first);
  await kept(one, first);
  const session = await one.evaluate(() => JSON.stringify(sessionStorage));
  const two = await visitor.profile.newPage();
  await two.addInitScript((stored) => {
    if (sessionStorage.length > 0) return;
    for (const [key, value] of Object.entries(JSON.parse(stored))) sessionStorage.setItem(key, value);
  }, session);
  await two.goto(flow.url);
  await two.locator(".cm-content").waitFor();
  assert.equal(await textOf(two), first);
  await setText(two, second);
  await two.waitForTimeout(400);
  await one.reload();
  await one.locator(".cm-content").waitFor();
  assert.equal(await textOf(one), first);
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
  assert.equal((await download).suggestedFilename(), "program.strand");
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("a storage that is full is said, and what was there stays", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await kept(page, first);
  await fillStorage(page);
  await setText(page, second.repeat(50));
  await page.getByText("The browser's storage is full").waitFor();
  assert.ok((await page.evaluate(() => JSON.stringify(localStorage))).includes("fn first"));
  await emptyStorage(page);
  await setText(page, second);
  await page.getByText("The browser's storage is full").waitFor({ state: "detached" });
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("what a full storage refused is kept under its own name once there is room", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await setText(page, first);
  await kept(page, first);
  await fillStorage(page);
  const long = `# long\n${second.repeat(50)}`;
  await setText(page, long);
  await page.getByText("The browser's storage is full").waitFor();
  await page.getByRole("button", { name: "Examples" }).click();
  await page.locator(".menu-item").nth(1).click();
  await emptyStorage(page);
  const third = "fn third(x: [n]) -> [n] = x\n";
  await setText(page, third);
  await kept(page, third);
  const texts = await page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.includes("draft:"))
      .map(([, value]) => JSON.parse(value).text),
  );
  assert.deepEqual(texts.sort(), [long, third].sort());
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});

test("the twentieth text is kept, the oldest beyond them is not", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  for (let index = 0; index < 22; index++) {
    await page.getByRole("button", { name: "Examples" }).click();
    await page
      .locator(".menu-item")
      .nth(index % 2)
      .click();
    await setText(page, `fn text_${index}(x: [n]) -> [n] = x\n`);
  }
  const titles = await recentTitles(page);
  assert.equal(titles.length, 20);
  assert.equal(titles[0], "text_21");
  assert.equal(titles[19], "text_2");
  await visitor.leave();
});
