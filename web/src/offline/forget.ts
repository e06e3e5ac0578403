import type { Playground } from "../app/playground";
import { forgetAll } from "../store/storage";
import { CACHE_PREFIX, FORGET, SCRIPT } from "./names";

/** Has a worker put nothing in any more. One that is broken, or gone already, doesn't answer. */
async function quieten(worker: ServiceWorker): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => {
    port1.onmessage = resolve;
  });
  worker.postMessage(FORGET, [port2]);
  await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
  port1.close();
}

async function forgetWorker(): Promise<void> {
  for (const registration of await navigator.serviceWorker.getRegistrations()) {
    const { installing, waiting, active } = registration;
    const workers = [installing, waiting, active].filter((worker) => worker !== null);
    if (!workers.some(({ scriptURL }) => scriptURL.endsWith(`/${SCRIPT}`))) continue;
    await Promise.all(workers.map(quieten));
    await registration.unregister();
  }
}

async function keptNames(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX));
}

/** How often, and after how long, it is looked whether a worker that was just beginning has filled a cache again. */
const LOOKS = 4;
const LOOK_MS = 250;

async function forgetCaches(): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    for (const name of await keptNames()) await caches.delete(name);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Removes the files that are kept, and what keeps them; gives whether none is left. */
export async function forgetFiles(): Promise<boolean> {
  // Where neither is allowed, nothing is kept either.
  await forgetWorker().catch(() => undefined);
  await forgetCaches().catch(() => undefined);
  return (await keptNames().catch(() => [])).length === 0;
}

/**
 * Leaves nothing of Strand's in this browser: no texts, settings, files and no service worker. Gives whether the files
 * could be removed.
 */
export async function forgetEverything(playground: Playground): Promise<boolean> {
  playground.startAnew();
  forgetAll();
  playground.texts.refresh();
  return forgetFiles();
}
