/** How each chain of the program is written in PyTorch, and why so. */
import type { Playground } from "../app/playground";
import type { ChainInfo, FunctionInfo } from "../engine/contract";
import { messages } from "../messages";
import { LineButton } from "../result/LineButton";
import type { Written } from "./taken";

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** What a chain begins with and its stages: `x |> map |> sum`. */
function nameOf(source: string, { range, stages }: ChainInfo): string {
  const text = source.slice(range.from, range.to);
  const head = text
    .slice(0, Math.max(text.indexOf("|>"), 0))
    .trim()
    .replace(/\s+/g, " ");
  return [head, ...stages.map(({ name }) => name)].join(" |> ");
}

interface ChainsProps {
  playground: Playground;
  torch: Written;
  only: FunctionInfo | null;
}

export function Chains({ playground, torch, only }: ChainsProps) {
  const { source, check } = torch;
  const chains =
    only?.chains ??
    [...check.functions.flatMap((one) => one.chains), ...check.chains].sort(
      (a, b) => a.range.from - b.range.from,
    );
  if (chains.length === 0) return null;
  return (
    <section class="chains" aria-label={messages.chainsTitle}>
      <h2 class="chains-title">{messages.chainsTitle}</h2>
      <ul>
        {chains.map((chain) => (
          <li
            key={chain.range.from}
            class="chain"
            onPointerEnter={() => {
              playground.light(chain.range);
            }}
            onPointerLeave={() => {
              playground.light(null);
            }}
          >
            <LineButton program={playground} line={lineAt(source, chain.range.from)} />
            <code class="chain-name">{nameOf(source, chain)}</code>
            <span class="chain-why">
              <b class={`chain-lowering is-${chain.lowering}`}>{messages.lowering[chain.lowering]}</b>:{" "}
              {chain.reason}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
