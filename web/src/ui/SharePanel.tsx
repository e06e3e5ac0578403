import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { LANGUAGE_VERSION, type Playground } from "../app/playground";
import { addressOfPage, copyPicture, copyText, download, type ShareState } from "../app/sharing";
import { colouredLines } from "../editor/highlight";
import { messages } from "../messages";
import { LINK_COMFORT } from "../share/link";
import type { QrCode } from "../share/qr";
import { agentFamily, issue, markdown, snippet, type Report } from "../share/report";
import { CloseIcon, DownloadIcon, ShareIcon } from "./icons";

/** Phones have a sheet of the programs that can send a link. */
const hasSystemSheet = "share" in navigator && window.matchMedia("(pointer: coarse)").matches;

type WithLink = Extract<ShareState, { link: string }>;

/** What a button of the panel did: a sentence, a text that the clipboard refused, or a QR code. */
type Done =
  | { kind: "said"; sentence: string }
  | { kind: "text"; text: string; label: string }
  | { kind: "qr"; code: QrCode | null };

function Link({ state }: { state: WithLink }) {
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

function Refused({ text, label }: { text: string; label: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [text]);
  return (
    <>
      <p>{messages.copyRefusedText}</p>
      <textarea class="share-text" readOnly rows={6} aria-label={label} value={text} ref={field} />
    </>
  );
}

function Code({ code, length }: { code: QrCode | null; length: number }) {
  if (code === null) return <p>{messages.qrTooLong(length)}</p>;
  return (
    <svg class="share-qr" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={messages.qrLabel}>
      <path class="qr-paper" d={`M0 0h${code.size}v${code.size}H0z`} />
      <path class="qr-ink" d={code.path} />
    </svg>
  );
}

/** The other forms that the program can be taken in. */
function Forms({ state }: { state: WithLink }) {
  const [done, setDone] = useState<Done | null>(null);
  const { taken, link } = state;
  const { problem } = taken;

  const copy = async (write: (report: Report) => string, label: string) => {
    const text = write({ text: taken.text, problem, drawn: await taken.drawn, link });
    const copied = await copyText(text);
    setDone(copied ? { kind: "said", sentence: messages.copiedAs(label) } : { kind: "text", text, label });
  };
  const missing = () => {
    setDone({ kind: "said", sentence: messages.partMissing });
    return null;
  };
  const picture = async () => {
    const part = await import("../share/picture").catch(missing);
    if (part === null) return;
    const image = await part.pictureOf({
      text: taken.text,
      lines: colouredLines(taken.text.trimEnd()),
      problem,
      title: problem === null ? messages.pictureTitle : `${problem.code}  ${problem.message}`,
      foot: messages.pictureFoot(addressOfPage()),
    });
    if (await copyPicture(image)) {
      setDone({ kind: "said", sentence: messages.pictureCopied });
    } else {
      download(`strand${problem === null ? "" : `-${problem.code}`}.png`, image, "image/png");
      setDone({ kind: "said", sentence: messages.pictureSaved });
    }
  };
  const qr = async () => {
    const part = await import("../share/qr").catch(missing);
    if (part !== null) setDone({ kind: "qr", code: part.qrCode(link) });
  };
  const versions = {
    language: LANGUAGE_VERSION,
    build: __BUILD_ID__,
    agent: agentFamily(navigator.userAgent),
  };
  const withError = problem !== null;
  const markdownLabel = withError ? messages.markdownWithError : messages.markdown;
  const pictureLabel = withError ? messages.pictureOfError : messages.picture;
  return (
    <>
      <div class="share-actions">
        {hasSystemSheet && (
          <Form
            label={messages.send}
            icon
            act={() => {
              // Closing the sheet without choosing rejects, and changes nothing.
              navigator.share({ title: messages.linkTitle, url: link }).catch(() => undefined);
            }}
          />
        )}
        <Form label={markdownLabel} act={() => void copy(markdown, markdownLabel)} />
        <Form label={pictureLabel} act={() => void picture()} />
        <Form
          label={messages.forIssue}
          act={() => void copy((report) => issue(report, versions, taken.torch), messages.forIssue)}
        />
        <Form label={messages.snippet} act={() => void copy(snippet, messages.snippet)} />
        <Form label={messages.qrCode} act={() => void qr()} />
        <DownloadButton state={state} />
      </div>
      <div class="share-done" role="status">
        {done?.kind === "said" && <p>{done.sentence}</p>}
        {done?.kind === "text" && <Refused text={done.text} label={done.label} />}
        {done?.kind === "qr" && <Code code={done.code} length={link.length} />}
      </div>
    </>
  );
}

function Form({ label, act, icon = false }: { label: string; act: () => void; icon?: boolean }) {
  return (
    <button type="button" class="button small" onClick={act}>
      {icon && <ShareIcon />}
      {label}
    </button>
  );
}

function DownloadButton({ state }: { state: ShareState }) {
  const needed = state.kind === "too-long" || state.link.length > LINK_COMFORT;
  return (
    <button
      type="button"
      class={`button small ${needed ? "is-advised" : ""}`}
      onClick={() => {
        download("program.strand", state.taken.text, "text/plain");
      }}
    >
      <DownloadIcon />
      {messages.download}
    </button>
  );
}

/** What became of Share: the link first, then every other form. */
export function SharePanel({ playground }: { playground: Playground }) {
  const state = playground.sharing.value;
  const box = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const close = () => {
    playground.sharing.value = null;
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  // Before the panel is painted: whoever sees it can close it.
  useLayoutEffect(() => {
    if (state === null) return;
    before.current ??= document.activeElement;
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) {
        playground.sharing.value = null;
      }
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape);
    if (state.kind === "copied") box.current?.focus();
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape);
    };
  }, [state, playground]);
  if (state === null) {
    before.current = null;
    return null;
  }
  return (
    <section class="share" aria-label={messages.shareTitle} tabIndex={-1} ref={box}>
      <button
        type="button"
        class="button quiet square small share-close"
        aria-label={messages.close}
        onClick={close}
      >
        <CloseIcon />
      </button>
      <div role="status">
        {state.kind === "too-long" ? <p>{messages.linkTooLong(state.length)}</p> : <Link state={state} />}
      </div>
      {state.kind === "too-long" ? (
        <div class="share-actions">
          <DownloadButton state={state} />
        </div>
      ) : (
        // What was taken in another form before belongs to another Share.
        <Forms key={state} state={state} />
      )}
    </section>
  );
}
