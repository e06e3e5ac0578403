/** How the engine asks for its later part. One for all engines of a script. */

let put = () => {};

/** Says how the later part is put in place. Without it, it must be in place before anything needs it. */
export function whenNeeded(how) {
  put = how;
}

/** What the engine calls, once. */
export function load() {
  put();
}
