import type { PartnerSpan, Range } from "../engine/contract";

/** The smallest span of one side that holds the offset, and its partner on the other. */
export function partnerAt(
  spans: readonly PartnerSpan[],
  side: "source" | "target",
  offset: number,
): { source: Range; target: Range } | null {
  let best: PartnerSpan | null = null;
  for (const span of spans) {
    const range = span[side];
    if (offset < range.from || offset > range.to) continue;
    const size = range.to - range.from;
    if (best === null || size < best[side].to - best[side].from) best = span;
  }
  return best;
}
