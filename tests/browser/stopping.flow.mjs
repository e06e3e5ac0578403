/** Stop ends any run at once, and leaves everything else as it was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, expectCells, expectClean, expectText, setText, setUp, textOf } from "./harness.mjs";
import { computedBetween } from "./tasks.mjs";

const flow = setUp();

const small = "fn twice(x: [n]) -> [n] = x + x\n";
const endless = `${small}
acc = 0.0
for i in 0..10000:
    for j in 0..10000:
        for k in 0..10000:
            acc = acc + 1.0
print(acc)
`;

const product = `${small}
dim N = 4096

a = ones([N N])
b = a @ a
print(sum(b))
`;

/** Presses Stop: its worker is ended and the run has ended before the page's next task, whatever the run is at. */
async function stopsAtOnce(t, page) {
  const stop = page.getByRole("button", { name: "Stop the run" });
  const at = {};
  const computed = await computedBetween(
    page,
    async () => {
      Object.assign(at, await stop.evaluate(pressed));
      await eventually(() => page.locator(".timing").innerText(), "Stopped");
    },
    "strand:stop-requested",
    "strand:stopped",
  );
  t.diagnostic(`${computed.toFixed(1)} ms computing`);
  assert.deepEqual(at, { asked: 1, ended: 1, stopped: 1 });
  assert.ok(computed < 500, `${computed} ms`);
}

/**
 * Runs in the page: presses Stop and looks in the very next task, before which no timer, worker or fetch can have been
 * waited for. A busy machine makes that task later, and changes nothing of what it finds.
 */
async function pressed(stop) {
  let ended = 0;
  const { terminate } = Worker.prototype;
  Worker.prototype.terminate = function () {
    ended++;
    terminate.call(this);
  };
  const { port1, port2 } = new MessageChannel();
  const next = new Promise((resolve) => (port1.onmessage = resolve));
  performance.clearMarks();
  port2.postMessage(null);
  stop.click();
  await next;
  Worker.prototype.terminate = terminate;
  const count = (mark) => performance.getEntriesByName(mark).length;
  return { asked: count("strand:stop-requested"), ended, stopped: count("strand:stopped") };
}

test("three nested loops of 10,000 are stopped within half a second, and the next run works", async (t) => {
  const { visitor, page } = await flow.opened();
  await setText(page, small);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, endless);
  await expectClean(page);
  // Dear: it waits to be asked, and the old values say that they are old.
  await page
    .getByText(/from before line/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: /^Run · about/ }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  const stop = page.getByRole("button", { name: "Stop the run" });
  await stop.waitFor();
  // The text stays editable and is checked meanwhile.
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# still here");
  const text = await textOf(page);
  assert.equal(text, `${endless}# still here`);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await stopsAtOnce(t, page);
  await expectText(page, text);
  // The last values are still there.
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, small.replace("x + x", "x + x + x"));
  await expectCells(page, "twice", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  assert.deepEqual(
    requests.filter((url) => url.endsWith(".wasm")),
    [],
    "neither Stop nor the next run fetches the engine again",
  );
  await visitor.done();
});

test("a product of 4096 x 4096 is stopped within half a second, also while a value is being downloaded", async (t) => {
  const { visitor, page } = await flow.opened();
  await setText(page, small);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, product);
  await expectClean(page);
  await page.getByRole("button", { name: /^Run · about/ }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("button", { name: "Stop the run" }).waitFor();
  await page
    .locator('article[aria-label="twice"] figure[data-value="result"]')
    .getByRole("button", { name: /^Download \.npy/ })
    .click();
  await stopsAtOnce(t, page);
  await expectText(page, product);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, small.replace("x + x", "x + x + x"));
  await expectCells(page, "twice", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  await visitor.done();
});
