/** What is remembered of texts that the engine failed on. */
import assert from "node:assert/strict";
import { test } from "node:test";

const kept = new Map<string, string>();
Object.assign(globalThis, {
  window: {
    location: { search: "" },
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
  },
});
const { forgetCrashes, isPaused, recordCrash } = await import("../src/store/crash-guard.ts");
const { keepNothing } = await import("../src/store/storage.ts");

function twoTextsInTurn(): void {
  forgetCrashes();
  for (const text of ["one", "two", "one"]) recordCrash(text);
  assert.ok(isPaused("one") && !isPaused("two"));
  recordCrash("two");
  assert.ok(isPaused("one") && isPaused("two") && !isPaused("three"));
  forgetCrashes();
  assert.ok(!isPaused("one"));
}

test("texts that crash the engine in turn are both tried no more than twice", () => {
  twoTextsInTurn();
  recordCrash("one");
  assert.equal(kept.size, 1);
});

test("so are they where the browser keeps nothing", () => {
  keepNothing();
  kept.clear();
  twoTextsInTurn();
  assert.equal(kept.size, 0);
});

test("the texts that crashed last are remembered", () => {
  forgetCrashes();
  for (const text of ["old", "old"]) recordCrash(text);
  for (let other = 0; other < 19; other++) recordCrash(`other ${other}`);
  assert.ok(isPaused("old"));
  recordCrash("one more");
  assert.ok(!isPaused("old"));
});
