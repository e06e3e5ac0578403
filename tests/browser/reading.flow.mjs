/** The page read larger, narrower and without colours: nothing is lost, and nothing is told by colour alone. */
import { test } from "node:test";
import { eventually, expectClean, setText, setUp } from "./harness.mjs";

const WRONG = "dim D = 3\nfn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n";
const WARNED = "fn loss(p: [n 1], y: [n]) -> [] = mean((p - y) ** 2)\n";

const flow = setUp();

/** What reaches past the page's right edge and can't be scrolled to inside a box of its own. */
function lost(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => {
      for (let box = element.parentElement; box !== null; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (["auto", "scroll"].includes(overflowX) && box.getBoundingClientRect().right <= width + 1)
          return true;
      }
      return false;
    };
    const found = [...document.querySelectorAll("body *")].filter((element) => {
      const { right, width: own, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const seen = own > 1 && height > 1 && style.visibility === "visible" && style.clipPath === "none";
      return seen && right > width + 1 && !scrolls(element);
    });
    const wide = document.scrollingElement.scrollWidth > width + 1 ? ["the page itself"] : [];
    return [...wide, ...found.map((element) => `${element.tagName} ${element.className}`)];
  });
}

/** Whether the middle of a button is what a click there reaches, once it is scrolled to. */
async function reachable(locator) {
  await locator.scrollIntoViewIfNeeded();
  return locator.evaluate((button) => {
    const { x, y, width, height } = button.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return hit !== null && (button === hit || button.contains(hit));
  });
}

/** The states that are read: their name, and how one comes there. */
const STATES = [
  ["opening", () => Promise.resolve()],
  [
    "an error",
    async (page, narrow) => {
      await setText(page, WRONG);
      await page
        .locator(narrow ? ".strip-problem" : ".problem-line")
        .first()
        .click();
      await page.locator(".drawn .fix-apply").first().waitFor();
    },
  ],
  [
    "a link to share",
    async (page, narrow) => {
      const share = narrow
        ? page.locator(".phone-bar .tab", { hasText: "Share" })
        : page.locator(".header-share");
      await share.click();
      await page.locator(".share").waitFor();
    },
  ],
];

test("at 320 pixels nothing is lost and the page doesn't scroll sideways", async () => {
  for (const [name, come] of STATES) {
    const { visitor, page } = await flow.opened({ viewport: { width: 320, height: 640 } });
    await come(page, true);
    await eventually(() => lost(page), [], name);
    if (name === "an error") {
      await eventually(
        () => reachable(page.locator(".drawn .fix-apply").first()),
        true,
        "the fix can be applied",
      );
      await page.locator(".drawn .fix-apply").first().click();
      await expectClean(page);
      for (const tab of ["Result", "PyTorch"]) {
        await page.locator(".phone-bar .tab", { hasText: tab }).click();
        await eventually(() => lost(page), [], tab);
      }
    }
    await visitor.done();
  }
});

test("at 200 % of a wide screen all of it can be read and reached", async () => {
  for (const [name, come] of STATES) {
    const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
    const { visitor, page } = await flow.opened(zoomed);
    await come(page, true);
    await eventually(() => lost(page), [], name);
    if (name === "opening")
      await eventually(() => reachable(page.locator(".button.run")), true, "Run can be reached");
    if (name === "an error") {
      await eventually(
        () => reachable(page.locator(".drawn .fix-apply").first()),
        true,
        "the fix can be reached",
      );
    }
    if (name === "a link to share") {
      for (const label of ["Markdown", "QR code", "Download .strand"]) {
        await eventually(
          () => reachable(page.locator(".share button", { hasText: label }).first()),
          true,
          label,
        );
      }
    }
    await visitor.done();
  }
});

const isReadable = (contrast) => contrast >= 4.5;

/** The least contrast of the words of a drawing, as they look without colours. */
function leastContrast(page) {
  return page.locator(".drawing").evaluate((drawing) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    // Whatever notation a colour comes in, as red, green, blue and how far it covers.
    const channels = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([red, green, blue]) => {
      const linear = (channel) => {
        const part = channel / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    };
    const ground = (element) => {
      for (let box = element; box !== null; box = box.parentElement) {
        const colour = channels(getComputedStyle(box).backgroundColor);
        if (colour[3] === 255) return luminance(colour);
      }
      return 1;
    };
    let least = Infinity;
    const walker = document.createTreeWalker(drawing, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === "" || getComputedStyle(element).visibility === "hidden") continue;
      const [a, b] = [luminance(channels(getComputedStyle(element).color)), ground(element)];
      least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return least;
  });
}

test("a drawing is told without colours: signs for its marks, words for its kind, light against dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { visitor, page } = await flow.opened({ colorScheme });
    await setText(page, WRONG);
    const drawing = page.locator(".first-error .drawing");
    await drawing.waitFor();
    await eventually(() => leastContrast(page), isReadable, colorScheme);
    const marked = () =>
      drawing.locator(".shape-diff").evaluate((table) => {
        const rows = [...table.querySelectorAll("tr")];
        const signs = [...rows.at(-1).querySelectorAll("td")];
        return signs.map((sign) => [sign.className, sign.querySelector("[aria-hidden]").textContent]);
      });
    await eventually(marked, [
      ["is-missing", "+"],
      ["is-differs", "≠"],
    ]);
    await drawing.locator(".fix-look").first().click();
    await eventually(() => drawing.locator(".fix-preview del").innerText(), /−/);
    await eventually(() => drawing.locator(".fix-preview ins").innerText(), /\+/);
    await eventually(() => page.locator(".verdict").innerText(), /^✕ 1 error/);
    await setText(page, WARNED);
    await page.locator(".first-error .drawing", { hasText: "W0501" }).waitFor();
    await eventually(() => page.locator(".verdict").innerText(), /^! 1 warning/);
    await eventually(() => leastContrast(page), isReadable, `${colorScheme}, a warning`);
    await visitor.done();
  }
});
