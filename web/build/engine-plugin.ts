import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const VIRTUAL = "virtual:strand-engine-urls";

/** The engine's files in the package. */
export const PARTS = { first: "strand_wasm_bg.wasm", later: "strand_wasm_later.wasm" };
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

/** Gives the page the content-hashed addresses of the engine's parts, and keeps wasm-bindgen's glue from emitting a second copy. */
export function enginePlugin(packageFolder: string, id: string): Plugin {
  return {
    name: "strand-engine",
    resolveId: (source) => (source === VIRTUAL ? `\0${VIRTUAL}` : null),
    load(source) {
      if (source !== `\0${VIRTUAL}`) return null;
      const emitted = (name: string, file: string): string => {
        const wasm = readFileSync(join(packageFolder, file));
        return this.emitFile({ type: "asset", name, source: withBuildSection(wasm, id) });
      };
      return `
        export const firstUrl = import.meta.ROLLUP_FILE_URL_${emitted("strand.wasm", PARTS.first)};
        export const laterUrl = import.meta.ROLLUP_FILE_URL_${emitted("strand-later.wasm", PARTS.later)};
      `;
    },
    transform(code, source) {
      if (!source.endsWith("/pkg/strand_wasm.js")) return null;
      return code.replace(/new URL\(\s*['"][^'"]+\.wasm['"]\s*,\s*import\.meta\.url\s*\)/g, "undefined");
    },
  };
}
