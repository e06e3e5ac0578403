/** `<strand-snippet>` in a page of somebody else's, behind the policy that such a page may have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, expectAccessible, expectStill, setUp } from "./harness.mjs";
import { BROKEN, cells, ENDLESS, openedIn, pageOf, POLICY, snippet, TWICE, values } from "./snippets.mjs";

const pages = {
  "docs/many.html": pageOf(...Array.from({ length: 20 }, (_, at) => snippet(`${TWICE}${at} + 0\n`))),
  "docs/wrong.html": pageOf(snippet(`~dim D = 3\n${BROKEN}`)),
  "docs/group.html": pageOf(
    snippet("a = 1 + 1\n~b = a + 1\n", 'group="a"'),
    snippet("~c = b + 1\na + b + c\n", 'group="a"'),
    snippet("a\n"),
  ),
  "docs/fixed.html": pageOf(snippet(`${TWICE}${"# more\n".repeat(60)}`, 'readonly height="120"')),
  "docs/set-up.html": pageOf(
    snippet("\n    fn twice(x: [n]) -> [n] = x + x\n    7 + 0\n", 'group="a"'),
    snippet("~y = 1\ny + 1\n8 + 0\n", 'group="a"'),
  ),
  "docs/hidden.html": pageOf(snippet("~bad = missing\n1 + 1\n")),
  "docs/loose.html": pageOf(
    snippet("\n\n        ~a = 4\n        a + 1\n      "),
    "<strand-snippet>\n  2 + 1\n</strand-snippet>",
    "<strand-snippet></strand-snippet>",
    `<strand-snippet><pre><code>1 + 0</code></pre><a href="#away">Elsewhere</a></strand-snippet>`,
  ),
  "docs/stop.html": pageOf(snippet(ENDLESS), snippet("1 + 1\n")),
};

const flow = setUp({ files: pages, policy: POLICY });
const opened = openedIn(flow);

/** Replaces what a snippet's editor shows. */
async function write(page, snippet, text) {
  await snippet.locator(".cm-line").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("without JavaScript a snippet reads as its program", async () => {
  const { context, page } = await flow.reader({ javaScriptEnabled: false });
  await page.goto(`${flow.url}docs/many.html`);
  await page.locator("strand-snippet pre", { hasText: "fn twice" }).first().waitFor();
  await context.close();
});

test("twenty snippets ask for nothing until somebody turns to one, then all share an engine and two workers", async () => {
  const { visitor, page, asked, at, told } = await opened("many");
  await page.evaluate(() => document.fonts.ready);
  await expectStill(() => asked, ["many.html", "strand-snippet.js"]);
  await expectStill(() => page.evaluate(() => document.activeElement === document.body), true);
  await at(3).getByRole("button", { name: "Run" }).click();
  await eventually(() => cells(at(3)), "0.0 2.0 4.0 6.0 8.0".split(" "));
  await at(7).getByRole("button", { name: "Run" }).click();
  await eventually(() => cells(at(7)), "0.0 2.0 4.0 6.0 8.0".split(" "));
  await eventually(() => values(at(7)), ["7"]);
  await expectStill(() => values(at(3)), ["3"]);
  assert.equal(page.workers().length, 2);
  assert.equal(asked.filter((name) => /^strand-(?!later|snippet)/.test(name)).length, 1);
  await eventually(
    () => told("result"),
    (results) => results.length === 2 && results[1][1].values.some(({ shape }) => shape[0] === 5),
    "the values are told",
  );
  await eventually(
    () => told("ready"),
    (ready) => ready.length >= 2,
    "each says that it is ready",
  );
  await expectAccessible(page);
  await visitor.done();
});

test("an error is drawn under the program, by the lines that the reader sees, and told", async () => {
  const { visitor, page, at, told } = await opened("wrong");
  await eventually(() => at(0).locator("code").innerText(), BROKEN.trimEnd());
  await at(0).locator("code").click();
  await at(0).locator(".drawing-title", { hasText: "x ends in D, w ends in n" }).waitFor();
  await eventually(() => at(0).locator(".drawing pre").first().innerText(), /^ *2 │ {5}x \* w/m);
  await eventually(
    () => told("error"),
    (errors) => errors.some(([, { code, line }]) => code === "E0503" && line === 2),
    "the error is told",
  );
  const said = () => at(0).locator(".hidden-text[aria-live]").innerText();
  await eventually(said, /^Error E0503, line 2\./);
  await at(0).locator(".fix-look").first().hover();
  await eventually(() => at(0).locator(".fix-preview").innerText(), /^ *2 − {5}x \* w\s+2 \+ /);
  await at(0).locator(".fix-apply").first().click();
  await at(0).locator(".verdict.is-ok").waitFor();
  await eventually(said, /^Fixed: line 2 changed\./);
  await eventually(
    () => at(0).locator(".cm-lineNumbers .cm-gutterElement").allInnerTexts(),
    /1.*2/s.test.bind(/1.*2/s),
  );
  await page.keyboard.press("ControlOrMeta+z");
  await at(0).locator(".verdict.is-error").waitFor();
  await visitor.done();
});

test("the pieces of a group go on from each other, and hidden lines are part of them", async () => {
  const { visitor, page, at } = await opened("group");
  await at(1).getByRole("button", { name: "Run" }).click();
  await eventually(() => values(at(1)), ["9"]);
  await eventually(() => at(1).locator(".cm-content").innerText(), /^a \+ b \+ c\s*$/);
  // What is hidden stays, whatever the reader writes over all that is seen.
  await write(page, at(1), "c * 10\n");
  await eventually(() => values(at(1)), ["40"]);
  await at(2).getByRole("button", { name: "Run" }).click();
  await at(2).locator(".verdict.is-error").waitFor();
  await visitor.done();
});

test("a later piece shows what it gives itself, by the lines that its reader sees", async () => {
  const { visitor, at, told } = await opened("set-up");
  await at(1).getByRole("button", { name: "Run" }).click();
  await eventually(() => values(at(1)), ["2", "8"]);
  await eventually(() => at(1).locator(".card-line").allInnerTexts(), ["line 1", "line 2"]);
  await eventually(
    () => told("result"),
    ([first]) => first?.[1].values.length === 2,
    "only its own values are told",
  );
  await visitor.done();
});

test("an error in a hidden line is said to be there, and marks no line that is seen", async () => {
  const { visitor, at, told } = await opened("hidden");
  await at(0).locator("code").click();
  await at(0).getByText("This is in a hidden line").waitFor();
  await eventually(() => at(0).locator(".drawing pre").first().innerText(), /^ *~ │ bad = missing/m);
  await eventually(
    () => told("error"),
    ([first]) => first?.[1].line === null,
    "no line is told",
  );
  await at(0).locator(".cm-line", { hasText: "1 + 1" }).waitFor();
  await expectStill(() => at(0).locator(".strand-error-line, .strand-error").count(), 0);
  await visitor.done();
});

test("what a page indents by isn't the program's, text without pre is a program, and no program is left as it is", async () => {
  const { visitor, page, at } = await opened("loose");
  await eventually(() => at(0).locator("code").innerText(), "a + 1");
  await eventually(() => at(1).locator("pre code").textContent(), "2 + 1");
  await expectStill(() => at(2).getByRole("button").count(), 0);
  await at(3).getByRole("link").click();
  await expectStill(() => page.workers().length, 0);
  await at(0).getByRole("button", { name: "Run" }).click();
  await eventually(() => values(at(0)), ["5"]);
  await at(1).getByRole("button", { name: "Run" }).click();
  await eventually(() => values(at(1)), ["3"]);
  await visitor.done();
});

test("by keyboard the focus stays on Run, and how to leave the program is said while it is in there", async () => {
  const { visitor, page, at } = await opened("loose");
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element.className;
    });
  await at(1).getByRole("button", { name: "Run" }).focus();
  await page.keyboard.press("Enter");
  await eventually(() => values(at(1)), ["3"]);
  await eventually(focused, /button run/);
  const hint = at(1).getByText("Esc, then Tab leaves the program");
  await eventually(() => hint.isVisible(), false);
  await page.keyboard.press("Shift+Tab");
  await hint.waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await eventually(focused, /button run/);
  await visitor.done();
});

test("on a phone a program takes no more room than it needs, and names no key", async () => {
  const { visitor, at } = await opened("loose", {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await at(1).getByRole("button", { name: "Run" }).click();
  await eventually(() => values(at(1)), ["3"]);
  await eventually(
    () => at(1).locator(".editor").boundingBox(),
    (box) => box !== null && box.height < 80,
    "the editor of one line is low",
  );
  await eventually(() => at(1).locator(".run kbd").isVisible(), false);
  await visitor.done();
});

test("keys that are pressed in a snippet don't reach the page", async () => {
  const { visitor, page, at } = await opened("group");
  await at(0).locator("code").click();
  await at(0).locator(".cm-line").first().click();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("s");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("ControlOrMeta+Enter");
  await eventually(() => at(0).locator(".cm-line").first().innerText(), "a = 1 + 1");
  await expectStill(() => page.evaluate(() => window.keys), []);
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await eventually(() => page.evaluate(() => window.keys), ["ArrowRight"]);
  await visitor.done();
});

test("Ctrl-Enter runs what is too dear to run by itself, and stops it", async () => {
  const { visitor, page, at } = await opened("stop");
  await at(0).locator("code").click();
  await at(0).locator(".verdict.is-ok").waitFor();
  await expectStill(() => at(0).getByRole("button", { name: "Stop the run" }).count(), 0);
  await at(0).locator(".cm-line").first().click();
  await page.keyboard.press("ControlOrMeta+Enter");
  await at(0).getByRole("button", { name: "Stop the run" }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await eventually(() => at(0).locator(".timing").innerText(), "Stopped");
  await visitor.done();
});

test("a snippet that is only to be read can't be changed, and is as high as its author wants", async () => {
  const { visitor, page, at } = await opened("fixed");
  await at(0).getByRole("button", { name: "Run" }).click();
  await eventually(() => cells(at(0)), "0.0 2.0 4.0 6.0 8.0".split(" "));
  await eventually(
    () => at(0).locator(".editor").boundingBox(),
    (box) => box !== null && box.height <= 120,
    "the program takes 120 pixels",
  );
  await at(0).locator(".cm-line").first().click();
  await page.keyboard.type("x");
  await expectStill(() => at(0).locator(".cm-line").first().innerText(), TWICE.trimEnd());
  await visitor.done();
});

test("Stop ends a snippet's own run, and the one that waited goes on", async () => {
  const { visitor, at } = await opened("stop");
  await at(0).getByRole("button", { name: "Run" }).click();
  await at(0).getByRole("button", { name: "Stop the run" }).waitFor();
  await at(1).getByRole("button", { name: "Run" }).click();
  await at(1).locator(".verdict.is-ok").waitFor();
  await expectStill(() => values(at(1)), []);
  await at(0).getByRole("button", { name: "Stop the run" }).click();
  await eventually(() => at(0).locator(".timing").innerText(), "Stopped");
  await eventually(() => values(at(1)), ["2"]);
  await visitor.done();
});

test("where the page's policy forbids WebAssembly, one line says what to allow, and the program stays", async () => {
  const strict = await flow.host({ files: pages, policy: POLICY.replace(" 'wasm-unsafe-eval'", "") });
  const { visitor, page, at, told } = await opened("group", { url: strict.url });
  await at(0).getByRole("button", { name: "Run" }).click();
  await at(0).getByText("must allow 'wasm-unsafe-eval' in script-src").waitFor();
  await eventually(() => at(0).locator("code").innerText(), /^a = 1 \+ 1/);
  await eventually(
    () => told("error"),
    (errors) => errors.length === 1 && /wasm-unsafe-eval/.test(errors[0][1].message),
    "the reason is told",
  );
  assert.equal(page.workers().length, 0);
  await visitor.leave();
  await strict.close();
});
