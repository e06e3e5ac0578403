/** An engine that panics costs nobody a text, and a text that makes it panic doesn't do so for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellsOf,
  eventually,
  expectCells,
  expectClean,
  expectText,
  pointAt,
  setText,
  settled,
  setUp,
  textOf,
} from "./harness.mjs";

const flow = setUp();

/**
 * Put before the worker's script: the engine traps in answering a request of which `when`, an expression, holds.
 */
function trapping(when) {
  return `
    let trap = false;
    self.addEventListener("message", ({ data }) => {
      const { method, arguments: [text] } = data.request ?? { arguments: [] };
      trap = ${when};
    });
    const Instance = WebAssembly.Instance;
    WebAssembly.Instance = function (module, imports) {
      const exports = { ...new Instance(module, imports).exports };
      for (const [name, value] of Object.entries(exports)) {
        if (typeof value !== "function" || !name.startsWith("strand_")) continue;
        exports[name] = (...args) => {
          if (trap) throw new WebAssembly.RuntimeError("unreachable");
          return value(...args);
        };
      }
      return { exports };
    };
  `;
}

async function trappedPage(when) {
  const visitor = await flow.person();
  await visitor.profile.route(/worker.*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: trapping(when) + (await response.text()) });
  });
  const page = await visitor.open(flow.url);
  await expectClean(page);
  return { visitor, page };
}

/** A worker that stands ready may still be loading. */
async function leave(visitor) {
  await visitor.profile.unrouteAll({ behavior: "ignoreErrors" });
  await visitor.leave();
}

/** Whether a request is for this and its text says that it panics. */
const panicsIn = (method) => `method === "${method}" && text.includes("PANIC")`;

const fine = "fn twice(x: [n]) -> [n] = x + x\n";
const panics = `${fine}# PANIC\n`;

test("a panic in the check keeps text and undo; the same text twice pauses checking, also after a reload", async () => {
  const { visitor, page } = await trappedPage(panicsIn("check"));
  await setText(page, fine);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, panics);
  await page.getByText("failed twice on this text").waitFor();
  await expectText(page, panics);
  await page.reload();
  await page.getByText("failed twice on this text").waitFor();
  await expectText(page, panics);
  await setText(page, fine.replace("x + x", "x + x + x"));
  await expectClean(page);
  await expectCells(page, "twice", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  await page.keyboard.press("ControlOrMeta+z");
  await expectText(page, panics);
  await page.getByText("failed twice on this text").waitFor();
  await leave(visitor);
});

test("a panic in the run is said, keeps the text and the last values, and the next run works", async () => {
  const { visitor, page } = await trappedPage(panicsIn("run"));
  await setText(page, fine);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, panics);
  await page.getByText("The engine failed").waitFor();
  await expectText(page, panics);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await setText(page, fine.replace("x + x", "x + x + x"));
  await expectCells(page, "twice", "result", "0.0 3.0 6.0 9.0 12.0".split(" "));
  await leave(visitor);
});

const showTab = (page, name) => page.getByRole("tab", { name }).filter({ visible: true }).click();

/** Has a drawing, and more rows than are shown at first. */
const large = `${fine}
x = 400 |> map(i => stack(i to f32, 1.0, 2.0))
show(x, view="heat")
x
`;

/** What a visitor does to have the engine asked for something else than checks and runs. */
const gestures = {
  hover: (page) => pointAt(page, "fn twice", "twice"),
  complete: async (page) => {
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("fn more(x: [n]) -> [n] = x |> s");
  },
  cost: async (page) => {
    await setText(page, `# PANIC\n${large}`);
    await expectClean(page);
    await page.getByRole("spinbutton", { name: "Size of n" }).fill("3");
  },
  torch: (page) => setText(page, `# PANIC\n${large}`),
  format: async (page) => {
    await page.getByRole("button", { name: "More" }).click();
    await page.locator(".menu-item", { hasText: "Format" }).click();
  },
  steps: (page) => showTab(page, "Steps"),
  npy: (page) =>
    page
      .getByRole("button", { name: /^Download \.npy/ })
      .first()
      .click(),
};

for (const [method, gesture] of Object.entries(gestures)) {
  test(`a panic in ${method} is said, costs no text and no undo, and the next check and run work`, async () => {
    const asked = ["cost", "torch"].includes(method) ? panicsIn(method) : `method === "${method}"`;
    const { visitor, page } = await trappedPage(asked);
    await setText(page, large);
    await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
    await gesture(page);
    await page.getByText("The engine failed").waitFor();
    const text = await textOf(page);
    assert.ok(text.endsWith(large));
    await setText(page, fine.replace("x + x", "x + x + x"));
    await expectClean(page);
    await showTab(page, "Result");
    await eventually(
      () => cellsOf(page, "twice", "result"),
      (cells) => cells.join(" ").startsWith("0.0 3.0 6.0"),
      "the next run's values",
    );
    await page.locator(".cm-content").focus();
    await page.keyboard.press("ControlOrMeta+z");
    await expectText(page, text);
    assert.deepEqual(visitor.faults, []);
    await leave(visitor);
  });
}

test("an engine that can't be had is said, and the text can still be read and edited", async () => {
  const visitor = await flow.person();
  await visitor.profile.route(/\.wasm$/, (route) => route.fulfill({ status: 503, body: "" }));
  const page = await visitor.open(flow.url);
  await page.getByText("The engine couldn't be loaded").waitFor();
  await setText(page, fine);
  await expectText(page, fine);
  await leave(visitor);
});

/** Needs what the first part of the engine hasn't. */
const needsMore =
  "dim D = 4\n\nfn most(x: [n D]) -> [n] i64 = argsort(x, over=D) |> map(row => row[-1], over=n)\n";

test("values come without the engine's later part, which comes by itself, or at once when it is needed", async () => {
  const visitor = await flow.person();
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  let asked = 0;
  await visitor.profile.route(/strand-later.*\.wasm$/, async (route) => {
    // The page's own request waits; the worker's, which can't, is answered.
    if (++asked === 1) await held;
    await route.continue();
  });
  const page = await visitor.open(flow.url);
  await eventually(
    () => cellsOf(page, "scale", "result"),
    ({ length }) => length > 0,
    "values are shown",
  );
  await eventually(
    () => asked,
    (count) => count > 0,
    "the later part is asked for",
  );
  await setText(page, needsMore);
  await expectClean(page);
  await expectCells(page, "most", "result", ["3", "3", "3", "3", "3"]);
  letGo();
  await setText(page, fine);
  await expectCells(page, "twice", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await leave(visitor);
});

test("a later part that can't be had is said, the text stays, and it is tried again", async () => {
  const visitor = await flow.person();
  await visitor.profile.route(/strand-later.*\.wasm$/, (route) => route.fulfill({ status: 503, body: "" }));
  const page = await visitor.open(flow.url);
  await eventually(
    () => cellsOf(page, "scale", "result"),
    ({ length }) => length > 0,
    "values are shown",
  );
  await setText(page, needsMore);
  await page.getByText("A part of the engine couldn't be fetched (503").first().waitFor();
  await expectText(page, needsMore);
  await visitor.profile.unrouteAll({ behavior: "ignoreErrors" });
  await setText(page, `${needsMore}\n`);
  await expectCells(page, "most", "result", ["3", "3", "3", "3", "3"]);
  await leave(visitor);
});

for (const [what, ask] of [
  ["the Steps tab", (page) => showTab(page, "Steps")],
  ["a download", gestures.npy],
]) {
  test(`a later part that ${what} can't have is said, and is tried again when it is next needed`, async () => {
    const visitor = await flow.person();
    await visitor.profile.route(/strand-later.*\.wasm$/, (route) => route.fulfill({ status: 503, body: "" }));
    const page = await visitor.open(flow.url);
    await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
    await settled(page);
    const text = await textOf(page);
    await ask(page);
    await page.getByText("A part of the engine couldn't be fetched (503").first().waitFor();
    await expectText(page, text);
    await visitor.profile.unrouteAll({ behavior: "ignoreErrors" });
    await setText(page, needsMore);
    await showTab(page, "Result");
    await expectCells(page, "most", "result", ["3", "3", "3", "3", "3"]);
    await page.getByText("A part of the engine couldn't be fetched").waitFor({ state: "detached" });
    await showTab(page, "Steps");
    await page.locator(".step").first().waitFor();
    await leave(visitor);
  });
}

test("a page and an engine of different builds are told apart", async () => {
  const visitor = await flow.person();
  await visitor.profile.route(flow.url, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    await route.fulfill({ response, body: html.replace(/(name="strand-build" content=")[^"]*/, "$1other") });
  });
  const page = await visitor.open(flow.url);
  await page.getByText("This page is of build other").waitFor();
  await leave(visitor);
});
