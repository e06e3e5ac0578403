/**
 * The browser that the flows drive. `cargo xtask test browser` builds and serves the page and sets `STRAND_URL` and
 * `STRAND_CHROMIUM`; one flow alone, against the page as it was built last:
 *
 *     node --test tests/browser/NAME.flow.mjs
 */
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** The sandbox can't start for root, which tests often run as; the rest would speak to the network during a test. */
const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A software adapter: without these two flags there is none, which is the fallback that pages must survive. */
const WEBGPU_FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** The widths that every flow holds at. */
export const viewports = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 640 } };

/** Starts Chromium with an empty profile. */
export function launch({ webgpu = false } = {}) {
  const args = webgpu ? [...FLAGS, ...WEBGPU_FLAGS] : FLAGS;
  return chromium.launch({ executablePath: executable(), headless: true, args });
}

/**
 * What must never appear on a new page, collected from now on: exceptions, errors in the console (a refused policy is
 * one) and requests to another host than the first.
 */
export function watch(page) {
  const faults = [];
  let origin;
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!url.protocol.startsWith("http")) return;
    origin ??= url.origin;
    if (url.origin !== origin) faults.push(`request: ${url.href}`);
  });
  return faults;
}

function executable() {
  const candidates = [process.env.STRAND_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found === undefined)
    throw new Error("no Chromium: install Debian's `chromium`, or set STRAND_CHROMIUM");
  return found;
}
