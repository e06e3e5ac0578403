/** What runs by itself, and how long the rest would take on this machine. */
import type { Cost } from "../engine/contract";

const AUTOMATIC_MULTIPLY_ADDS = 20e6;
const AUTOMATIC_BYTES = 32e6;
/** Multiply-adds per second assumed before a run has shown what this machine does. */
const FIRST_RATE = 100e6;
/** Shorter runs say more of the way to them than of the machine. */
const TELLING_MULTIPLY_ADDS = 1e6;
const KEPT = 5;

/** Whether a program is cheap enough to run unasked. */
export function runsByItself(cost: Cost | null): boolean {
  return cost !== null && cost.multiplyAdds <= AUTOMATIC_MULTIPLY_ADDS && cost.bytes <= AUTOMATIC_BYTES;
}

/** The machine's speed, as its last runs showed it. */
export class Speed {
  /** Multiply-adds per second, the newest last. */
  constructor(
    private rates: readonly number[],
    private readonly keep: (rates: readonly number[]) => void,
  ) {}

  ran(cost: Cost | null, milliseconds: number): void {
    if (cost === null || cost.multiplyAdds < TELLING_MULTIPLY_ADDS || milliseconds <= 0) return;
    this.rates = [...this.rates, (cost.multiplyAdds / milliseconds) * 1000].slice(-KEPT);
    this.keep(this.rates);
  }

  /** The middle one of the last runs counts, so that one run beside something else doesn't. */
  secondsFor(cost: Cost): number {
    const sorted = [...this.rates].sort((a, b) => a - b);
    return cost.multiplyAdds / (sorted[Math.floor(sorted.length / 2)] ?? FIRST_RATE);
  }
}
