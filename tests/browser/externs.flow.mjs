/** `extern fn` finds functions of the page: a module of its own site, loaded by the worker that runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, expectCells, expectText, setText, setUp } from "./harness.mjs";

const functions = `
export default {
  fns: {
    halve: { doc: "Half of it.", ufunc: (x) => x / 2 },
    flip: (x) => ({ shape: x.shape, data: x.data.slice().reverse() }),
    short: (x) => ({ shape: [x.data.length - 1], data: x.data.slice(1) }),
    throws: () => { throw new Error("no luck"); },
    hangs: () => { for (;;); },
  },
};
`;

const head = (content) => `<meta name="strand-externs" content="${content}" />`;

const flow = setUp({ head: head("./fns.js"), files: { "fns.js": functions } });

const declared = 'extern fn halve(x) from "fns"\nextern fn flip(x: [n]) -> [n] from "fns"\n';

function drawn(page) {
  return page.locator(".results").innerText();
}

function expectShown(page, wanted) {
  return eventually(
    () => drawn(page),
    (text) => text.includes(wanted),
    `"${wanted}" in the results`,
  );
}

test("functions of the page run, and the page names where they come from", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, `${declared}fn f(x: [n]) -> [n] = flip(halve(x))\n`);
  await expectCells(page, "f", "result", "2.0 1.5 1.0 0.5 0.0".split(" "));
  await page.getByText("extern fn runs functions of fns.js, a module of this site.").waitFor();
  await visitor.done();
});

test("a missing function, one that throws and one of a wrong shape are said at the call", async () => {
  const { visitor, page } = await flow.opened();
  await setText(page, 'extern fn absent(x: [n]) -> [n] from "fns"\nfn f(x: [n]) -> [n] = absent(x)\n');
  await expectShown(page, "fns.js has no absent, only halve, flip, short, throws, hangs");
  await setText(page, 'extern fn throws() -> int from "fns"\n1 + 1\nthrows()\n');
  await expectShown(page, "throws failed: no luck");
  await setText(page, 'extern fn short(x: [n]) -> [n] from "fns"\nfn f(x: [n]) -> [n] = short(x)\n');
  await expectShown(page, "the only axis of short's result has size 4, but n is 5");
  await visitor.done();
});

test("one that hangs is stopped, and the next run works", async () => {
  const { visitor, page } = await flow.opened();
  const text = 'extern fn hangs() -> int from "fns"\nhangs()\n';
  await setText(page, text);
  await page.getByRole("button", { name: "Stop the run" }).click();
  await eventually(() => page.locator(".timing").innerText(), "Stopped");
  await expectText(page, text);
  await setText(page, `${declared}fn f(x: [n]) -> [n] = halve(x)\n`);
  await expectCells(page, "f", "result", "0.0 0.5 1.0 1.5 2.0".split(" "));
  await visitor.done();
});

test("a module that can't be loaded is said where a function of it is called", async () => {
  const other = await flow.host({ head: head("./broken.js"), files: { "broken.js": "export default {" } });
  const visitor = await flow.person();
  const page = await visitor.open(other.url);
  await setText(page, `${declared}1 + 1\nflip([1.0])\n`);
  await expectShown(page, "broken.js couldn't be loaded: SyntaxError");
  await visitor.leave();
  await other.close();
});

test("a module of another site isn't loaded", async () => {
  const other = await flow.host({ head: head("https://example.org/fns.js") });
  const visitor = await flow.person();
  const page = await visitor.open(other.url);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await setText(page, `${declared}flip([1.0])\n`);
  await expectShown(page, "aren't loaded: they must lie on this site.");
  await expectShown(page, "fns.flip can't run in the playground");
  assert.deepEqual(
    asked.filter((url) => url.includes("example.org")),
    [],
  );
  await visitor.done();
  await other.close();
});
