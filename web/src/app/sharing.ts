/** Makes links, and puts them and other things where a person can take them from. */
import type { Diagnostic } from "../engine/contract";
import { encodeLink, LANGUAGE_VERSION, LinkTooLong, type Shared } from "../share/link";

/** What Share gives: taken at that moment, so that later edits don't change it. */
export interface Taken {
  text: string;
  /** The error that the panel's reports speak of, or null. */
  problem: Diagnostic | null;
  /** The engine's Markdown of that error, or null; the link doesn't wait for it. */
  drawn: Promise<string | null>;
  /** The PyTorch text of this very program, or null. */
  torch: string | null;
}

export type ShareState =
  | { kind: "copied" | "refused"; taken: Taken; link: string; lines: number; sizes: string }
  | { kind: "too-long"; taken: Taken; length: number };

export function addressOfPage(): string {
  return location.href.replace(/[?#].*$/, "");
}

export async function makeLink(
  shared: Omit<Shared, "languageVersion">,
  address = addressOfPage(),
): Promise<string> {
  const fragment = await encodeLink({ ...shared, languageVersion: LANGUAGE_VERSION }, address);
  return `${address}#${fragment}`;
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Puts a picture on the clipboard; false where the browser refuses or can't. */
export async function copyPicture(picture: Blob): Promise<boolean> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ [picture.type]: picture })]);
    return true;
  } catch {
    return false;
  }
}

/** Copies a link to the program, and says what became of it. */
export async function share(shared: Omit<Shared, "languageVersion">, taken: Taken): Promise<ShareState> {
  try {
    const link = await makeLink(shared);
    const copied = await copyText(link);
    const sizes = Object.entries(shared.sizes)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ");
    return {
      kind: copied ? "copied" : "refused",
      taken,
      link,
      lines: shared.text.trimEnd().split("\n").length,
      sizes,
    };
  } catch (error) {
    if (error instanceof LinkTooLong) return { kind: "too-long", taken, length: error.length };
    throw error;
  }
}

export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
