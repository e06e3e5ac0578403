/** The engine failed in a way it shouldn't: its worker has been ended. */
export class EngineCrash extends Error {}

/** The engine's later part couldn't be fetched when it was needed: its worker has been ended, and a new one tries again. */
export class EngineIncomplete extends EngineCrash {}

/** The engine wouldn't do what it was asked, and goes on. */
export class EngineRefused extends Error {}

/** The worker was ended before it answered, by Stop or because a newer request replaced it. */
export class EngineEnded extends Error {}

/** What was thrown, in a line. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Whether what a value's worker answered means that the value isn't there any more. */
export function isGone(error: unknown): boolean {
  return error instanceof EngineEnded || error instanceof EngineRefused;
}

/** Whether a browser refused to compile because of the page's policy, as each of them says it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof WebAssembly.CompileError && /content security policy|\bCSP\b/i.test(error.message);
}
