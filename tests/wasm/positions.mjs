/** Places of the wasm edge, UTF-16 offsets, as the places of `--json`: lines and columns from 1, in code points. */

/** A function from ranges of `text` to spans. */
export function spansOf(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const position = (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: [...text.slice(starts[line], offset)].length + 1 };
  };
  return ({ from, to }) => ({ start: position(from), end: position(to) });
}
