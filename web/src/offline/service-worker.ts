/**
 * Keeps the site for use without a network, each build in a cache of its own.
 *
 * Pages come from the network while there is one, so that no visit sees an older build than the host has; without it
 * they come from the newest build that is kept whole. Everything else carries a hash of its content in its name, and
 * comes from whichever build has it: a page goes on with the files it was written for, also where the host has a newer
 * build. A build is taken in only whole, and only if each of its pages says that it is of that build: an upload that is
 * still under way is left for the next visit. Workbox knows one store for all builds, and would take an open page's
 * files away with an update.
 */
import { cacheName, CACHE_PREFIX, FORGET, type OfflineState } from "./names";

declare const self: ServiceWorkerGlobalScope;

/** Every file of the build, relative to the site's root. */
declare const __FILES__: readonly string[];

/** What is put in last: a build that has it is whole. */
const HOME = "index.html";
/** A host that takes longer to answer counts as none, where the page is kept. */
const PATIENCE_MS = 4000;
/** So many files are fetched at a time, beside what the open page may want. */
const AT_ONCE = 4;

const { scope } = self.registration;
const OWN = cacheName(scope, __BUILD_ID__);
const files: ReadonlySet<string> = new Set(__FILES__);

/** Somebody asked for everything to be forgotten: nothing is put in any more. */
const forgetting = new AbortController();
let filling: Promise<unknown> = Promise.resolve();

function addressOf(file: string): string {
  return new URL(file, scope).href;
}

function isPage(file: string): boolean {
  return file.endsWith(".html");
}

function kept(address: string, name: string): Promise<Response | undefined> {
  return caches.match(address, { cacheName: name, ignoreVary: true });
}

/** A file of any build that is kept. */
async function keptAnywhere(address: string): Promise<Response | undefined> {
  const own = await kept(address, OWN);
  if (own !== undefined) return own;
  for (const name of await keptBuilds()) {
    const found = await kept(address, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function keptBuilds(): Promise<string[]> {
  const names = await caches.keys();
  return names.filter((name) => name.startsWith(`${CACHE_PREFIX}${scope} `));
}

async function isComplete(): Promise<boolean> {
  return (await kept(addressOf(HOME), OWN)) !== undefined;
}

/** A file of this very build; throws where the host gives something else. */
async function fetched(file: string): Promise<Response> {
  const { signal } = forgetting;
  const response = await fetch(addressOf(file), { cache: isPage(file) ? "no-cache" : "default", signal });
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  const { headers } = response;
  // A response that was led elsewhere may not answer a navigation: what is kept is made anew.
  if (isPage(file)) {
    const text = await response.text();
    if (!text.includes(`content="${__BUILD_ID__}"`)) throw new Error(`${file} is of another build`);
    return new Response(text, { headers });
  }
  // Many hosts answer with a page where a file is missing.
  if (headers.get("content-type")?.startsWith("text/html") === true) throw new Error(`${file} is missing`);
  return new Response(response.body, { headers });
}

async function take(cache: Cache, file: string): Promise<void> {
  forgetting.signal.throwIfAborted();
  const address = addressOf(file);
  const known = isPage(file) ? undefined : await keptAnywhere(address);
  await cache.put(address, known ?? (await fetched(file)));
}

async function fill(): Promise<void> {
  if (await isComplete()) return;
  const cache = await caches.open(OWN);
  try {
    const left = [...files].filter((file) => file !== HOME);
    while (left.length > 0) await Promise.all(left.splice(0, AT_ONCE).map((file) => take(cache, file)));
    await take(cache, HOME);
  } catch (error) {
    await caches.delete(OWN);
    throw error;
  }
}

/** Removes the builds of which no page is open any more. */
async function tidy(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const open = new Set(held.map(({ name }) => name));
  for (const name of await keptBuilds()) {
    if (name !== OWN && !open.has(name)) await caches.delete(name);
  }
}

/** The file that answers a navigation, also where a host leaves out `index.html` or `.html`; null where none does. */
function pageOf(url: URL): string | null {
  const path = url.href.slice(scope.length).replace(/[?#].*$/, "");
  const candidates = [
    path,
    `${path}${path === "" || path.endsWith("/") ? "" : "/"}index.html`,
    `${path}.html`,
  ];
  return candidates.find((file) => isPage(file) && files.has(file)) ?? null;
}

async function fromNetwork(event: FetchEvent): Promise<Response> {
  const early = (await event.preloadResponse) as Response | undefined;
  return early ?? fetch(event.request);
}

async function page(event: FetchEvent, file: string): Promise<Response> {
  const network = fromNetwork(event);
  event.waitUntil(network.catch(() => undefined));
  const patience = new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MS, null));
  const response = await Promise.race([network.catch(() => null), patience]);
  if (response !== null && response.status < 500) return response;
  return (await kept(addressOf(file), OWN)) ?? network;
}

self.addEventListener("install", (event) => {
  // While it is being filled, its name is held, so that no other worker takes it for one that nobody needs.
  filling = navigator.locks.request(OWN, { mode: "shared" }, fill);
  event.waitUntil(filling.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  // A worker of another build may have taken the filled cache for one that nobody needs.
  filling = fill();
  event.waitUntil(
    Promise.all([filling.then(tidy), self.registration.navigationPreload.enable()]).then(() =>
      self.clients.claim(),
    ),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const url = new URL(request.url);
  if (request.mode === "navigate") {
    const file = pageOf(url);
    if (file !== null) event.respondWith(page(event, file));
  } else if (request.url.startsWith(addressOf("assets/"))) {
    event.respondWith(keptAnywhere(request.url).then((found) => found ?? fetch(request)));
  }
});

/** Ends the filling, and leaves nothing of what it put in. */
async function forget(): Promise<void> {
  forgetting.abort();
  await filling.catch(() => undefined);
  await caches.delete(OWN);
}

/** A page asks what is kept, and says by it of which build it is; or it wants all of it forgotten. */
self.addEventListener("message", (event) => {
  const [port] = event.ports;
  const answer = async () => {
    if (event.data === FORGET) {
      await forget();
      port?.postMessage(null);
      return;
    }
    const state: OfflineState = { build: __BUILD_ID__, complete: await isComplete() };
    port?.postMessage(state);
    if (event.data === __BUILD_ID__) await tidy();
  };
  event.waitUntil(answer());
});
