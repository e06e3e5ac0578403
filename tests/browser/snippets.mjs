/** Pages with `<strand-snippet>` in them, for the flows that turn to one. */

export const POLICY =
  "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'";

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export const snippet = (text, attributes = "") =>
  `<strand-snippet ${attributes}><pre><code>${escaped(text)}</code></pre></strand-snippet>`;

export const TWICE = "fn twice(x: [n]) -> [n] = x + x\n";
export const BROKEN = "fn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n";
export const ENDLESS =
  "acc = 0.0\nfor i in 0..100000:\n    for j in 0..100000:\n        acc = acc + 1.0\nprint(acc)\n";

export const pageOf = (...snippets) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title>
  <script type="module" src="../strand-snippet.js"></script></head>
  <body><main><h1>Docs</h1>${snippets.join("\n")}</main></body></html>`;

/**
 * What opens a page of a flow's docs, once its snippets can be turned to; what it tells and asks for is written down.
 * `options` are those of the visitor's browser.
 */
export const openedIn =
  (flow) =>
  async (name, { url = flow.url, ...options } = {}) => {
    const visitor = await flow.person({
      ...options,
      initScript: () => {
        window.told = [];
        window.keys = [];
        for (const kind of ["ready", "result", "error"])
          document.addEventListener(kind, ({ detail }) => window.told.push([kind, detail]), true);
        document.addEventListener("keydown", ({ key }) => window.keys.push(key));
      },
    });
    const page = await visitor.profile.newPage();
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1)));
    await page.goto(`${url}docs/${name}.html`);
    await page.locator("strand-snippet button").first().waitFor();
    const at = (place) => page.locator("strand-snippet").nth(place);
    const told = (kind) => page.evaluate((wanted) => window.told.filter(([found]) => found === wanted), kind);
    return { visitor, page, asked, at, told };
  };

export const cells = (snippet) => snippet.locator('figure[data-value="result"] .cell').allInnerTexts();

export const values = (snippet) => snippet.locator(".scalar").allInnerTexts();
