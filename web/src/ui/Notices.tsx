import type { ComponentChildren } from "preact";
import { LANGUAGE_VERSION, type Playground } from "../app/playground";
import { download } from "../app/sharing";
import { messages } from "../messages";
import { CloseIcon } from "./icons";

function Line({ kind, children }: { kind: "info" | "warning"; children: ComponentChildren }) {
  return <div class={`notice is-${kind}`}>{children}</div>;
}

function Action({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" class="button small" onClick={act}>
      {label}
    </button>
  );
}

function CloseButton({ playground }: { playground: Playground }) {
  return (
    <button
      type="button"
      class="button quiet square small"
      aria-label={messages.close}
      onClick={() => {
        playground.notice.value = null;
      }}
    >
      <CloseIcon />
    </button>
  );
}

function LinkNotice({ playground }: { playground: Playground }) {
  const notice = playground.notice.value;
  if (notice === null) return null;
  if (notice.kind === "damaged") {
    return (
      <Line kind="warning">
        <span>
          {messages.damaged[notice.reason]} {messages.damagedKept}
        </span>
        <CloseButton playground={playground} />
      </Line>
    );
  }
  const { own } = notice;
  return (
    <Line kind="info">
      <span>
        {notice.ran ? messages.fromLinkRun : messages.fromLink}
        {notice.version !== LANGUAGE_VERSION &&
          ` ${messages.fromLinkOtherVersion(notice.version, LANGUAGE_VERSION)}`}
      </span>
      {!notice.ran && (
        <Action
          label={messages.run}
          act={() => {
            playground.run();
          }}
        />
      )}
      {own !== null && (
        <>
          <span>{messages.ownTextKept}</span>
          <Action
            label={messages.backToIt}
            act={() => {
              playground.backToOwn(own);
            }}
          />
        </>
      )}
      {notice.ran && <CloseButton playground={playground} />}
    </Line>
  );
}

function StorageNotice({ playground }: { playground: Playground }) {
  const kept = playground.texts.kept.value;
  if (kept === "kept") return null;
  return (
    <Line kind="warning">
      <span>{kept === "full" ? messages.storageFull : messages.storageDenied}</span>
      <Action
        label={messages.download}
        act={() => {
          download("program.strand", playground.text.value, "text/plain");
        }}
      />
    </Line>
  );
}

function EngineNotice({ playground }: { playground: Playground }) {
  const engine = playground.engine.value;
  const { checking, running } = playground;
  if (engine.kind === "failed") {
    return (
      <Line kind="warning">
        <span>{engine.message}</span>
        <Action
          label={messages.engineFailed}
          act={() => {
            location.reload();
          }}
        />
      </Line>
    );
  }
  if (checking.paused.value) {
    return (
      <Line kind="warning">
        <span>{messages.paused}</span>
        <Action
          label={messages.checkAgain}
          act={() => {
            checking.resume();
          }}
        />
      </Line>
    );
  }
  const crash = checking.crash.value ?? running.state.value.crash;
  if (crash === null) return null;
  return <Line kind="warning">{crash}</Line>;
}

function FormatNotice({ playground }: { playground: Playground }) {
  const problem = playground.unformatted.value;
  if (problem === null) return null;
  return (
    <Line kind="warning">
      <span>{messages.unformatted(problem.line, problem.code)}</span>
      <Action
        label={messages.showProblem}
        act={() => {
          playground.openDrawing(problem);
        }}
      />
    </Line>
  );
}

/** Lines above the program that say what is unusual about it or the page. */
export function Notices({ playground }: { playground: Playground }) {
  return (
    <div class="notices" role="status">
      <EngineNotice playground={playground} />
      <StorageNotice playground={playground} />
      <LinkNotice playground={playground} />
      <FormatNotice playground={playground} />
    </div>
  );
}
