/** What page and service worker call the same things. */

/** The service worker's script, at the root of the site. */
export const SCRIPT = "strand-offline.js";

/** What the names of all our caches begin with. */
export const CACHE_PREFIX = "strand ";

/**
 * The cache of one build below one address, and the lock that every page of that build holds while it is open: a cache
 * is kept as long as somebody holds its name.
 */
export function cacheName(scope: string, build: string): string {
  return `${CACHE_PREFIX}${scope} ${build}`;
}

/** What a page says to a worker that is to keep nothing any more; it answers once nothing of its build is left. */
export const FORGET = "forget";

/** What the service worker answers to a page that asks. */
export interface OfflineState {
  build: string;
  /** Every file of the build is kept. */
  complete: boolean;
}
