/** The compressed text holds more than the limit it was unpacked with. */
export class TooLarge extends Error {}

/** Base64 with `-` and `_`, without padding: every character may stand in an address. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Throws on a character that isn't of the alphabet and on an impossible length. */
export function fromBase64Url(text: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new SyntaxError("not base64url");
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function streamOf(bytes: Uint8Array, step: number): ReadableStream<BufferSource> {
  let position = 0;
  return new ReadableStream<BufferSource>({
    pull(controller) {
      if (position >= bytes.length) {
        controller.close();
        return;
      }
      controller.enqueue(bytes.slice(position, position + step));
      position += step;
    },
  });
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) {
      await reader.cancel();
      throw new TooLarge();
    }
    chunks.push(next.value);
  }
  const result = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    result.set(chunk, position);
    position += chunk.length;
  }
  return result;
}

export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  return collect(streamOf(bytes, 65536).pipeThrough(new CompressionStream("deflate-raw")), Infinity);
}

/**
 * Unpacks at most `limit` bytes: the input goes in by small steps, so that a few bytes which unpack to very many are
 * given up on early. Throws `TooLarge` past the limit and `TypeError` for anything that isn't deflate.
 */
export async function inflate(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  return collect(streamOf(bytes, 256).pipeThrough(new DecompressionStream("deflate-raw")), limit);
}
