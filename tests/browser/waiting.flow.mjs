/** The first paint and the first live value: how long a visitor waits for them, with much and with little. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./harness.mjs";
import { median, modelled, waitFor } from "./waiting.mjs";

const flow = setUp({ below: true });

/** A slow phone's line and processor, beside the one that runs this. */
const PHONE = { bits: 1.6e6, latency: 150, slower: 4 };

const said = (times) => `${Math.round(times)} ms`;

test("at 1.6 Mbit/s and a quarter of this processor the picture is there in 2 s, live values in 6 s", async (t) => {
  const visitor = await flow.person();
  const page = await visitor.profile.newPage();
  const { painted, live } = await waitFor(page, () => page.goto(flow.url));
  for (const [what, taken, limit] of [
    ["painted", painted, 2000],
    ["live", live, 6000],
  ]) {
    const wait = modelled(taken, PHONE);
    const { bytes, roundTrips, computed, wall } = taken;
    t.diagnostic(
      `${what} after ${said(wait)}: ${Math.round(bytes / 1024)} KB, ${roundTrips} round trips, ` +
        `${said(computed)} computed; ${said(wall)} by the clock here`,
    );
    assert.ok(wait <= limit, `${what} after ${said(wait)}`);
  }
  await visitor.done();
});

test("with an empty cache the first value computes for less than 1 s, with a warm one for less than 300 ms", async (t) => {
  const cold = [];
  const warm = [];
  for (let turn = 0; turn < 9; turn++) {
    const visitor = await flow.person();
    const page = await visitor.profile.newPage();
    cold.push((await waitFor(page, () => page.goto(flow.url))).live);
    warm.push((await waitFor(page, () => page.reload())).live);
    await visitor.done();
  }
  for (const [what, taken, limit] of [
    ["empty", cold, 1000],
    ["warm", warm, 300],
  ]) {
    const computed = median(taken.map(({ computed }) => computed));
    const wall = median(taken.map(({ wall }) => wall));
    t.diagnostic(`${what} cache: ${said(computed)} computed, ${said(wall)} by the clock here, medians of 9`);
    assert.ok(computed <= limit, `${what} cache: ${said(computed)}`);
  }
});
