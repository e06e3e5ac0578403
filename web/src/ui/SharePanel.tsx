import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../app/playground";
import { download, type ShareState } from "../app/sharing";
import { messages } from "../messages";
import { CloseIcon, DownloadIcon, ShareIcon } from "./icons";

/** Phones have a sheet of the programs that can send a link. */
const hasSystemSheet = "share" in navigator && window.matchMedia("(pointer: coarse)").matches;

function Copied({ state }: { state: Extract<ShareState, { link: string }> }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (state.kind !== "refused") return;
    field.current?.focus();
    field.current?.select();
  }, [state]);
  return (
    <>
      <p class="share-title">
        {state.kind === "copied" ? messages.linkCopied : messages.linkReady}
        <span class="share-size"> · {messages.linkSize(state.link.length)}</span>
      </p>
      <input
        class="share-link"
        type="text"
        readOnly
        aria-label={messages.linkLabel}
        value={state.link}
        ref={field}
        onFocus={(event) => {
          event.currentTarget.select();
        }}
      />
      <p>{messages.linkHolds(state.lines, state.sizes)}</p>
      <p>{messages.linkPrivate}</p>
    </>
  );
}

/** What became of Share. */
export function SharePanel({ playground }: { playground: Playground }) {
  const state = playground.sharing.value;
  const box = useRef<HTMLElement>(null);
  const close = () => {
    playground.sharing.value = null;
  };
  useEffect(() => {
    if (state === null) return;
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) {
        playground.sharing.value = null;
      }
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") playground.sharing.value = null;
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [state, playground]);
  if (state === null) return null;
  return (
    <section class="share" aria-label={messages.shareTitle} ref={box}>
      <button
        type="button"
        class="button quiet square small share-close"
        aria-label={messages.close}
        onClick={close}
      >
        <CloseIcon />
      </button>
      <div role="status">
        {state.kind === "too-long" ? <p>{messages.linkTooLong(state.length)}</p> : <Copied state={state} />}
      </div>
      <div class="share-actions">
        {state.kind !== "too-long" && hasSystemSheet && (
          <button
            type="button"
            class="button"
            onClick={() => {
              // Closing the sheet without choosing rejects, and changes nothing.
              navigator.share({ url: state.link }).catch(() => undefined);
            }}
          >
            <ShareIcon />
            {messages.send}
          </button>
        )}
        <button
          type="button"
          class="button"
          onClick={() => {
            download("program.strand", playground.text.value, "text/plain");
          }}
        >
          <DownloadIcon />
          {messages.download}
        </button>
      </div>
    </section>
  );
}
