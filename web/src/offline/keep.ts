/** Keeps this build of the site for use without a network. */
import type { Playground } from "../app/playground";
import { isEmbedded } from "../store/storage";
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

/** What the worker in charge keeps; it is told of which build this page is. */
function stateOf(worker: ServiceWorker): Promise<OfflineState> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<OfflineState>) => {
      resolve(data);
      port1.close();
    };
    worker.postMessage(__BUILD_ID__, [port2]);
  });
}

/**
 * Starts keeping the build, and says on the page once all of it is kept. Where the browser refuses, or its owner wants
 * little fetched, the page works as without.
 */
export async function keepOffline({ offline }: Playground): Promise<void> {
  const isForgotten = () => offline.value === "forgotten";
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (isEmbedded || connection?.saveData === true || isForgotten()) return;
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
    else await look((await serviceWorker.ready).active, false);
  } catch {
    // No service workers here: nothing is promised, and nothing is missing from the page.
  }
}
