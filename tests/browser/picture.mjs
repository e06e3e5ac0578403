/**
 * Takes the README's picture of the playground as it was built last: the first error, drawn.
 *
 *     node tests/browser/picture.mjs
 */
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { expectClean, person, quiet, settled, site } from "./harness.mjs";

const PICTURE = fileURLToPath(new URL("../../www/playground.png", import.meta.url));

const browser = await launch();
const here = await site();
const visitor = await person(browser, { viewport: { width: 1280, height: 720 }, colorScheme: "light" });
const page = await visitor.open(here.url);
await expectClean(page);
// The second run of the same program is timed without the engine's start.
await page.getByRole("button", { name: /^Run/ }).click();
await settled(page);
await page.getByRole("button", { name: "do it" }).click();
await page.locator(".first-error").waitFor();
await quiet(page);
await page.screenshot({ path: PICTURE });
await browser.close();
await here.close();
