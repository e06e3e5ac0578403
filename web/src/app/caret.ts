/** Where a place is after the text was put into the one style. */

/** The characters of a text that formatting keeps: all but spaces and line ends. */
function isInk(character: string): boolean {
  return !/\s/.test(character);
}

/** The offset in `after` that stands by the same character as `offset` does in `before`. */
export function movedPlace(before: string, after: string, offset: number): number {
  const behind = before.slice(0, offset);
  // Where somebody stands before a token, or within it, it is the token that is kept to; else the one behind.
  const atToken = offset < before.length && isInk(before[offset] ?? " ");
  const ink = Array.from(behind).filter(isInk).length;
  let seen = 0;
  let position = 0;
  let end = 0;
  for (const character of after) {
    if (isInk(character)) {
      if (atToken && seen === ink) return position;
      seen++;
      end = position + character.length;
      if (!atToken && seen === ink) return end;
    }
    position += character.length;
  }
  return ink === 0 ? 0 : end;
}

/** The one stretch in which two texts differ. */
export function difference(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  let end = 0;
  while (
    end < before.length - from &&
    end < after.length - from &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
