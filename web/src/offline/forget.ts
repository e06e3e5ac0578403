import type { Playground } from "../app/playground";
import { forgetAll } from "../store/storage";
import { CACHE_PREFIX, SCRIPT } from "./names";

/** Removes the files that are kept, and what keeps them. */
export async function forgetFiles(): Promise<void> {
  try {
    for (const registration of await navigator.serviceWorker.getRegistrations()) {
      const worker = registration.active ?? registration.waiting ?? registration.installing;
      if (worker?.scriptURL.endsWith(`/${SCRIPT}`) === true) await registration.unregister();
    }
    for (const name of await caches.keys()) if (name.startsWith(CACHE_PREFIX)) await caches.delete(name);
  } catch {
    // Where neither is allowed, nothing is kept either.
  }
}

/** Leaves nothing of Strand's in this browser: no texts, settings, files and no service worker. */
export async function forgetEverything(playground: Playground): Promise<void> {
  playground.startAnew();
  forgetAll();
  playground.texts.refresh();
  await forgetFiles();
}
