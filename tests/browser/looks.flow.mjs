/** The page at both widths and in both themes: readable by everybody, and by keyboard alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import { accessibilityFaults, eventually, expectClean, setText, setUp } from "./harness.mjs";

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
      await page.waitForTimeout(200);
    },
  },
];

for (const colorScheme of ["light", "dark"]) {
  for (const [width, viewport] of Object.entries(viewports)) {
    test(`no accessibility faults, ${colorScheme}, ${width}`, async () => {
      const touch = width === "phone" ? { hasTouch: true, isMobile: true } : {};
      const visitor = await flow.person({ colorScheme, viewport, ...touch });
      const page = await visitor.open(flow.url);
      await expectClean(page);
      for (const state of states) {
        await state.go(page, width === "phone");
        assert.deepEqual(await accessibilityFaults(page), [], state.name);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${state.name}: ${overflow} px wider than the screen`);
      }
      assert.deepEqual(visitor.faults, []);
      await visitor.leave();
    });
  }
}

test("the page fits 320 px", async () => {
  const visitor = await flow.person({ viewport: { width: 320, height: 568 } });
  const page = await visitor.open(flow.url);
  await expectClean(page);
  for (const name of ["Code", "Result", "PyTorch"]) {
    await showTab(page, name, true);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} px`);
  }
  await visitor.leave();
});

test("with less motion asked for, nothing moves", async () => {
  const visitor = await flow.person({ reducedMotion: "reduce" });
  const page = await visitor.open(flow.url);
  await expectClean(page);
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((time) => time !== "0s");
      })
      .map((element) => element.className),
  );
  assert.deepEqual(moving, []);
  await visitor.leave();
});

test("on a phone every control is at least 44 px high, and at least 24 px wide", async () => {
  const visitor = await flow.person({ viewport: viewports.phone, hasTouch: true, isMobile: true });
  const page = await visitor.open(flow.url);
  await expectClean(page);
  for (const name of ["Code", "Result", "PyTorch"]) {
    await showTab(page, name, true);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select")]
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 24))
        .map(
          ({ element, box }) =>
            `${element.tagName} ${element.className} ${element.textContent} ${box.width} × ${box.height}`,
        ),
    );
    assert.deepEqual(small, [], name);
  }
  await visitor.leave();
});

test("the theme switch wins over the system, and is kept", async () => {
  const visitor = await flow.person({ colorScheme: "light" });
  const page = await visitor.open(flow.url);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: /^Theme/ }).click();
  assert.equal(await background(), light);
  await page.getByRole("button", { name: /^Theme/ }).click();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await page.locator(".cm-content").waitFor();
  assert.equal(await background(), dark);
  await visitor.leave();
});

test("values are tables whose headers are the axes, and one announcement is made per pause", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await expectClean(page);
  const table = page.locator('figure[data-value="x"] table');
  await table.waitFor();
  assert.match(await table.locator("caption").innerText(), /x/);
  assert.match(await table.locator("thead th").first().innerText(), /n[\s\S]*D/);
  assert.equal(await table.locator("tbody th[scope=row]").count(), 5);
  await setText(page, broken);
  await page.locator(".editor .strand-error").first().waitFor();
  await eventually(
    () => page.locator('.page > [aria-live="polite"]').innerText(),
    (said) => /Error E0503, line 4\./.test(said),
    "the announcement",
  );
  await visitor.leave();
});

test("the page can be used by keyboard alone", async () => {
  const visitor = await flow.person();
  const page = await visitor.open(flow.url);
  await expectClean(page);
  const reach = async (name) => {
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      const label = await page.evaluate(() => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        // At the end of the page the focus is nowhere for one step.
        if (element === document.body) return "";
        return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
      });
      if (label.includes(name)) return;
    }
    assert.fail(`${name} can't be reached`);
  };
  await reach("Examples");
  await page.keyboard.press("Enter");
  await page.locator(".menu-list").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator('article[aria-label="gram"]').waitFor();
  await reach("Result");
  await page.keyboard.press("ArrowRight");
  await page.locator(".torch pre").waitFor();
  await reach("Share");
  await page.keyboard.press("Enter");
  await page.locator(".share").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".share").waitFor({ state: "detached" });
  assert.deepEqual(visitor.faults, []);
  await visitor.leave();
});
