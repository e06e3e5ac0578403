/** The program as PyTorch text. What the pointer or caret is at lights up on both sides. */
import { effect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { firstChangedLine } from "../app/outcome";
import type { Playground } from "../app/playground";
import type { Range } from "../engine/contract";
import { messages } from "../messages";
import { ScrollBox } from "../ui/ScrollBox";
import { Chains } from "./Chains";
import { partnerAt } from "./partners";
import { pythonTokens, type Token } from "./python-tokens";
import { takeable, taken, type Inputs, type Taken, type Written } from "./taken";
import { TakeBar } from "./TakeBar";

/** Tokens that the range of the module touches get the class `is-lit`. */
function lightTokens(box: HTMLElement, range: Range | null): void {
  for (const lit of box.querySelectorAll(".is-lit")) lit.classList.remove("is-lit");
  if (range === null) return;
  for (const element of box.querySelectorAll<HTMLElement>("[data-from]")) {
    const from = Number(element.dataset["from"]);
    const to = from + element.textContent.length;
    if (from < range.to && to > range.from) element.classList.add("is-lit");
  }
}

/** Tokens with their places in the module; those that aren't the module's have none. */
function placedTokens({ text, pieces }: Taken): (Token & { original: number | null })[] {
  let index = 0;
  let start = 0;
  return pythonTokens(text).map((token) => {
    for (let piece = pieces[index]; piece !== undefined; piece = pieces[++index]) {
      if (token.from < start + piece.text.length) break;
      start += piece.text.length;
    }
    const from = pieces[index]?.from ?? null;
    return { ...token, original: from === null ? null : from + token.from - start };
  });
}

function Text({ take }: { take: Taken }) {
  const tokens = useMemo(() => placedTokens(take), [take]);
  return (
    <code>
      {tokens.map(({ kind, from, to, original }) =>
        kind === "space" ? (
          take.text.slice(from, to)
        ) : (
          <span
            key={from}
            class={`py-${kind}`}
            {...(original === null ? {} : { "data-from": String(original) })}
          >
            {take.text.slice(from, to)}
          </span>
        ),
      )}
    </code>
  );
}

/** The inputs that the last run made up, where it was a run of this very text with the sizes of now. */
function inputsOf(playground: Playground, torch: Written): Inputs | null {
  const { running, hasStaleSizes } = playground;
  const outcome = running.outcome.value;
  if (outcome?.text !== torch.source || hasStaleSizes.value) return null;
  const calls = outcome.items.flatMap((item) => (item.kind === "call" ? [item] : []));
  if (calls.some(({ text }) => text !== torch.source)) return null;
  const declared = torch.check.sizes.map(({ name, value }) => [name, value] as const);
  return {
    calls,
    sizes: { ...Object.fromEntries(declared), ...outcome.sizes },
    fill: outcome.fill,
  };
}

function Shown({ playground, torch }: { playground: Playground; torch: Written }) {
  const [only, setOnly] = useState<string | null>(null);
  const [bound, setBound] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  const functions = takeable(torch);
  const chosen = functions.find(({ name }) => name === only) ?? null;
  const inputs = inputsOf(playground, torch);
  const take = useMemo(
    () => taken(torch, chosen, bound ? inputs : null),
    [torch, chosen, bound, playground.running.outcome.value, inputs === null],
  );

  useLayoutEffect(
    () =>
      effect(() => {
        const caret = playground.placed.value ? playground.caret.value : null;
        const offset = playground.pointed.value ?? caret;
        const current = torch.source === playground.text.value;
        const partner = current && offset !== null ? partnerAt(torch.spans, "source", offset) : null;
        if (box.current !== null) lightTokens(box.current, partner?.target ?? null);
      }),
    [torch, take, playground],
  );

  const point = (event: Event) => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-from]") : null;
    const offset = element === null ? null : Number(element.dataset["from"]);
    const partner = offset === null ? null : partnerAt(torch.spans, "target", offset + 0.5);
    playground.light(partner?.source ?? null);
    if (box.current !== null) lightTokens(box.current, partner?.target ?? null);
  };
  const checked = playground.checking.latest.value?.text ?? torch.source;
  const old = checked !== torch.source;
  return (
    <div class={`torch ${old ? "is-stale" : ""}`}>
      <TakeBar
        take={take}
        functions={functions}
        only={chosen?.name ?? null}
        onOnly={setOnly}
        bound={bound}
        canBind={inputs !== null}
        onBound={setBound}
      />
      {old && <p class="stale-note">{messages.staleSince(firstChangedLine(torch.source, checked))}</p>}
      <ScrollBox label={messages.torchLabel} class="torch-box">
        <pre
          ref={box}
          onMouseOver={point}
          onClick={point}
          onMouseLeave={() => {
            playground.light(null);
            if (box.current !== null) lightTokens(box.current, null);
          }}
        >
          <Text take={take} />
        </pre>
      </ScrollBox>
      {!old && <Chains playground={playground} torch={torch} only={chosen} />}
    </div>
  );
}

export function TorchTab({ playground }: { playground: Playground }) {
  const torch = playground.torch.value;
  if (torch !== null) return <Shown playground={playground} torch={torch} />;
  const hasErrors = playground.checking.errors.value.length > 0;
  return hasErrors ? <p class="empty">{messages.torchErrors}</p> : null;
}
