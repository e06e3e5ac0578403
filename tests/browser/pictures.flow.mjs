/** What `show` asks for is drawn, played and told; the gallery's pages show it without a script, and open it live. */
import { test } from "node:test";
import { viewports } from "./browser.mjs";
import {
  eventually,
  expectAccessible,
  expectClean,
  expectNarrow,
  expectStill,
  expectText,
  programs,
  setText,
  setUp,
  textOf,
} from "./harness.mjs";

const flow = setUp();

const VIEWS = `dim H = 3
dim W = 4

fn ramp() -> [H W] = H |> map(y => W |> map(x => ((y * 4 + x) to f32) - 6.0))

fn film() -> [5 H W] = 5 |> map(t => ramp() * (t to f32))

show(ramp(), view="heat")
show(ramp(), view="image")
show(full([H W 3], 0.5), view="image")
show(film(), view="frames", fps=20)
show([[0.0, 1.0], [2.0, 5.0]], view="scatter", color=[0, 1])
show(ramp(), view="line")
show([3.0, -1.0, 2.0], view="bars")
show([1.0, 2.0, 2.0, 4.0], view="hist", bins=3)
show(ramp(), view="table")
`;

/** What a reader is told of each picture. */
const TOLD = [
  "Heat map of ramp(), 3 rows and 4 columns, between −6 and 5",
  "Image of ramp(), 4 wide and 3 high, between −6 and 5",
  "Image of full([H W 3], 0.5), 4 wide and 3 high, between 0.5 and 0.5",
  "5 frames of film(), each 4 wide and 3 high",
  "2 points of [[0.0, 1.0], [2.0, 5.0]], column 0 from −0.1 to 2.1, column 1 from 0.8 to 5.2, in 2 groups",
  "3 lines of ramp() along W, 4 places, between −6 and 5",
  "3 bars of [3.0, -1.0, 2.0] along place, between −1 and 3",
  "Histogram of [1.0, 2.0, 2.0, 4.0] in 3 bins, between 1 and 4, at most 2 in one",
];

function told(page) {
  return page
    .locator(".picture [role=img]")
    .evaluateAll((pictures) => pictures.map((one) => one.getAttribute("aria-label")));
}

/** The colours of a canvas's cells, by the points in their middles. */
function colours(page, index, rows, columns) {
  return page
    .locator("canvas")
    .nth(index)
    .evaluate(
      (canvas, { rows, columns }) => {
        const context = canvas.getContext("2d");
        const at = (row, column) => [
          ...context.getImageData(
            Math.floor(((column + 0.5) * canvas.width) / columns),
            Math.floor(((row + 0.5) * canvas.height) / rows),
            1,
            1,
          ).data,
        ];
        return Array.from({ length: rows }, (_, row) =>
          Array.from({ length: columns }, (_, column) => at(row, column)),
        );
      },
      { rows, columns },
    );
}

/** Waits for as long as three frames of the film last, by the page's own clock. */
function passFrames(page) {
  return page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3 * (1000 / 20))));
}

async function withViews(options) {
  const { visitor, page } = await flow.opened(options);
  await setText(page, VIEWS);
  await expectClean(page);
  if (options.viewport === viewports.phone) await page.getByRole("tab", { name: "Result" }).click();
  await eventually(() => told(page), TOLD, "what a reader is told of the pictures");
  return { visitor, page };
}

test("each view is drawn and told, with its numbers below it", async () => {
  const { visitor, page } = await withViews({ reducedMotion: "reduce" });
  await eventually(async () => (await colours(page, 1, 3, 4))[0][0], [0, 0, 0, 255]);
  await eventually(async () => (await colours(page, 1, 3, 4))[2][3], [255, 255, 255, 255]);
  await eventually(
    () => colours(page, 2, 3, 4),
    ([[colour]]) => colour.slice(0, 3).every((channel) => Math.abs(channel - 128) <= 1),
    "a half of the light is the middle grey",
  );
  const numbers = page.locator("details.numbers").first();
  await numbers.locator("summary").click();
  await eventually(() => numbers.locator("th.corner .axis").allInnerTexts(), ["H", "W"]);
  await eventually(() => page.locator(".levels").first().locator(".axis").allInnerTexts(), ["W", "H"]);
  await visitor.done();
});

test("heat follows the theme", async () => {
  const { visitor, page } = await withViews({ reducedMotion: "reduce", colorScheme: "light" });
  const isDrawn = (cells) => cells.flat().every(([, , , cover]) => cover === 255);
  const light = await eventually(() => colours(page, 0, 3, 4), isDrawn, "every cell has its light colour");
  await page.emulateMedia({ colorScheme: "dark" });
  await eventually(
    () => colours(page, 0, 3, 4),
    (dark) => dark.flat().every((colour, at) => String(colour) !== String(light.flat()[at])),
    "every cell has its dark colour",
  );
  await visitor.leave();
});

test("frames play and pause, and stand still for whoever wants less motion", async () => {
  const moving = await withViews({ reducedMotion: "no-preference" });
  const place = (page) => page.locator(".frames-bar .outer-position").innerText();
  const seen = new Set();
  await eventually(
    async () => seen.add(await place(moving.page)).size,
    (count) => count >= 4,
    "frames follow each other",
  );
  await moving.page.getByRole("button", { name: "Pause" }).click();
  await moving.page.getByRole("button", { name: "Play" }).waitFor();
  const stopped = await place(moving.page);
  await passFrames(moving.page);
  await expectStill(() => place(moving.page), stopped);
  await moving.visitor.leave();

  const still = await withViews({ reducedMotion: "reduce" });
  await passFrames(still.page);
  await expectStill(() => place(still.page), "0 / 4");
  await still.page.getByRole("slider", { name: "Position on frame" }).fill("4");
  await eventually(async () => (await colours(still.page, 3, 3, 4))[2][3], [255, 255, 255, 255]);
  await still.page.getByRole("button", { name: "Play" }).click();
  await eventually(
    () => place(still.page),
    (at) => at !== "4 / 4",
    "it plays when asked",
  );
  await still.visitor.leave();
});

test("a film of many frames comes part by part", async () => {
  const { visitor, page } = await flow.opened({ reducedMotion: "reduce" });
  await setText(
    page,
    'film = 300 |> map(t => 40 |> map(y => 40 |> map(x => t)))\nshow(film, view="frames")\n',
  );
  await expectClean(page);
  await page.getByRole("slider", { name: "Position on frame" }).waitFor();
  for (const [at, grey] of [
    ["299", 255],
    ["150", 128],
    ["0", 0],
  ]) {
    await page.getByRole("slider", { name: "Position on frame" }).fill(at);
    await eventually(
      () => colours(page, 0, 1, 1),
      ([[[red]]]) => Math.abs(red - grey) <= 2,
      `frame ${at} is its own`,
    );
  }
  await visitor.done();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(viewports)) {
    test(`pictures and the gallery's pages are accessible, ${colorScheme}, ${size}`, async () => {
      const { visitor, page } = await withViews({ reducedMotion: "reduce", colorScheme, viewport });
      await expectAccessible(page);
      for (const name of ["index", "game-of-life", "same-size-other-axis", "k-means"]) {
        await page.goto(`${flow.url}gallery/${name}.html`);
        await expectAccessible(page, name);
        await expectNarrow(page, name);
      }
      await visitor.leave();
    });
  }
}

test("the sheet has a picture of every program, without a script", async () => {
  const context = await flow.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${flow.url}gallery/index.html`);
  const cards = page.locator(".sheet-card");
  await eventually(() => cards.count(), programs.length);
  for (let at = 0; at < programs.length; at++) {
    await eventually(
      () => cards.nth(at).locator(".thumb :is(svg, table)").first().boundingBox(),
      (drawn) => drawn !== null && drawn.width > 60 && drawn.height > 60,
      programs[at].name,
    );
  }
  await context.close();
});

test("a program of the gallery opens in the playground, and is tried in place with its change", async () => {
  const context = await flow.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${flow.url}gallery/fibonacci.html`);
  await page.getByRole("button", { name: "Try the change here" }).click();
  const frame = page.frameLocator("iframe.program-frame");
  await frame.locator(".verdict", { hasText: "error" }).waitFor();
  await page.goto(`${flow.url}gallery/fibonacci.html`);
  await page.getByRole("link", { name: "Open in the playground" }).click();
  await page.locator(".cm-content").waitFor();
  await expectText(page, programs.find(({ name }) => name === "fibonacci").text);
  await context.close();
});

test("an example's suggested edit is made by one press, and undone by one", async () => {
  const { visitor, page } = await flow.opened();
  await page.getByRole("button", { name: "Examples" }).click();
  await page
    .locator("button.menu-item")
    .nth(programs.findIndex(({ name }) => name === "times-table"))
    .click();
  await expectClean(page);
  await page
    .getByRole("complementary", { name: "A first step" })
    .getByRole("button", { name: "do it" })
    .click();
  await eventually(
    () => textOf(page),
    (text) => text.includes("(i + 1) % (j + 1)"),
    "the edit is made",
  );
  await eventually(() => page.locator(".coaching").count(), 0);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await eventually(
    () => textOf(page),
    (text) => text.includes("(i + 1) * (j + 1)"),
    "the edit is undone",
  );
  await visitor.done();
});
