/** Makes links, and puts them where a person can take them from. */
import { encodeLink, LANGUAGE_VERSION, LinkTooLong, type Shared } from "../share/link";

export type ShareState =
  | { kind: "copied" | "refused"; link: string; lines: number; sizes: string }
  | { kind: "too-long"; length: number };

export async function makeLink(shared: Omit<Shared, "languageVersion">): Promise<string> {
  const address = location.href.replace(/[?#].*$/, "");
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

/** Copies a link to the program, and says what became of it. */
export async function share(shared: Omit<Shared, "languageVersion">): Promise<ShareState> {
  try {
    const link = await makeLink(shared);
    const copied = await copyText(link);
    const sizes = Object.entries(shared.sizes)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ");
    return {
      kind: copied ? "copied" : "refused",
      link,
      lines: shared.text.trimEnd().split("\n").length,
      sizes,
    };
  } catch (error) {
    if (error instanceof LinkTooLong) return { kind: "too-long", length: error.length };
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
