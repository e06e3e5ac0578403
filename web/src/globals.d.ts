/// <reference types="vite/client" />

/** The id that this build's page, script, workers and engine share. */
declare const __BUILD_ID__: string;

declare module "virtual:strand-engine-urls" {
  /** The module that a page needs until its reader sees values. */
  export const firstUrl: string;
  /** The rest of the engine. */
  export const laterUrl: string;
}

/** Trusted Types, which TypeScript's DOM library doesn't describe yet. */
interface TrustedScriptURL {
  toString(): string;
}
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): TrustedScriptURL };
}
interface Window {
  readonly trustedTypes?: TrustedTypePolicyFactory;
}
