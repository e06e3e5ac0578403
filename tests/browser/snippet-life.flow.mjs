/** What becomes of a `<strand-snippet>` in a page that changes, and of whoever reads and uses that page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { eventually, expectStill, setUp } from "./harness.mjs";
import { BROKEN, ENDLESS, openedIn, pageOf, POLICY, snippet, TWICE, values } from "./snippets.mjs";

const pages = {
  "docs/removed.html": pageOf(snippet(ENDLESS), snippet("1 + 1\n")),
  "docs/hidden.html": pageOf(snippet("~a = 4\na + 1\n")),
  "docs/empty.html": pageOf(snippet("b = 2\n", 'group="g"'), snippet("b + 1\n", 'group="g"')),
  "docs/read.html": pageOf(`<input id="other">${snippet(TWICE)}`),
  "docs/broken.html": pageOf(snippet(`~dim D = 3\n${BROKEN}`)),
  "docs/readonly.html": pageOf(snippet(`~dim D = 3\n${BROKEN}`, "readonly")),
};

const flow = setUp({ files: pages, policy: POLICY });
const opened = openedIn(flow);

const run = (snippet) => snippet.getByRole("button", { name: /^Run/ }).click();
const stop = (snippet) => snippet.getByRole("button", { name: "Stop the run" });

test("an element that is taken out ends its run, one that is only moved doesn't, and both go on working", async () => {
  const { visitor, page, at } = await opened("removed");
  await run(at(0));
  await stop(at(0)).waitFor();
  await page.evaluate(() => {
    window.taken = document.querySelector("strand-snippet");
    document.querySelector("main").append(window.taken);
  });
  await run(at(0));
  await at(0).locator(".verdict.is-ok").waitFor();
  // The moved one still runs, so this one waits for its turn.
  await expectStill(() => stop(at(1)).count(), 1);
  await expectStill(() => values(at(0)), []);
  await page.evaluate(() => window.taken.remove());
  await eventually(() => values(at(0)), ["2"]);
  await page.evaluate(() => document.querySelector("main").append(window.taken));
  await run(at(1));
  await stop(at(1)).click();
  await eventually(() => at(1).locator(".timing").innerText(), "Stopped");
  await visitor.done();
});

test("a copy of an element has its hidden lines", async () => {
  const { visitor, page, at } = await opened("hidden");
  await expectStill(() => at(0).locator("code").innerText(), "a + 1");
  await page.evaluate(() => {
    const element = document.querySelector("strand-snippet");
    element.replaceWith(element.cloneNode(true));
  });
  await expectStill(() => at(0).locator("code").innerText(), "a + 1");
  await run(at(0));
  await eventually(() => values(at(0)), ["5"]);
  await visitor.done();
});

test("elements that are filled after they were put in have their programs", async () => {
  const { visitor, page, at } = await opened("empty");
  await page.evaluate(() => {
    const [first, second] = document.querySelectorAll("strand-snippet");
    for (const [old, text] of [
      [first, "b = 2\n"],
      [second, "~c = 3\nb + c\n"],
    ]) {
      const element = document.createElement("strand-snippet");
      element.setAttribute("group", "g");
      old.replaceWith(element);
      const pre = document.createElement("pre");
      element.append(pre);
      pre.append(document.createElement("code"));
      pre.firstChild.textContent = text;
    }
  });
  await run(at(1));
  await eventually(() => values(at(1)), ["5"]);
  await visitor.done();
});

test("text that is selected with the mouse stays selected, and fetches nothing", async () => {
  const { visitor, page, asked, at } = await opened("read");
  const box = await at(0).locator("code").boundingBox();
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const selected = await page.evaluate(() => document.getSelection().toString());
  assert.match(selected, /^fn twice/);
  await expectStill(() => asked, ["read.html", "strand-snippet.js"]);
  await page.locator("h1").click();
  await at(0).locator("code").click();
  await at(0).locator(".verdict.is-ok").waitFor();
  await visitor.done();
});

test("who goes on to something else while a snippet loads keeps the focus there", async () => {
  const { visitor, page, at } = await opened("read");
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(/snippet-live/, async (route) => {
    await released;
    await route.continue();
  });
  await run(at(0));
  await page.locator("#other").focus();
  release();
  await at(0).locator(".verdict.is-ok").waitFor();
  await page.keyboard.type("word");
  await eventually(() => page.locator("#other").inputValue(), "word");
  await visitor.done();
});

test("on a touch screen neither Run nor a fix puts the focus into the text", async () => {
  const { visitor, page, at } = await opened("broken", {
    viewport: viewports.phone,
    hasTouch: true,
    isMobile: true,
  });
  const typed = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element?.classList.contains("cm-content");
    });
  await at(0).getByRole("button", { name: "Run" }).tap();
  await at(0).locator(".fix-apply").first().waitFor();
  await expectStill(typed, false);
  await at(0).locator(".fix-apply").first().tap();
  await at(0).locator(".verdict.is-ok").waitFor();
  await expectStill(typed, false);
  await visitor.done();
});

test("a snippet that is only to be read shows fixes and makes none", async () => {
  const { visitor, at } = await opened("readonly");
  await at(0).locator("code").click();
  await at(0).locator(".fix-look").first().hover();
  await at(0).locator(".fix-preview ins").first().waitFor();
  await expectStill(() => at(0).locator(".fix-apply").count(), 0);
  await visitor.done();
});

test("`ready` is told once, an error once as long as it stands, and errors don't reach the window", async () => {
  const { visitor, page, at, told } = await opened("broken");
  await page.evaluate(() => {
    window.atWindow = 0;
    window.addEventListener("error", () => window.atWindow++);
  });
  await at(0).locator("code").click();
  await at(0).locator(".verdict.is-error").waitFor();
  await at(0).locator(".cm-line").first().click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("\nfn half(x: [n]) -> [n] = x / 2\n");
  await at(0).locator('article[aria-label="half"] .cell').first().waitFor();
  const codes = async () => (await told("error")).map(([, { code }]) => code);
  await expectStill(codes, ["E0503"]);
  await expectStill(async () => (await told("ready")).length, 1);
  await expectStill(() => page.evaluate(() => window.atWindow), 0);
  await visitor.done();
});

test("a part that can't be fetched is said and told", async () => {
  const { visitor, page, at, told } = await opened("read");
  await page.route(/snippet-live/, (route) => route.abort());
  await run(at(0));
  await at(0).getByText("couldn't be fetched").waitFor();
  await eventually(
    () => told("error"),
    (errors) => errors.length === 1 && /couldn't be fetched/.test(errors[0][1].message),
    "the reason is told",
  );
  await visitor.leave();
});

test("where the files lie on another origin, that is what is said", async () => {
  const other = await flow.host({ files: pages, policy: POLICY });
  const html = pageOf(snippet(TWICE)).replace("../strand-snippet.js", `${other.url}strand-snippet.js`);
  const policy = `script-src 'wasm-unsafe-eval' ${other.url}; connect-src ${other.url}; worker-src ${other.url}`;
  const own = await flow.host({ files: { "docs/far.html": html }, policy });
  const visitor = await flow.person();
  // Everything may be read from here, as of a host that serves libraries.
  await visitor.profile.route(`${other.url}**`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      headers: { ...response.headers(), "access-control-allow-origin": "*" },
    });
  });
  const page = await visitor.profile.newPage();
  await page.goto(`${own.url}docs/far.html`);
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("must lie on the page's own origin").waitFor();
  await visitor.leave();
  await Promise.all([own.close(), other.close()]);
});
