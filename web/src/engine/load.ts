import engineUrl from "virtual:strand-engine-url";
import { messages } from "../messages";

/** The engine couldn't be fetched or isn't this page's. */
export class EngineUnavailable extends Error {}

/** The build id in a module's custom section, or "" where it has none. */
function buildOf(module: WebAssembly.Module): string {
  const section = WebAssembly.Module.customSections(module, "strand-build")[0];
  return section === undefined ? "" : new TextDecoder().decode(section);
}

function buildOfPage(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="strand-build"]')?.content ?? "";
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(engineUrl);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // A host that serves .wasm under another type can't be compiled while it loads.
  if (response.headers.get("content-type") === "application/wasm")
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Fetches and compiles the engine, once for all workers, and checks that page, script and engine are of one build.
 * Throws `EngineUnavailable` with a sentence for the reader otherwise.
 */
export async function loadEngine(): Promise<WebAssembly.Module> {
  let module: WebAssembly.Module;
  try {
    module = await compile();
  } catch (error) {
    throw new EngineUnavailable(
      messages.engineUnavailable(error instanceof Error ? error.message : String(error)),
    );
  }
  for (const build of [buildOfPage(), buildOf(module)]) {
    if (build !== __BUILD_ID__) {
      throw new EngineUnavailable(messages.mixedBuilds(buildOfPage(), __BUILD_ID__, buildOf(module)));
    }
  }
  return module;
}
