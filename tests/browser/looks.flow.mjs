/** The page at both widths and in both themes: readable by everybody, and by keyboard alone. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectAccessible,
  expectClean,
  expectNarrow,
  reach,
  setText,
  setUp,
} from "./harness.mjs";

const flow = setUp();

const broken = `dim D = 3

fn scale(x: [n D], w: [n]) -> [n D] =
    x * w

fn cube(x: [a b D]) -> [a b D] = x + 1.0

fn mask(x: [n]) -> [n] bool = x > 2.0

print("hello")
`;

/** Clicks a tab: of the views on a wide page, of the bottom row on a phone. */
async function showTab(page, name, isPhone) {
  const rows = page.getByRole("tablist", { name: isPhone ? "Parts of the page" : "Views of the program" });
  await rows.getByRole("tab", { name }).click();
}

const states = [
  { name: "opening", go: async () => undefined },
  { name: "result", go: (page, isPhone) => showTab(page, "Result", isPhone) },
  { name: "PyTorch", go: (page, isPhone) => showTab(page, "PyTorch", isPhone) },
  {
    name: "errors",
    go: async (page, isPhone) => {
      if (isPhone) await showTab(page, "Code", true);
      await setText(page, broken);
      await page.locator(".editor .strand-error").first().waitFor();
      await showTab(page, "Result", isPhone);
    },
  },
  {
    name: "problems",
    go: async (page, isPhone) => {
      if (isPhone) await showTab(page, "Code", true);
      await page
        .locator(isPhone ? ".strip-problem" : ".problem-line")
        .first()
        .click();
      await page.locator(".drawn .drawing").waitFor();
    },
  },
  {
    name: "preview of a fix",
    go: async (page) => {
      await page.locator(".drawn .fix-look").first().focus();
      await page.locator(".drawn .fix-preview ins").first().waitFor();
    },
  },
  {
    name: "characters on the soft keyboard",
    go: async (page, isPhone) => {
      if (!isPhone) return;
      await page.getByRole("button", { name: "Close the drawing" }).click();
      await page.locator(".cm-line").first().click();
      await page.setViewportSize({ width: 360, height: 380 });
      await page.locator(".keys").waitFor();
    },
  },
  {
    name: "menu",
    go: async (page, isPhone) => {
      if (isPhone) await page.setViewportSize(viewports.phone);
      await page.getByRole("button", { name: "Recent" }).click();
    },
  },
  {
    name: "more",
    go: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "More" }).click();
    },
  },
  {
    name: "share",
    go: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Share" }).click();
      await page.locator(".share").waitFor();
    },
  },
  {
    name: "QR code",
    go: async (page) => {
      await page.getByRole("button", { name: "QR code" }).click();
      await page.locator(".share-qr").waitFor();
    },
  },
  {
    name: "link received",
    go: async (page) => {
      const link = await page.getByRole("textbox", { name: "The link" }).inputValue();
      await page.goto("about:blank");
      await page.goto(link);
      await page.locator(".drawn .drawing").waitFor();
    },
  },
  {
    name: "damaged link",
    go: async (page) => {
      const damaged = page.url().slice(0, -3);
      await page.goto("about:blank");
      await page.goto(damaged);
      await page.locator(".notice.is-warning").waitFor();
    },
  },
  {
    name: "empty program",
    go: async (page) => {
      await setText(page, "");
      await expectClean(page);
    },
  },
];

for (const colorScheme of ["light", "dark"]) {
  for (const [width, viewport] of Object.entries(viewports)) {
    test(`no accessibility faults, ${colorScheme}, ${width}`, async () => {
      const touch = width === "phone" ? { hasTouch: true, isMobile: true } : {};
      const { visitor, page } = await flow.opened({ colorScheme, viewport, ...touch });
      for (const state of states) {
        await state.go(page, width === "phone");
        await expectAccessible(page, state.name);
        await expectNarrow(page, state.name);
      }
      await visitor.done();
    });
  }
}

test("the page fits 320 px", async () => {
  const { visitor, page } = await flow.opened({ viewport: { width: 320, height: 568 } });
  for (const name of ["Code", "Result", "PyTorch"]) {
    await showTab(page, name, true);
    await expectNarrow(page, name);
  }
  await visitor.leave();
});

test("with less motion asked for, nothing moves", async () => {
  const { visitor, page } = await flow.opened({ reducedMotion: "reduce" });
  const moving = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return animationName !== "none" || transitionDuration.split(", ").some((time) => time !== "0s");
        })
        .map((element) => element.className),
    );
  await eventually(moving, [], "what moves");
  await visitor.leave();
});

test("on a phone every control is at least 44 px high, and at least 24 px wide", async () => {
  const { visitor, page } = await flow.opened({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  for (const name of ["Code", "Result", "PyTorch"]) {
    await showTab(page, name, true);
    const small = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("button, input, select")]
          .map((element) => ({ element, box: element.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 24))
          .map(
            ({ element, box }) =>
              `${element.tagName} ${element.className} ${element.textContent} ${box.width} × ${box.height}`,
          ),
      );
    await eventually(small, [], `small on ${name}`);
  }
  await visitor.leave();
});

test("the theme switch wins over the system, and is kept", async () => {
  // Without motion a colour is there at once.
  const { visitor, page } = await flow.opened({ colorScheme: "light", reducedMotion: "reduce" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.locator("html[data-theme=light]").waitFor();
  await eventually(background, light);
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.locator("html[data-theme=dark]").waitFor();
  const dark = await eventually(background, (colour) => colour !== light, "the page is dark");
  await page.reload();
  await page.locator(".cm-content").waitFor();
  await eventually(background, dark);
  await visitor.leave();
});

test("values are tables whose headers are the axes, and one announcement is made per pause", async () => {
  const { visitor, page } = await flow.opened();
  const table = page.locator('figure[data-value="x"] table');
  await table.waitFor();
  await eventually(() => table.locator("caption").innerText(), /x/);
  await eventually(() => table.locator("thead th").first().innerText(), /n[\s\S]*D/);
  await eventually(() => table.locator("tbody th[scope=row]").count(), 5);
  await setText(page, broken);
  await page.locator(".editor .strand-error").first().waitFor();
  await eventually(
    () => page.locator('.page > [aria-live="polite"]').innerText(),
    /Error E0503, line 4\./,
    "the announcement",
  );
  await visitor.leave();
});

test("the page can be used by keyboard alone", async () => {
  const { visitor, page } = await flow.opened();
  await reach(page, "Examples");
  await page.keyboard.press("Enter");
  await page.locator(".menu-list").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator('article[aria-label="gram"]').waitFor();
  await reach(page, "Result");
  await page.keyboard.press("ArrowRight");
  await page.locator(".torch pre").waitFor();
  await reach(page, "Share");
  await page.keyboard.press("Enter");
  await page.locator(".share").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".share").waitFor({ state: "detached" });
  await visitor.done();
});
