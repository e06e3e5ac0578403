/** What running a program shows, as HTML. */
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Strand } from "../pkg/strand_wasm.js";
import type { ValueInfo } from "../src/engine/contract";
import { escaped } from "../src/share/html";
import { ran } from "./engine";
import { Shown } from "./pictures";

/** The values that a program shows; of one that shows none, what its first function gives. */
export function shownBy(strand: Strand, text: string): ValueInfo[] {
  const { events, result } = ran(strand, text);
  const { error } = result;
  if (error !== null) throw new Error(`a program of the pages fails: ${error.message}`);
  const shown = events.flatMap((event) => (event.kind === "value" ? [event.value] : []));
  const results = events.flatMap((event) =>
    event.kind === "call" && event.call.result !== null ? [event.call.result] : [],
  );
  return shown.length > 0 ? shown : results.slice(0, 1);
}

/** A value of the engine's last run. */
export function picture(strand: Strand, info: ValueInfo, small: boolean): string {
  return renderToString(h(Shown, { strand, info, small }));
}

/** Values of the engine's last run, each under its name. */
export function figures(strand: Strand, values: readonly ValueInfo[]): string {
  const one = (info: ValueInfo) => `<figure class="shown">
<figcaption><code>${escaped(info.name === "" ? "the result" : info.name)}</code> <span class="shown-type">${escaped(info.type)}</span></figcaption>
<div class="shown-box" tabindex="0" role="group" aria-label="${escaped(info.name)}">${picture(strand, info, false)}</div>
</figure>
`;
  return `<div class="shown-all">${values.map(one).join("")}</div>\n`;
}
