/**
 * The page's own functions, which `extern fn` finds when a program runs: a host page names their module in
 * `<meta name="strand-externs" content="./fns.js">`. Only a module of the page's own site is loaded.
 */
export type ExternsSource =
  | { kind: "none" }
  | { kind: "module"; url: string; file: string }
  /** It lies on another site. */
  | { kind: "refused"; given: string };

export function externsSource(page: Document): ExternsSource {
  const given = page.querySelector<HTMLMetaElement>('meta[name="strand-externs"]')?.content.trim() ?? "";
  if (given === "") return { kind: "none" };
  const url = URL.parse(given, page.baseURI);
  if (url?.origin !== new URL(page.baseURI).origin) return { kind: "refused", given };
  return { kind: "module", url: url.href, file: url.pathname.split("/").pop() ?? "" };
}
