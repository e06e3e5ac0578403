/** How fast the page is: no task of its main thread computes for long, whatever somebody types, runs or looks at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { eventually, expectClean, quiet, setText, settled, setUp, verdictOf } from "./harness.mjs";
import { keepsThePromise, longestTask } from "./tasks.mjs";

const flow = setUp();

async function judge(t, page, act) {
  const milliseconds = await longestTask(t, page, act);
  assert.ok(keepsThePromise(milliseconds), `a task computed for ${milliseconds.toFixed(1)} ms`);
}

async function run(page) {
  await expectClean(page);
  await page.getByRole("button", { name: /^Run/ }).click();
}

test("typing 200 characters into 300 lines doesn't freeze the page", async (t) => {
  const { visitor, page } = await flow.opened();
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
      await pause(100);
    }
    await expectClean(page);
  });
  // What makes it so: of 75 cards those are drawn that are near, and a far one is once somebody comes to it.
  await eventually(
    () => page.locator(".card.is-far").count(),
    (count) => count > 40,
    "far cards aren't drawn",
  );
  const last = page.locator(".items > *").last();
  await last.scrollIntoViewIfNeeded();
  await page.locator('article[aria-label="f74"] .cell').first().waitFor();
  await visitor.done();
});

test("errors on every fourth of 300 lines, and mended again, don't freeze the page", async (t) => {
  const { visitor, page } = await flow.opened();
  const functions = Array.from(
    { length: 75 },
    (_, index) => `fn f${index}(x: [n], w: [m]) -> [n] =\n    x * w\n\n# ${index}`,
  );
  await setText(page, `${functions.join("\n")}\n`);
  await eventually(() => verdictOf(page), /75 errors/);
  await page.keyboard.press("ControlOrMeta+End");
  await judge(t, page, async () => {
    for (let index = 0; index < 20; index++) {
      await page.keyboard.type("#");
      await pause(200);
    }
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.insertText("dim n = m\n");
    await settled(page);
    await quiet(page);
  });
  await visitor.done();
});

test("a run doesn't freeze the page", async (t) => {
  const { visitor, page } = await flow.opened();
  await judge(t, page, async () => {
    await setText(page, "dim M = 700\nfn f(a: [M M]) -> [M M] = a @ a @ a @ a\n");
    await run(page);
    await page.locator('article[aria-label="f"] figure[data-value="result"] .cell').first().waitFor();
  });
  await visitor.done();
});

test("a run that prints and shows a thousand times doesn't freeze the page", async (t) => {
  const { visitor, page } = await flow.opened();
  await judge(t, page, async () => {
    await setText(page, "for i in 0..1000:\n    print(i)\n    show(arange(5) + i)\n");
    await run(page);
    // Looking for the last line among so many would itself be a long task.
    await settled(page);
    await quiet(page);
  });
  await page.locator(".output", { hasText: "999" }).waitFor();
  // The engine keeps so many of the values that a loop shows.
  await eventually(() => page.locator(".items > *").count(), 200);
  await visitor.done();
});

test("a value of a million elements doesn't freeze the page", async (t) => {
  const { visitor, page } = await flow.opened();
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
    await quiet(page);
  });
  await visitor.done();
});
