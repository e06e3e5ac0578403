/** Says how the later part is put in place. Without it, it must be in place before anything needs it. */
export function whenNeeded(how: () => void): void;

/** What the engine calls, once. */
export function load(): void;
