/** Links: what is copied opens elsewhere as it was, runs nothing by itself, and never costs anybody a text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectCells,
  expectClean,
  expectStill,
  expectText,
  setText,
  settled,
  setUp,
  verdictOf,
} from "./harness.mjs";

const flow = setUp();

const text =
  "# Грам 👩‍👩‍👧\nfn gram(x: [n D]) -> [n n] =\n    x |> map(a => x |> map(b => sum(a * b), over=n), over=n)\n\ndim D = 2\n";
const own = "fn mine(x: [n]) -> [n] = x\n";

/** The link that Share copies. */
async function copiedLink(page, visitor) {
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Link copied").waitFor();
  const link = await page.getByRole("textbox", { name: "The link" }).inputValue();
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), link);
  return link;
}

/** Waits until the field that has the focus is selected from end to end, and its text looks like this. */
function expectSelected(page, pattern) {
  return eventually(
    () =>
      page.evaluate(() => {
        const { value, selectionStart, selectionEnd } = document.activeElement;
        return { value, selected: value?.slice(selectionStart, selectionEnd) };
      }),
    ({ value, selected }) => value === selected && pattern.test(selected),
    `a field that matches ${pattern} should stand selected`,
  );
}

async function link() {
  const { visitor, page } = await flow.opened();
  await setText(page, text);
  await expectClean(page);
  await page.getByRole("spinbutton", { name: "Size of n" }).fill("3");
  await page.getByRole("tab", { name: "PyTorch" }).first().click();
  await page.locator(".cm-line").nth(1).click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  const copied = await copiedLink(page, visitor);
  await visitor.done();
  return copied;
}

test("a copied link opens the same text, tab, sizes and selection in a new profile, and runs only when asked", async () => {
  const copied = await link();
  const receiver = await flow.person();
  const page = await receiver.open(copied);
  await expectText(page, text);
  await page.getByText("From a link. Checked, not run.").waitFor();
  await expectClean(page);
  await eventually(
    () => page.getByRole("tab", { name: "PyTorch" }).first().getAttribute("aria-selected"),
    "true",
  );
  await page.getByRole("tab", { name: "Result" }).first().click();
  await eventually(() => page.getByRole("spinbutton", { name: "Size of n" }).inputValue(), "3");
  await settled(page);
  await expectStill(() => page.locator(".cell").count(), 0, "nothing ran by itself");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+c");
  await receiver.profile.grantPermissions(["clipboard-read"]);
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), "fn gram(x: [n D]) -> [n n] =");
  await page.locator(".notice").getByRole("button", { name: "Run" }).click();
  const gram = "0.01 0.11 0.21 0.11 2.21 4.31 0.21 4.31 8.41".split(" ");
  await expectCells(page, "gram", "result", gram);
  await receiver.done();
});

test("a link over somebody's own text keeps it one click away", async () => {
  const copied = await link();
  const { visitor: receiver, page } = await flow.opened();
  await setText(page, own);
  await page.goto("about:blank");
  await page.goto(copied);
  await page.getByText("Your own text is kept:").waitFor();
  await expectText(page, text);
  await page.getByRole("button", { name: "back to it" }).click();
  await expectText(page, own);
  await eventually(() => new URL(page.url()).hash, "");
  await receiver.done();
});

test("a link put into the address line of an open tab keeps the edits there", async () => {
  const copied = await link();
  const { visitor: receiver, page } = await flow.opened();
  await setText(page, own);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, new URL(copied).hash);
  await expectText(page, text, "the link's text");
  await page.getByRole("button", { name: "back to it" }).click();
  await expectText(page, own);
  await receiver.leave();
});

test("an edited link is a text of one's own after a reload, and what came stays in Recent", async () => {
  const copied = await link();
  const receiver = await flow.person();
  const page = await receiver.open(copied);
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# mine now");
  await page.reload();
  await page.locator(".cm-content").waitFor();
  await expectText(page, `${text}# mine now`);
  // With the size that came in the link, which isn't the one that the text would have by itself.
  await page.getByRole("tab", { name: "Result" }).first().click();
  await eventually(() => page.getByRole("spinbutton", { name: "Size of n" }).inputValue(), "3");
  await page.getByRole("button", { name: "Recent" }).click();
  await eventually(() => page.locator(".menu-item").count(), 2);
  await page.locator(".menu-item").nth(1).click();
  await expectText(page, text);
  await receiver.leave();
});

test("damaged links say so and keep one's own text", async () => {
  const copied = await link();
  const { visitor: receiver, page } = await flow.opened();
  await setText(page, own);
  const at = copied.indexOf("&p=") + 20;
  const damaged = [
    [copied.slice(0, at) + (copied[at] === "A" ? "B" : "A") + copied.slice(at + 1), "changed or cut off"],
    [copied.slice(0, -10), "changed or cut off"],
    [copied.slice(0, at) + copied.slice(at + 1), "changed or cut off"],
    [copied.replace("#v=1&", "#v=7&"), "newer Strand"],
    [copied.replace("&t=torch", ""), "can't be read"],
    [`${copied}${"A".repeat(31_000)}`, "more text than a link may"],
  ];
  for (const [address, message] of damaged) {
    await page.goto("about:blank");
    await page.goto(address);
    await page.locator(".notice", { hasText: message }).waitFor();
    await expectText(page, own, message);
  }
  await receiver.done();
});

test("where the clipboard is refused, the link stands selected", async () => {
  const visitor = await flow.person({
    initScript: () => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    },
  });
  const page = await visitor.open(flow.url);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Copy this link").waitFor();
  await expectSelected(page, /#v=1&/);
  await visitor.done();
});

test("a text too long for a link is offered as a file", async () => {
  const { visitor, page } = await flow.opened();
  let state = 7;
  const noise = Array.from({ length: 1200 }, () => {
    const line = Array.from({ length: 30 }, () => {
      state = (state * 48271) % 2147483647;
      return String.fromCharCode(97 + (state % 26));
    });
    return `# ${line.join("")}`;
  }).join("\n");
  await setText(page, `${noise}\n`);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Send it as a file").waitFor();
  const download = page.waitForEvent("download");
  await page.locator(".share").getByRole("button", { name: "Download .strand" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "program.strand");
  await visitor.done();
});

const erring = "fn f(x: [n], w: [m]) -> [n] =\n    x * w\n";

/** Share opened on a program with an error, with a clipboard that can be read. */
async function sharing(options) {
  const { visitor, page } = await flow.opened(options);
  await visitor.profile.grantPermissions(["clipboard-read", "clipboard-write"]);
  await setText(page, erring);
  await eventually(() => verdictOf(page), /1 error/);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("Link copied").waitFor();
  const link = await page.getByRole("textbox", { name: "The link" }).inputValue();
  return { visitor, page, link, panel: page.locator(".share") };
}

test("Share says what the link holds, and what it doesn't", async () => {
  const { visitor, panel } = await sharing();
  await panel.getByText(/characters, fits any chat/).waitFor();
  await panel.getByText(/Holds: the program \(2 lines\), the selection, the open tab\. Not:/).waitFor();
  await panel.getByText(/Nothing was uploaded\./).waitFor();
  await visitor.done();
});

test("Markdown, an issue and a snippet are copied with program, drawing and link", async () => {
  const { visitor, page, link, panel } = await sharing();
  const copied = async (name) => {
    await panel.getByRole("button", { name }).click();
    await panel.getByText(`Copied: ${name}`).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const markdown = await copied("Markdown with the error");
  assert.ok(markdown.startsWith(`\`\`\`strand\n${erring}\`\`\`\n`));
  // The engine's own Markdown, with the shapes lined up.
  assert.match(markdown, /^\*\*E0503\*\* x \\\* w don't line up/m);
  assert.match(markdown, /Axes pair up from the right, by name:\n +x +n/);
  assert.ok(markdown.includes(`](${link})`));
  const issue = await copied("For an issue");
  assert.match(issue, /^### E0503: .*\n\nStrand \d+\.\d+, build [0-9a-f]{12}, Chromium \d+\n/);
  assert.match(issue, /^\*\*E0503\*\* /m);
  const html = await copied("Snippet");
  // A page without scripts of its own shows the program, and leads to it.
  const reader = await flow.person();
  const plain = await reader.profile.newPage();
  await plain.setContent(html);
  await eventually(() => plain.locator("code.language-strand").textContent(), erring);
  await eventually(() => plain.getByRole("link").getAttribute("href"), link);
  await reader.leave();
  await visitor.done();
});

test("the picture is a PNG of the error on the clipboard, and a file where that is refused", async () => {
  const { visitor, page, panel } = await sharing();
  await panel.getByRole("button", { name: "Picture of the error" }).click();
  await panel.getByText("The picture is copied").waitFor();
  const size = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const bitmap = await createImageBitmap(await item.getType("image/png"));
    return { width: bitmap.width, height: bitmap.height };
  });
  assert.ok(size.width >= 800 && size.height >= 500, JSON.stringify(size));
  await page.evaluate(() => {
    navigator.clipboard.write = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
  });
  const file = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Picture of the error" }).click();
  const saved = await file;
  assert.equal(saved.suggestedFilename(), "strand-E0503.png");
  await panel.getByText("saved as a file").waitFor();
  await visitor.done();
});

test("the QR code is drawn; a text that the clipboard refuses stands selected", async () => {
  const { visitor, page, panel } = await sharing();
  await panel.getByRole("button", { name: "QR code" }).click();
  await panel.getByRole("img", { name: "QR code of the link" }).waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
  });
  await panel.getByRole("button", { name: "Snippet" }).click();
  await panel.getByRole("textbox", { name: "Snippet" }).waitFor();
  await expectSelected(page, /^<strand-snippet>/);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await visitor.done();
});

test("the receiver of an error sees it drawn, at the selection, beneath where it came from", async () => {
  const { visitor, link } = await sharing();
  await visitor.leave();
  const receiver = await flow.person();
  const page = await receiver.open(link);
  await page.getByText("From a link. Checked, not run.").waitFor();
  await page.locator(".drawn .drawing", { hasText: "E0503" }).waitFor();
  await settled(page);
  // It takes no focus, and leaves the caret at the selection that was shared.
  await eventually(() => page.evaluate(() => document.activeElement === document.body), true);
  await receiver.done();
});

test("a phone hands the link to the system's sheet", async () => {
  const { visitor, page, link, panel } = await sharing({
    viewport: viewports.phone,
    hasTouch: true,
    isMobile: true,
    initScript: () => {
      navigator.share = (given) => {
        window.given = given;
        return Promise.resolve();
      };
    },
  });
  await panel.getByRole("button", { name: "Send …" }).click();
  await eventually(() => page.evaluate(() => window.given?.url), link);
  await visitor.done();
});
