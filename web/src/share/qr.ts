/** A link as the cells of a QR code. */
import { encode } from "uqr";

/** Beyond these many characters cameras of phones don't read the cells off a screen any more. */
export const QR_LIMIT = 1_200;

export interface QrCode {
  /** Cells on each side, with the quiet border. */
  size: number;
  /** One path of unit squares, for an SVG of `size` × `size`. */
  path: string;
}

/** Null where the link is too long to be read. */
export function qrCode(link: string): QrCode | null {
  if (link.length > QR_LIMIT) return null;
  const { data, size } = encode(link, { ecc: "L", border: 4 });
  const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: cells.join("") };
}
