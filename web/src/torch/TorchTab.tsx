/** The program as PyTorch text. What the pointer or caret is at lights up on both sides. */
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { firstChangedLine } from "../app/outcome";
import type { Playground } from "../app/playground";
import { copyText } from "../app/sharing";
import type { Range } from "../engine/contract";
import { messages } from "../messages";
import { CopyIcon } from "../ui/icons";
import { ScrollBox } from "../ui/ScrollBox";
import { partnerAt } from "./partners";
import { pythonTokens, type Token } from "./python-tokens";

/** Tokens that the range touches get the class `is-lit`. */
function lightTokens(box: HTMLElement, range: Range | null): void {
  for (const lit of box.querySelectorAll(".is-lit")) lit.classList.remove("is-lit");
  if (range === null) return;
  for (const element of box.querySelectorAll<HTMLElement>("[data-from]")) {
    const from = Number(element.dataset["from"]);
    const to = from + element.textContent.length;
    if (from < range.to && to > range.from) element.classList.add("is-lit");
  }
}

function Text({ text, tokens }: { text: string; tokens: readonly Token[] }) {
  return (
    <code>
      {tokens.map(({ kind, from, to }) =>
        kind === "space" ? (
          text.slice(from, to)
        ) : (
          <span key={from} class={`py-${kind}`} data-from={from}>
            {text.slice(from, to)}
          </span>
        ),
      )}
    </code>
  );
}

function CopyButton({ text }: { text: string }) {
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    if (note === null) return;
    const timer = setTimeout(() => {
      setNote(null);
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  }, [note]);
  return (
    <button
      type="button"
      class="button small torch-copy"
      aria-label={messages.copyTorchLabel}
      onClick={() => {
        void copyText(text).then((copied) => {
          setNote(copied ? messages.copied : messages.copyRefused);
        });
      }}
    >
      <CopyIcon />
      <span role="status">{note ?? messages.copyTorch}</span>
    </button>
  );
}

export function TorchTab({ playground }: { playground: Playground }) {
  const torch = playground.torch.value;
  const box = useRef<HTMLPreElement>(null);
  const text = torch?.text ?? "";
  const tokens = useMemo(() => pythonTokens(text), [text]);

  useLayoutEffect(() => {
    if (torch === null) return;
    return effect(() => {
      const offset = playground.pointed.value ?? playground.caret.value;
      const current = torch.source === playground.text.value;
      const partner = current ? partnerAt(torch.spans, "source", offset) : null;
      if (box.current !== null) lightTokens(box.current, partner?.target ?? null);
    });
  }, [torch, playground]);

  const point = (event: Event) => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-from]") : null;
    const offset = element === null ? null : Number(element.dataset["from"]);
    const partner = offset === null || torch === null ? null : partnerAt(torch.spans, "target", offset + 0.5);
    playground.light(partner?.source ?? null);
    if (box.current !== null) lightTokens(box.current, partner?.target ?? null);
  };

  if (torch === null) {
    const hasErrors = playground.checking.errors.value.length > 0;
    return hasErrors ? <p class="empty">{messages.torchErrors}</p> : null;
  }
  const checked = playground.checking.latest.value?.text ?? torch.source;
  const old = checked !== torch.source;
  return (
    <div class={`torch ${old ? "is-stale" : ""}`}>
      {old && <p class="stale-note">{messages.staleSince(firstChangedLine(torch.source, checked))}</p>}
      <CopyButton text={text} />
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
          <Text text={text} tokens={tokens} />
        </pre>
      </ScrollBox>
    </div>
  );
}
