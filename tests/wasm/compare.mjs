/** Where two plain values differ. */

/** `null` for equal values, else the path of the first difference and both sides. */
export function firstDifference(left, right, path = "") {
  if (Object.is(left, right)) return null;
  if (isContainer(left) && isContainer(right) && Array.isArray(left) === Array.isArray(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    for (const key of keys) {
      const difference = firstDifference(left[key], right[key], `${path}/${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  return { path: path === "" ? "/" : path, left, right };
}

function isContainer(value) {
  return typeof value === "object" && value !== null;
}
