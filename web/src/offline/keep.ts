/** Keeps this build of the site for use without a network. */
import type { Playground } from "../app/playground";
import { keepsNothing } from "../store/storage";
import { forgetFiles } from "./forget";
import { SCRIPT, type OfflineState } from "./names";

function scriptAddress(): string {
  const address = new URL(SCRIPT, new URL("./", location.href)).href;
  const policy = window.trustedTypes?.createPolicy("strand-offline", {
    createScriptURL: (url) => {
      if (url !== address) throw new TypeError(`not the service worker of this page: ${url}`);
      return url;
    },
  });
  return (policy?.createScriptURL(address) ?? address) as string;
}

/** How often a page asks what is kept, and how long it waits from one time to the next. */
const ASKED = 30;
const PAUSE_MS = 2000;

function pause(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS, null));
}

/** What a worker keeps, null where it doesn't answer; it is told of which build this page is. */
function stateOf(worker: ServiceWorker): Promise<OfflineState | null> {
  const answer = new Promise<OfflineState>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<OfflineState>) => {
      resolve(data);
      port1.close();
    };
    worker.postMessage(__BUILD_ID__, [port2]);
  });
  // One that is being replaced may be gone before it answers.
  return Promise.race([answer, pause()]);
}

/**
 * Starts keeping the build, and says on the page once all of it is kept. Where the browser refuses, or its owner wants
 * little fetched, the page works as without.
 */
export async function keepOffline({ offline }: Playground): Promise<void> {
  const isForgotten = () => offline.value === "forgotten";
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (keepsNothing() || connection?.saveData === true || isForgotten()) return;
  try {
    const { serviceWorker } = navigator;
    const look = async (worker: ServiceWorker | null, isNew: boolean) => {
      const state = worker === null ? null : await stateOf(worker);
      if (state?.complete !== true || isForgotten()) return;
      if (state.build === __BUILD_ID__) offline.value = "ready";
      else if (isNew) offline.value = "newer";
    };
    // Which worker is in charge is said here before the registration says it.
    serviceWorker.addEventListener("controllerchange", () => void look(serviceWorker.controller, true));
    await serviceWorker.register(scriptAddress(), { updateViaCache: "none" });
    if (isForgotten()) await forgetFiles();
    const registration = await serviceWorker.ready;
    // By itself the browser looks for a newer build only once nothing happens on the page. Without a host it can't.
    registration.update().catch(() => undefined);
    for (let asked = 0; asked < ASKED && offline.value === "none"; asked++) {
      // One that is being replaced isn't kept from ending by questions.
      const { active, installing, waiting } = registration;
      if (installing === null && waiting === null) await look(active, false);
      await pause();
    }
  } catch {
    // No service workers here: nothing is promised, and nothing is missing from the page.
  }
}
