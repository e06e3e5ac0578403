import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PhoneTab, Playground } from "../app/playground";
import { messages } from "../messages";
import { ResultTab } from "../result/ResultTab";
import { TorchTab } from "../torch/TorchTab";
import { Announcer } from "./Announcer";
import { Coaching } from "./Coaching";
import { EditorPane } from "./EditorPane";
import { Header } from "./Header";
import { CodeIcon, GridIcon, ShareIcon, StepsIcon, TextIcon } from "./icons";
import { Notices } from "./Notices";
import { KeyBar, ProblemStrip, useKeyboard } from "./PhoneKeys";
import { Problems } from "./Problems";
import { SharePanel } from "./SharePanel";
import { StatusLine } from "./StatusLine";
import { Tabs } from "./Tabs";

const PANELS: Record<PhoneTab, string> = {
  code: "code",
  result: "panel-result",
  torch: "panel-torch",
  steps: "panel-steps",
};

function ResultTabs({ playground }: { playground: Playground }) {
  return (
    <Tabs
      class="tabs"
      label={messages.viewsLabel}
      tabs={[
        { id: "result" as const, label: messages.tabs.result },
        { id: "torch" as const, label: messages.tabs.torch },
        { id: "steps" as const, label: messages.tabs.steps },
      ]}
      selected={playground.tab.value}
      panel={(id) => PANELS[id]}
      onSelect={(id) => {
        playground.setTab(id);
      }}
    />
  );
}

type StepsPart = { Tab: FunctionComponent<{ playground: Playground }> | null };

/** The Steps tab, fetched when it is first opened. */
function LazySteps({ playground }: { playground: Playground }) {
  const [part, setPart] = useState<StepsPart | null>(null);
  const isOpen = playground.tab.value === "steps";
  useEffect(() => {
    if (!isOpen || part !== null) return;
    import("../steps/StepsTab")
      .then(({ StepsTab }) => {
        setPart({ Tab: StepsTab });
      })
      .catch(() => {
        setPart({ Tab: null });
      });
  }, [isOpen, part]);
  if (!isOpen || part === null) return null;
  if (part.Tab === null) return <p class="empty">{messages.partMissing}</p>;
  return <part.Tab playground={playground} />;
}

/** The bottom of a phone's page: its parts, and Share. */
function PhoneBar({ playground }: { playground: Playground }) {
  const problems = playground.checking.problems.value.length;
  const errors = playground.checking.errors.value.length;
  return (
    <nav class="phone-bar" aria-label={messages.partsLabel}>
      <Tabs
        class="phone-tabs"
        label={messages.partsLabel}
        tabs={[
          {
            id: "code" as const,
            label: [
              <CodeIcon key="i" />,
              messages.tabs.code,
              problems > 0 && (
                <span class={`badge ${errors === 0 ? "is-quiet" : ""}`} key="b">
                  {problems}
                  <span class="hidden-text"> {messages.problems}</span>
                </span>
              ),
            ],
          },
          { id: "result" as const, label: [<GridIcon key="i" />, messages.tabs.result] },
          { id: "torch" as const, label: [<TextIcon key="i" />, messages.tabs.torch] },
          { id: "steps" as const, label: [<StepsIcon key="i" />, messages.tabs.steps] },
        ]}
        selected={playground.phoneTab.value}
        panel={(id) => PANELS[id]}
        onSelect={(id) => {
          playground.setPhoneTab(id);
        }}
      />
      <button
        type="button"
        class="tab"
        onClick={() => {
          void playground.share();
        }}
      >
        <ShareIcon />
        {messages.share}
      </button>
    </nav>
  );
}

/** The whole page. */
export function Page({ playground }: { playground: Playground }) {
  useEffect(() => {
    const run = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
        if (!event.repeat) playground.runOrStop();
      } else if (event.code === "KeyF" && event.shiftKey && event.altKey) void playground.format();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", run);
    return () => {
      window.removeEventListener("keydown", run);
    };
  }, [playground]);
  const keyboard = useKeyboard();
  return (
    <div
      class={`page ${playground.typing.value && keyboard ? "is-typing" : ""}`}
      data-phone-tab={playground.phoneTab.value}
      data-tab={playground.tab.value}
    >
      <Header playground={playground} />
      <Notices playground={playground} />
      <main class="panes">
        <section class="code" id="code" aria-label={messages.tabs.code}>
          <EditorPane playground={playground} />
        </section>
        <section class="views" aria-label={messages.viewsLabel}>
          <ResultTabs playground={playground} />
          <div class="panel panel-result" id="panel-result" role="tabpanel" aria-label={messages.tabs.result}>
            <ResultTab program={playground} />
          </div>
          <div class="panel panel-torch" id="panel-torch" role="tabpanel" aria-label={messages.tabs.torch}>
            <TorchTab playground={playground} />
          </div>
          <div class="panel panel-steps" id="panel-steps" role="tabpanel" aria-label={messages.tabs.steps}>
            <LazySteps playground={playground} />
          </div>
        </section>
        <Problems playground={playground} />
      </main>
      <section class="dock" aria-label={messages.dockLabel}>
        <ProblemStrip playground={playground} />
        <KeyBar playground={playground} />
      </section>
      <StatusLine playground={playground} />
      <Coaching playground={playground} />
      <PhoneBar playground={playground} />
      <SharePanel playground={playground} />
      <Announcer program={playground} />
    </div>
  );
}
