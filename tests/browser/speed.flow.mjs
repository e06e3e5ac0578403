/** How fast the page is: no task of its main thread computes for long, whatever somebody types, runs or looks at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expectClean, setText, setUp } from "./harness.mjs";
import { keepsThePromise, longestTask } from "./tasks.mjs";

const flow = setUp();

async function opened() {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await expectClean(page);
  return { visitor, page };
}

async function judge(t, page, act) {
  const milliseconds = await longestTask(t, page, act);
  assert.ok(keepsThePromise(milliseconds), `a task computed for ${milliseconds.toFixed(1)} ms`);
}

async function done(visitor) {
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
}

async function run(page) {
  await expectClean(page);
  await page.getByRole("button", { name: /^Run/ }).click();
}

test("typing 200 characters into 300 lines doesn't freeze the page", async (t) => {
  const { visitor, page } = await opened();
  const functions = Array.from(
    { length: 75 },
    (_, index) => `fn f${index}(x: [n]) -> [n] =\n    x |> map(v => v * 2.0)\n\n# ${index}`,
  );
  await setText(page, `${functions.join("\n")}\n`);
  await expectClean(page);
  await page.locator(".card.is-far").first().waitFor();
  await page.keyboard.press("ControlOrMeta+End");
  await judge(t, page, async () => {
    for (let index = 0; index < 200; index++) {
      await page.keyboard.type(index % 10 === 9 ? "\n" : "#");
      await page.waitForTimeout(100);
    }
    await expectClean(page);
  });
  // What makes it so: of 75 cards those are drawn that are near, and a far one is once somebody comes to it.
  assert.ok((await page.locator(".card.is-far").count()) > 40);
  const last = page.locator(".items > *").last();
  await last.scrollIntoViewIfNeeded();
  await page.locator('article[aria-label="f74"] .cell').first().waitFor();
  await done(visitor);
});

test("errors on every fourth of 300 lines, and mended again, don't freeze the page", async (t) => {
  const { visitor, page } = await opened();
  const functions = Array.from(
    { length: 75 },
    (_, index) => `fn f${index}(x: [n], w: [m]) -> [n] =\n    x * w\n\n# ${index}`,
  );
  await setText(page, `${functions.join("\n")}\n`);
  await page.locator(".verdict.is-error").waitFor();
  await page.keyboard.press("ControlOrMeta+End");
  await judge(t, page, async () => {
    for (let index = 0; index < 20; index++) {
      await page.keyboard.type("#");
      await page.waitForTimeout(200);
    }
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.insertText("dim n = m\n");
    await page.waitForTimeout(1000);
  });
  await done(visitor);
});

test("a run doesn't freeze the page", async (t) => {
  const { visitor, page } = await opened();
  await judge(t, page, async () => {
    await setText(page, "dim M = 700\nfn f(a: [M M]) -> [M M] = a @ a @ a @ a\n");
    await run(page);
    await page.locator('article[aria-label="f"] figure[data-value="result"] .cell').first().waitFor();
  });
  await done(visitor);
});

test("a run that prints and shows a thousand times doesn't freeze the page", async (t) => {
  const { visitor, page } = await opened();
  await judge(t, page, async () => {
    await setText(page, "for i in 0..1000:\n    print(i)\n    show(arange(5) + i)\n");
    await run(page);
    // Looking for the last line among so many would itself be a long task.
    await page.waitForTimeout(3000);
  });
  await page.locator(".output", { hasText: "999" }).waitFor();
  // The engine keeps so many of the values that a loop shows.
  assert.equal(await page.locator(".items > *").count(), 200);
  await done(visitor);
});

test("a value of a million elements doesn't freeze the page", async (t) => {
  const { visitor, page } = await opened();
  await judge(t, page, async () => {
    await setText(page, "zeros([1000 1000])\narange(1000000)\n");
    await run(page);
    await page.locator(".grid .gap").first().waitFor();
  });
  await judge(t, page, async () => {
    await setText(
      page,
      'a = zeros([1000 1000])\nshow(a, view="heat")\nshow(a, view="image")\nshow(arange(1000000) to f32, view="line")\n',
    );
    await run(page);
    await page.locator(".picture").nth(2).waitFor();
    await page.waitForTimeout(500);
  });
  await done(visitor);
});
