/** Completion by shape: what the value accepts, with the type that each gives, chosen by keyboard and by tap. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectAccessible,
  expectClean,
  expectText,
  placeOf,
  pointAt,
  setText,
  setUp,
  textOf,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const head = "dim D = 4\n\nfn total(x: [n D]) -> [n] =\n    ";

const isOnPhone = (box) => box !== null && box.x >= 0 && box.x + box.width <= viewports.phone.width;

/** The list as it is shown: each label with its type. */
function offered(page) {
  return page
    .locator(".cm-tooltip-autocomplete li")
    .evaluateAll((items) =>
      items.map((item) => [...item.children].map((child) => child.textContent).join(" : ")),
    );
}

/** The chosen item's id, the one that a reader is told, and whether the item is in sight. */
function chosen(list) {
  return list.evaluate((all) => {
    const told = all.getRootNode().querySelector(".cm-content").getAttribute("aria-activedescendant");
    const item = all.querySelector("[aria-selected=true]");
    if (item === null) return { id: null, told, inSight: false };
    const box = item.getBoundingClientRect();
    const around = all.getBoundingClientRect();
    return { id: item.id, told, inSight: box.top >= around.top - 1 && box.bottom <= around.bottom + 1 };
  });
}

function expectOffer(page, wanted) {
  return eventually(
    () => offered(page),
    (items) => items.includes(wanted),
    `${wanted} should be offered`,
  );
}

test("after a pipe stand the stages that fit, with their types, and a key chooses one", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, head);
  await page.keyboard.type("x |> ");
  const items = await expectOffer(page, "sum(over=D) : [n]");
  assert.ok(items.indexOf("sum(over=D) : [n]") < 5, items.slice(0, 5).join(", "));
  // Nothing is chosen before a key chooses it.
  await eventually(() => page.locator(".cm-tooltip-autocomplete li[aria-selected]").count(), 0);
  await page.keyboard.type("me");
  await eventually(
    () => offered(page),
    ([first]) => first === "mean(over=D) : [n]",
    "mean should come first",
  );
  // What changes while axe looks at it makes axe fail.
  await eventually(() => verdictOf(page), /error/, "the half-written stage should be an error by now");
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expectText(page, `${head}x |> mean(over=D)`);
  await expectClean(page);
  // The axis is what a reader may change: it is selected.
  await page.keyboard.type("-1");
  await expectText(page, `${head}x |> mean(over=-1)`);
  await visitor.done();
});

test("the list is the text's own: keys reach all of it, and a reader is told which one is chosen", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, head);
  const content = page.locator(".cm-content");
  await eventually(() => content.getAttribute("role"), "textbox");
  await eventually(() => content.getAttribute("aria-haspopup"), null);
  await page.keyboard.type("x |> ");
  await expectOffer(page, "sum(over=D) : [n]");
  const list = page.getByRole("listbox");
  await eventually(() => content.getAttribute("aria-autocomplete"), "list");
  await eventually(() => content.getAttribute("aria-haspopup"), "listbox");
  await eventually(() => content.getAttribute("aria-controls"), await list.getAttribute("id"));
  await eventually(
    () => list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
    (beyond) => beyond <= 0,
    "nothing of the list lies beyond its edge",
  );
  await expectAccessible(page);
  const first = await list.getByRole("option").count();
  const seen = new Set();
  const last = (await list.getByRole("option").last().getAttribute("id")) ?? "";
  let before = null;
  for (let index = 0; index < 2 * first; index++) {
    await page.keyboard.press("ArrowDown");
    ({ id: before } = await eventually(
      () => chosen(list),
      ({ id, told, inSight }) => id !== null && id !== before && told === id && inSight,
      `what follows ${before} should be chosen, told and in sight`,
    ));
    seen.add(before);
  }
  assert.ok(seen.size > first && seen.has(last), "the keys turn the pages");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await eventually(() => content.getAttribute("aria-controls"), null);
  await visitor.done();
});

test("after over= stand exactly the value's axes that fit", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, head.replace("-> [n]", "-> [n D]"));
  await page.keyboard.type("x |> softmax(over=");
  await eventually(() => offered(page), ["n : [n D] Prob", "D : [n D] Prob"]);
  await page.keyboard.press("Tab");
  await eventually(() => textOf(page), /x \|> softmax\(over=n\s*$/);
  await visitor.done();
});

test("Escape closes the list, Enter is a new line after a whole name, Ctrl-Space opens it", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, head);
  await page.keyboard.type("x |> sum");
  await expectOffer(page, "sum(over=D) : [n]");
  await page.keyboard.press("Escape");
  await page.locator(".cm-tooltip-autocomplete").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Space");
  await expectOffer(page, "sum(over=D) : [n]");
  await page.keyboard.press("Enter");
  await eventually(() => textOf(page), /x \|> sum\n/);
  await visitor.done();
});

test("a model's fields stand after its point", async () => {
  const { visitor, page } = await flow.opened();
  const model =
    "dim D = 3\nmodel Encoder:\n    weight: [D] = normal(0.5)\n    fn forward(self, x: [n D]) -> [n] =\n        x @ self";
  await setText(page, model);
  await page.keyboard.type(".");
  await expectOffer(page, "weight : [D]");
  await visitor.done();
});

test("on a phone a tap chooses, and the rows are big enough for it", async () => {
  const { visitor, page } = await flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await setText(page, head);
  await page.keyboard.type("x |> ");
  await expectOffer(page, "sum(over=D) : [n]");
  const row = page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "sum(over=D)" }).first();
  await eventually(
    () => row.boundingBox(),
    (box) => box?.height >= 44 && isOnPhone(box),
    "the row should be high enough, and on the screen",
  );
  await row.tap();
  await expectText(page, `${head}x |> sum(over=D)`);
  await visitor.done();
});

const layer = `dim C = 3
dim D = 4
fn layer(x: [n D], w: [D C]) -> [n C] Prob =
    x @ w
        |> softmax(over=C)
`;

test("a function under the pointer says its cost, and a built-in what it does", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, layer);
  await expectClean(page);
  await pointAt(page, "fn layer", "layer");
  const tip = page.locator(".strand-tip");
  await tip.getByText("multiply-adds, peak").waitFor();
  await tip.getByText("fn layer(x: [n D], w: [D C]) -> [n C] Prob").waitFor();
  await page.mouse.move(900, 600);
  await tip.waitFor({ state: "detached" });
  await pointAt(page, "softmax(over", "softmax");
  await tip.getByText("In PyTorch: torch.softmax").waitFor();
  await visitor.done();
});

test("a tap on a name says the same, and the next tap takes it away", async () => {
  const { visitor, page } = await flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  await setText(page, layer);
  await expectClean(page);
  const { x, y } = await placeOf(page, "softmax(over", "softmax");
  await page.touchscreen.tap(x, y);
  const tip = page.locator(".strand-tip");
  await tip.getByText("In PyTorch: torch.softmax").waitFor();
  await eventually(() => tip.boundingBox(), isOnPhone, "the tip should be on the screen");
  const empty = await placeOf(page, "dim C", "3");
  await page.touchscreen.tap(empty.x + 120, empty.y);
  await tip.waitFor({ state: "detached" });
  await visitor.done();
});

test("Enter finishes a name that is none yet, leaves what is right, and else is a new line", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, head);
  await page.keyboard.type("mea");
  await eventually(
    () => offered(page),
    (items) => items[0]?.startsWith("mean(") ?? false,
    "mean should come first",
  );
  await page.keyboard.press("Enter");
  await eventually(() => textOf(page), /mean\(x, over=D\)$/);
  await page.keyboard.press("Enter");
  await eventually(() => textOf(page), /mean\(x, over=D\)$/, "the fields are left, nothing is replaced");
  await expectClean(page);
  await page.keyboard.press("Enter");
  await eventually(() => textOf(page), /mean\(x, over=D\)\n\s*$/);
  await visitor.done();
});
