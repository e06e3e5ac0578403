import { firstUrl, laterUrl } from "virtual:strand-engine-urls";
import { messages } from "../messages";
import { isForbidden } from "./failures";

/** The engine couldn't be fetched or isn't this page's. */
export class EngineUnavailable extends Error {
  constructor(
    message: string,
    /** Whether the page's policy doesn't allow WebAssembly. */
    readonly isForbidden = false,
  ) {
    super(message);
  }
}

/** The build id in a module's custom section, or "" where it has none. */
function buildOf(module: WebAssembly.Module): string {
  const section = WebAssembly.Module.customSections(module, "strand-build")[0];
  return section === undefined ? "" : new TextDecoder().decode(section);
}

function buildOfPage(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="strand-build"]')?.content ?? "";
}

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // A host that serves .wasm under another type can't be compiled while it loads.
  if (response.headers.get("content-type") === "application/wasm")
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * The engine's modules, compiled once for all workers: the first part, which is there from the beginning, and the later
 * one, without which the engine works too, as long as it needs nothing of it.
 */
export class EngineParts {
  readonly laterUrl = laterUrl;
  private module: WebAssembly.Module | null = null;
  private fetching: Promise<void> | null = null;
  private readonly waiting = new Set<(later: WebAssembly.Module) => void>();

  constructor(readonly first: WebAssembly.Module) {}

  /** The later part, where it has come. */
  get later(): WebAssembly.Module | null {
    return this.module;
  }

  /** Calls back when the later part comes; gives what takes that back. */
  whenLater(use: (later: WebAssembly.Module) => void): () => void {
    this.waiting.add(use);
    return () => this.waiting.delete(use);
  }

  /** Fetches the later part. Where that fails, the worker that first needs it tries again and says why. */
  fetchLater(): Promise<void> {
    this.fetching ??= compile(laterUrl).then(
      (later) => {
        this.module = later;
        for (const use of this.waiting) use(later);
        this.waiting.clear();
      },
      () => {
        this.fetching = null;
      },
    );
    return this.fetching;
  }
}

/**
 * Fetches and compiles the engine's first part and checks that page, script and engine are of one build, of which
 * `page` is the page's. Throws `EngineUnavailable` with a sentence for the reader otherwise.
 */
export async function loadEngine(page = buildOfPage()): Promise<EngineParts> {
  let module: WebAssembly.Module;
  try {
    module = await compile(firstUrl);
  } catch (error) {
    throw new EngineUnavailable(
      messages.engineUnavailable(error instanceof Error ? error.message : String(error)),
      isForbidden(error),
    );
  }
  for (const build of [page, buildOf(module)]) {
    if (build !== __BUILD_ID__) {
      throw new EngineUnavailable(messages.mixedBuilds(page, __BUILD_ID__, buildOf(module)));
    }
  }
  return new EngineParts(module);
}
