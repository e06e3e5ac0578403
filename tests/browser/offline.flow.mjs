/** Without a network: what a visitor has once the page says "ready offline", and how a build follows another. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import {
  DIST,
  eventually,
  expectAccessible,
  expectCells,
  expectClean,
  expectStill,
  expectText,
  programs,
  setText,
  setUp,
} from "./harness.mjs";

const flow = setUp();

const hostOf = (options) => flow.host({ below: true, ...options });

const own = "fn mine(x: [n]) -> [n] = x * 2.0\n";
const TEXTS = /\.(html|js|css|svg)$/;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const build = Object.fromEntries(filesBelow(DIST).map((path) => [relative(DIST, path), readFileSync(path)]));
const id = /name="strand-build" content="(\w+)"/.exec(build["index.html"])[1];

/**
 * The build as another one: with an id of its own, and other names for all that is named by its content. The files of
 * the one before are gone.
 */
function anotherBuild(number) {
  const other = id.slice(0, -1) + (id.endsWith(number) ? "x" : number);
  const assets = Object.keys(build).filter((name) => name.startsWith("assets/"));
  const renamed = assets.map((name) => [
    name.slice("assets/".length),
    name.slice("assets/".length).replace(/\.(\w+)$/, `${number}.$1`),
  ]);
  const rewritten = (text) =>
    renamed.reduce((whole, [from, to]) => whole.replaceAll(from, to), text).replaceAll(id, other);
  const files = Object.fromEntries(assets.map((name) => [name, null]));
  for (const [name, bytes] of Object.entries(build)) {
    const text = bytes.toString(TEXTS.test(name) ? "utf8" : "latin1");
    files[rewritten(name)] = TEXTS.test(name)
      ? Buffer.from(rewritten(text))
      : Buffer.from(text.replaceAll(id, other), "latin1");
  }
  return { id: other, files };
}

function visitorOf(options = {}) {
  return flow.person({ serviceWorkers: "allow", ...options });
}

/** What the page says of its build. */
async function buildNote(page) {
  const more = page.getByRole("button", { name: "More", exact: true });
  await more.click();
  const note = await page.locator(".menu-note").innerText();
  await more.click();
  return note;
}

function expectNote(page, wanted) {
  // The browser starts a newer worker only while nothing happens on the page.
  return eventually(() => buildNote(page), wanted, "what the page says of its build", {
    limit: 180_000,
    every: 3000,
  });
}

const READY = `Build ${id} · ready offline`;

/** The ids of the builds that are kept. */
function keptBuilds(page) {
  return page.evaluate(async () => (await caches.keys()).map((name) => name.split(" ").at(-1)).sort());
}

/** Names of all that the browser keeps for the page. */
function left(page) {
  return page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await caches.keys()),
    ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
  ]);
}

/** Waits until the worker that is in charge of the page has done what it was asked before. */
function workerIsIdle(page) {
  return page.evaluate(async () => {
    const { controller } = navigator.serviceWorker;
    if (controller === null) return;
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      controller.postMessage("done?", [port2]);
    });
  });
}

async function openingWorks(page) {
  await expectText(page, programs[0].text);
  await expectClean(page);
  await expectCells(page, "scale", "w", "0.0 1.0 2.0 3.0 4.0".split(" "));
}

test("after ready offline, a new tab without a host opens, runs and shares everything", async (t) => {
  const host = await hostOf();
  const visitor = await visitorOf();
  const first = await visitor.open(host.url);
  await openingWorks(first);
  await expectNote(first, READY);
  await eventually(() => keptBuilds(first), [id]);
  const { usage } = await first.evaluate(() => navigator.storage.estimate());
  t.diagnostic(`${Math.round(usage / 1024)} KB are kept`);
  await host.close();

  const page = await visitor.open(host.url);
  await openingWorks(page);
  for (const { text } of programs.slice(1, 4)) {
    await page.getByRole("button", { name: "Examples" }).click();
    await page
      .locator("button.menu-item")
      .nth(programs.findIndex((one) => one.text === text))
      .click();
    await expectText(page, text);
    await page.locator("figure.is-result :is(.cell, .scalar, .picture)").first().waitFor();
  }
  await setText(page, own);
  await expectCells(page, "mine", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  // Parts that are fetched only when they are first looked at.
  await page.getByRole("tab", { name: "Steps" }).first().click();
  await page.locator(".step").first().waitFor();
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Link copied").waitFor();
  await page.getByRole("button", { name: "QR code" }).click();
  await page.getByRole("img", { name: "QR code of the link" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());

  const receiver = await visitor.open(link);
  await expectText(receiver, own);
  await receiver.locator(".notice").getByRole("button", { name: "Run" }).click();
  await receiver.getByRole("tab", { name: "Result" }).first().click();
  await expectCells(receiver, "mine", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  assert.deepEqual(visitor.faults, []);

  const written = await visitor.profile.newPage();
  for (const address of ["gallery/", "gallery/attention.html", "reference/index.html", "codes/E0503"]) {
    await written.goto(host.url + address);
    await written.locator("main h1").waitFor();
    const colour = await written.locator("body").evaluate((body) => getComputedStyle(body).fontFamily);
    assert.match(colour, /system-ui/, `${address} has its style`);
  }
  await written.getByRole("button", { name: "Try it here" }).first().click();
  await written.frameLocator(".program-frame").locator(".verdict.is-error").waitFor();
  await visitor.leave();
});

test("a new build is taken at the next visit, and an open page goes on with its own", async () => {
  const files = {};
  const host = await hostOf({ files });
  const visitor = await visitorOf();
  const old = await visitor.open(host.url);
  await expectNote(old, READY);

  const next = anotherBuild("7");
  Object.assign(files, next.files);
  const fresh = await visitor.open(host.url);
  await openingWorks(fresh);
  await expectNote(fresh, `Build ${next.id} · ready offline`);
  // The host doesn't have this part of the old build any more.
  await old.getByRole("tab", { name: "Steps" }).first().click();
  await old.locator(".step").first().waitFor();
  await expectNote(old, `Build ${id} · a newer one with the next visit`);
  await eventually(() => keptBuilds(fresh), [id, next.id].sort());

  await host.close();
  await old.getByRole("button", { name: "Share" }).click();
  await old.getByRole("button", { name: "QR code" }).click();
  await old.getByRole("img", { name: "QR code of the link" }).waitFor();
  await setText(old, own);
  await old.getByRole("tab", { name: "Result" }).first().click();
  await expectCells(old, "mine", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
  await old.close();
  await fresh.reload();
  await fresh.locator(".cm-content").waitFor();
  await expectClean(fresh);
  await expectNote(fresh, `Build ${next.id} · ready offline`);
  await eventually(() => keptBuilds(fresh), [next.id], "the build that nobody looks at any more goes");
  await visitor.done();
});

test("an upload that is under way isn't taken in, and leaves what is kept", async () => {
  const files = {};
  const host = await hostOf({ files });
  const visitor = await visitorOf();
  const page = await visitor.open(host.url);
  await expectNote(page, READY);
  const next = anotherBuild("8");
  const half = Object.entries(next.files).filter(
    ([name, bytes]) => bytes !== null && !name.endsWith(".html"),
  );
  Object.assign(files, Object.fromEntries(half));
  const again = await visitor.open(host.url);
  await openingWorks(again);
  await expectNote(again, READY);
  await again.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update().catch(() => undefined);
  });
  const isOver = () =>
    again.evaluate(async () => {
      const { installing, waiting } = await navigator.serviceWorker.ready;
      return installing === null && waiting === null;
    });
  await eventually(isOver, true, "the newer worker gives up");
  await eventually(() => keptBuilds(again), [id]);
  await host.close();
  const offline = await visitor.open(host.url);
  await openingWorks(offline);
  await visitor.done();
});

test("a host that has gone back to a build is followed", async () => {
  const files = {};
  const host = await hostOf({ files });
  const visitor = await visitorOf();
  await expectNote(await visitor.open(host.url), READY);
  const next = anotherBuild("9");
  Object.assign(files, next.files);
  await expectNote(await visitor.open(host.url), `Build ${next.id} · ready offline`);
  for (const name of Object.keys(files)) delete files[name];
  const back = await visitor.open(host.url);
  await expectNote(back, READY);
  await host.close();
  await openingWorks(await visitor.open(host.url));
  await visitor.done();
});

for (const [what, initScript] of [
  [
    "refuses to start one",
    () => {
      const refuse = () => {
        window.refused = true;
        return Promise.reject(new DOMException("denied", "SecurityError"));
      };
      Object.defineProperty(ServiceWorkerContainer.prototype, "register", { value: refuse });
    },
  ],
  [
    "doesn't let them be seen",
    () => {
      const get = () => {
        window.refused = true;
        throw new DOMException("denied", "SecurityError");
      };
      Object.defineProperty(Navigator.prototype, "serviceWorker", { get });
      Object.defineProperty(window, "caches", { get });
    },
  ],
]) {
  test(`where the browser ${what}, the page works as without a service worker`, async () => {
    const host = await hostOf();
    const visitor = await visitorOf({ initScript });
    const page = await visitor.open(host.url);
    await openingWorks(page);
    await eventually(() => page.evaluate(() => window.refused), true, "the page has tried");
    await expectStill(() => buildNote(page), `Build ${id}`);
    await setText(page, own);
    await expectCells(page, "mine", "result", "0.0 2.0 4.0 6.0 8.0".split(" "));
    await visitor.done();
    await host.close();
  });
}

test("a part that the host doesn't have any more is said", async () => {
  const gone = Object.keys(build).filter((name) => /(StepsTab|qr)-/.test(name));
  assert.equal(gone.length, 2);
  const host = await hostOf({ files: Object.fromEntries(gone.map((name) => [name, null])) });
  const visitor = await flow.person();
  const page = await visitor.open(host.url);
  await openingWorks(page);
  await page.getByRole("tab", { name: "Steps" }).first().click();
  await page.getByText("This part of the page couldn't be fetched").waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "QR code" }).click();
  await page.locator(".share-done").getByText("This part of the page couldn't be fetched").waitFor();
  assert.equal(visitor.faults.filter((fault) => !fault.includes("404")).length, 0, visitor.faults.join());
  await visitor.leave();
});

test("everything on the device is forgotten when somebody asks twice", async () => {
  const host = await hostOf();
  const visitor = await visitorOf();
  const page = await visitor.open(host.url);
  await setText(page, own);
  await page.getByRole("button", { name: /^Theme/ }).click();
  await expectNote(page, READY);
  await page.getByRole("button", { name: "More", exact: true }).click();
  const item = page.getByRole("button", { name: /^Forget everything/ });
  await item.click();
  await page.locator(".menu-about", { hasText: "1 text goes for good" }).waitFor();
  await expectAccessible(page);
  await expectText(page, own);
  await item.click();
  await page.locator(".menu-about", { hasText: "Nothing of Strand is kept here" }).waitFor();
  await eventually(() => left(page), [], "what is left");
  await page.keyboard.press("Escape");
  await openingWorks(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await openingWorks(page);
  await workerIsIdle(page);
  await expectStill(() => left(page), []);
  await expectStill(() => buildNote(page), `Build ${id}`);
  await visitor.done();
  await host.close();
});

/** Asks for everything to be forgotten, twice as the page wants it. */
async function forgetEverything(page) {
  await page.getByRole("button", { name: "More", exact: true }).click();
  const item = page.getByRole("button", { name: /^Forget everything/ });
  await item.click();
  await page.locator(".menu-item.is-asking").waitFor();
  await item.click();
}

test("while the site is still being fetched for offline, forgetting ends that, and nothing comes after it", async () => {
  const [slow] = Object.keys(build).filter((name) => /StepsTab-.*js$/.test(name));
  let letGo;
  const held = new Promise((resolve) => (letGo = () => resolve(build[slow])));
  const host = await hostOf({ files: { [slow]: held } });
  const visitor = await visitorOf();
  const page = await visitor.open(host.url);
  await setText(page, own);
  await eventually(
    () =>
      page.evaluate(async () => {
        const [registration] = await navigator.serviceWorker.getRegistrations();
        const [name] = await caches.keys();
        const files = name === undefined ? [] : await (await caches.open(name)).keys();
        return registration?.installing !== null && files.length > 0;
      }),
    true,
    "the first files are kept, and one doesn't come",
  );
  await forgetEverything(page);
  await page.locator(".menu-about", { hasText: "Nothing of Strand is kept here" }).waitFor();
  await eventually(() => left(page), [], "what is left");
  letGo();
  // The host has answered the worker, if that still listens, before it answers this.
  await page.evaluate((address) => fetch(address, { cache: "no-store" }), slow);
  await expectStill(() => left(page), []);
  await page.keyboard.press("Escape");
  await openingWorks(page);
  await visitor.done();
  await host.close();
});

test("where the files can't be removed, forgetting says so, and the texts are gone all the same", async () => {
  const host = await hostOf();
  const visitor = await visitorOf({
    initScript: () => {
      CacheStorage.prototype.delete = () => Promise.resolve(false);
    },
  });
  const page = await visitor.open(host.url);
  await setText(page, own);
  await expectNote(page, READY);
  // The worker removes what is its own; what another one left, the page can't remove here.
  await page.evaluate(() => caches.open("strand left-behind"));
  await forgetEverything(page);
  await page.locator(".menu-about", { hasText: "The page's files couldn't be removed" }).waitFor();
  await eventually(() => left(page), ["strand left-behind"]);
  await page.keyboard.press("Escape");
  await openingWorks(page);
  await visitor.done();
  await host.close();
});
