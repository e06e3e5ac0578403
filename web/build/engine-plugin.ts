import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const VIRTUAL = "virtual:strand-engine-url";
const SECTION_NAME = "strand-build";

function leb128(value: number): number[] {
  const bytes = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

/** The module with a custom section that holds the build id, where the page finds it after compiling. */
export function withBuildSection(wasm: Uint8Array, id: string): Uint8Array {
  const name = new TextEncoder().encode(SECTION_NAME);
  const payload = [...leb128(name.length), ...name, ...new TextEncoder().encode(id)];
  const section = [0, ...leb128(payload.length), ...payload];
  const result = new Uint8Array(wasm.length + section.length);
  result.set(wasm);
  result.set(section, wasm.length);
  return result;
}

/** Gives the page the engine's content-hashed address, and keeps wasm-bindgen's glue from emitting a second copy. */
export function enginePlugin(enginePath: string, id: string): Plugin {
  return {
    name: "strand-engine",
    resolveId: (source) => (source === VIRTUAL ? `\0${VIRTUAL}` : null),
    load(source) {
      if (source !== `\0${VIRTUAL}`) return null;
      const reference = this.emitFile({
        type: "asset",
        name: "strand.wasm",
        source: withBuildSection(readFileSync(enginePath), id),
      });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
    transform(code, source) {
      if (!source.endsWith("/pkg/strand_wasm.js")) return null;
      return code.replace(/new URL\(\s*['"][^'"]+\.wasm['"]\s*,\s*import\.meta\.url\s*\)/g, "undefined");
    },
  };
}
