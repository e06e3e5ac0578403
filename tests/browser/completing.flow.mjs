/** Completion by shape: what the value accepts, with the type that each gives, chosen by keyboard and by tap. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  accessibilityFaults,
  eventually,
  expectClean,
  placeOf,
  pointAt,
  setText,
  setUp,
  textOf,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const head = "dim D = 4\n\nfn total(x: [n D]) -> [n] =\n    ";

async function opened(options = {}) {
  const visitor = await flow.person(options);
  const page = await visitor.open(flow.url);
  await expectClean(page);
  return { visitor, page };
}

async function done(visitor) {
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
}

/** The list as it is shown: each label with its type. */
function offered(page) {
  return page
    .locator(".cm-tooltip-autocomplete li")
    .evaluateAll((items) =>
      items.map((item) => [...item.children].map((child) => child.textContent).join(" : ")),
    );
}

function expectOffer(page, wanted) {
  return eventually(
    () => offered(page),
    (items) => items.some((item) => item === wanted),
    `${wanted} should be offered`,
  );
}

test("after a pipe stand the stages that fit, with their types, and a key chooses one", async () => {
  const { visitor, page } = await opened();
  await setText(page, head);
  await page.keyboard.type("x |> ");
  const items = await expectOffer(page, "sum(over=D) : [n]");
  assert.ok(items.indexOf("sum(over=D) : [n]") < 5, items.slice(0, 5).join(", "));
  // Nothing is chosen before a key chooses it.
  assert.equal(await page.locator(".cm-tooltip-autocomplete li[aria-selected]").count(), 0);
  await page.keyboard.type("me");
  await expectOffer(page, "mean(over=D) : [n]");
  // What changes while axe looks at it makes axe fail.
  await eventually(
    () => verdictOf(page),
    (verdict) => verdict.includes("error"),
    "the half-written stage should be an error by now",
  );
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await textOf(page), `${head}x |> mean(over=D)`);
  await expectClean(page);
  // The axis is what a reader may change: it is selected.
  await page.keyboard.type("-1");
  assert.equal(await textOf(page), `${head}x |> mean(over=-1)`);
  await done(visitor);
});

test("the list is the text's own: keys reach all of it, and a reader is told which one is chosen", async () => {
  const { visitor, page } = await opened();
  await setText(page, head);
  const content = page.locator(".cm-content");
  assert.equal(await content.getAttribute("role"), "textbox");
  assert.equal(await content.getAttribute("aria-haspopup"), null);
  await page.keyboard.type("x |> ");
  await expectOffer(page, "sum(over=D) : [n]");
  const list = page.getByRole("listbox");
  assert.equal(await content.getAttribute("aria-autocomplete"), "list");
  assert.equal(await content.getAttribute("aria-haspopup"), "listbox");
  assert.equal(await content.getAttribute("aria-controls"), await list.getAttribute("id"));
  assert.ok(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight));
  assert.deepEqual(await accessibilityFaults(page), []);
  const first = await list.getByRole("option").count();
  const seen = new Set();
  const last = (await list.getByRole("option").last().getAttribute("id")) ?? "";
  for (let index = 0; index < 2 * first; index++) {
    await page.keyboard.press("ArrowDown");
    const option = list.getByRole("option", { selected: true });
    const id = await option.getAttribute("id");
    assert.equal(await content.getAttribute("aria-activedescendant"), id);
    const inside = await option.evaluate((item) => {
      const box = item.getBoundingClientRect();
      const around = item.parentElement.getBoundingClientRect();
      return box.top >= around.top - 1 && box.bottom <= around.bottom + 1;
    });
    assert.ok(inside, `${id} is in sight`);
    seen.add(id);
  }
  assert.ok(seen.size > first && seen.has(last), "the keys turn the pages");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  assert.equal(await content.getAttribute("aria-controls"), null);
  await done(visitor);
});

test("after over= stand exactly the value's axes that fit", async () => {
  const { visitor, page } = await opened();
  await setText(page, head.replace("-> [n]", "-> [n D]"));
  await page.keyboard.type("x |> softmax(over=");
  await eventually(
    () => offered(page),
    (items) => items.join(", ") === "n : [n D] Prob, D : [n D] Prob",
    "n and D should be offered",
  );
  await page.keyboard.press("Tab");
  assert.equal((await textOf(page)).trimEnd().endsWith("x |> softmax(over=n"), true);
  await done(visitor);
});

test("Escape closes the list, Enter is a new line after a whole name, Ctrl-Space opens it", async () => {
  const { visitor, page } = await opened();
  await setText(page, head);
  await page.keyboard.type("x |> sum");
  await expectOffer(page, "sum(over=D) : [n]");
  await page.keyboard.press("Escape");
  await page.locator(".cm-tooltip-autocomplete").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Space");
  await expectOffer(page, "sum(over=D) : [n]");
  await page.keyboard.press("Enter");
  assert.ok((await textOf(page)).includes("x |> sum\n"));
  await done(visitor);
});

test("a model's fields stand after its point", async () => {
  const { visitor, page } = await opened();
  const model =
    "dim D = 3\nmodel Encoder:\n    weight: [D] = normal(0.5)\n    fn forward(self, x: [n D]) -> [n] =\n        x @ self";
  await setText(page, model);
  await page.keyboard.type(".");
  await expectOffer(page, "weight : [D]");
  await done(visitor);
});

test("on a phone a tap chooses, and the rows are big enough for it", async () => {
  const { visitor, page } = await opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await setText(page, head);
  await page.keyboard.type("x |> ");
  await expectOffer(page, "sum(over=D) : [n]");
  const row = page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "sum(over=D)" }).first();
  const box = await row.boundingBox();
  assert.ok(box.height >= 44, `${box.height}`);
  assert.ok(box.x >= 0 && box.x + box.width <= viewports.phone.width, JSON.stringify(box));
  await row.tap();
  await eventually(
    () => textOf(page),
    (text) => text === `${head}x |> sum(over=D)`,
    "the stage should be written",
  );
  await done(visitor);
});

const layer = `dim C = 3
dim D = 4
fn layer(x: [n D], w: [D C]) -> [n C] Prob =
    x @ w
        |> softmax(over=C)
`;

test("a function under the pointer says its cost, and a built-in what it does", async () => {
  const { visitor, page } = await opened();
  await setText(page, layer);
  await expectClean(page);
  await pointAt(page, "fn layer", "layer");
  const tip = page.locator(".strand-tip");
  await tip.getByText("multiply-adds, peak").waitFor();
  assert.ok((await tip.innerText()).includes("fn layer(x: [n D], w: [D C]) -> [n C] Prob"));
  await page.mouse.move(900, 600);
  await tip.waitFor({ state: "detached" });
  await pointAt(page, "softmax(over", "softmax");
  await tip.getByText("In PyTorch: torch.softmax").waitFor();
  await done(visitor);
});

test("a tap on a name says the same, and the next tap takes it away", async () => {
  const { visitor, page } = await opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await setText(page, layer);
  await expectClean(page);
  const { x, y } = await placeOf(page, "softmax(over", "softmax");
  await page.touchscreen.tap(x, y);
  const tip = page.locator(".strand-tip");
  await tip.getByText("In PyTorch: torch.softmax").waitFor();
  const box = await tip.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= viewports.phone.width, JSON.stringify(box));
  const empty = await placeOf(page, "dim C", "3");
  await page.touchscreen.tap(empty.x + 120, empty.y);
  await tip.waitFor({ state: "detached" });
  await done(visitor);
});

test("Enter finishes a name that is none yet, leaves what is right, and else is a new line", async () => {
  const { visitor, page } = await opened();
  await setText(page, head);
  await page.keyboard.type("mea");
  await eventually(
    () => offered(page),
    (items) => items[0]?.startsWith("mean(") ?? false,
    "mean should come first",
  );
  await page.keyboard.press("Enter");
  assert.match(await textOf(page), /mean\(x, over=D\)$/);
  await page.keyboard.press("Enter");
  assert.match(await textOf(page), /mean\(x, over=D\)$/, "the fields are left, nothing is replaced");
  await expectClean(page);
  await page.keyboard.press("Enter");
  assert.match(await textOf(page), /mean\(x, over=D\)\n\s*$/);
  await done(visitor);
});
