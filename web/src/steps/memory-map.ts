/** Where the elements of an array lie in its block, from offset, shape and byte strides alone. */
import type { MemoryInfo } from "../engine/contract";

export type Layout = Pick<MemoryInfo, "item" | "offset" | "shape" | "strides">;

/** Every element's index, in C order. */
export function indices(shape: readonly number[]): number[][] {
  const count = shape.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, place) => {
    const index: number[] = [];
    let rest = place;
    for (const size of [...shape].reverse()) {
      index.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    return index;
  });
}

/** The byte that an element starts at. */
export function byteOf(layout: Layout, index: readonly number[]): number {
  return index.reduce((byte, at, axis) => byte + at * (layout.strides[axis] ?? 0), layout.offset);
}

/** For each element in C order the cell of the block that it lies in. */
export function cells(layout: Layout): number[] {
  const first = layout.offset % layout.item;
  return indices(layout.shape).map((index) => (byteOf(layout, index) - first) / layout.item);
}

/** For each cell of the block the places, in C order, of the elements that lie there. */
export function elementsOf(map: readonly number[], count: number): number[][] {
  const found: number[][] = Array.from({ length: count }, () => []);
  map.forEach((cell, place) => found[cell]?.push(place));
  return found;
}

/** How the byte of an element is found: `4 + 1·12 + 2·4 = byte 24`. */
export function formula(layout: Layout, index: readonly number[]): string {
  const signed = (stride: number) => String(stride).replace("-", "−");
  const terms = index.map((at, axis) => `${at}·${signed(layout.strides[axis] ?? 0)}`);
  return `${[String(layout.offset), ...terms].join(" + ")} = byte ${byteOf(layout, index)}`;
}
