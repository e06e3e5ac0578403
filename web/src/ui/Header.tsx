import type { Playground } from "../app/playground";
import { download } from "../app/sharing";
import { examples } from "../examples";
import { messages } from "../messages";
import type { Theme } from "../store/preferences";
import { keepsNothing } from "../store/storage";
import { ForgetItem } from "./ForgetItem";
import { MoonIcon, MoreIcon, ShareIcon, StrandMark, SunIcon, SystemIcon } from "./icons";
import { Menu } from "./Menu";
import { MenuItem, MenuLink } from "./MenuItem";
import { RunButton } from "./RunButton";
import { Words } from "./Words";

const NEXT_THEME: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON = { system: SystemIcon, light: SunIcon, dark: MoonIcon };

function ThemeButton({ playground }: { playground: Playground }) {
  const theme = playground.theme.value;
  const Icon = THEME_ICON[theme];
  return (
    <button
      type="button"
      class="button quiet square"
      aria-label={messages.theme[theme]}
      title={messages.theme[theme]}
      onClick={() => {
        playground.setTheme(NEXT_THEME[theme]);
      }}
    >
      <Icon />
    </button>
  );
}

/** The first line of code that isn't a comment, and how long ago it was written. */
function describe(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const functions = lines.flatMap((line) => /^(?:export |workers )?fn\s+([^\s(]+)/.exec(line)?.[1] ?? []);
  if (functions.length > 0) return functions.slice(0, 4).join(", ");
  return lines.find((line) => line !== "" && !line.startsWith("#")) ?? lines[0] ?? "";
}

function ago(time: number): string {
  const minutes = Math.round((time - Date.now()) / 60_000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  if (minutes > -60) return format.format(minutes, "minute");
  if (minutes > -60 * 24) return format.format(Math.round(minutes / 60), "hour");
  return format.format(Math.round(minutes / 60 / 24), "day");
}

function ExamplesMenu({ playground }: { playground: Playground }) {
  return (
    <Menu label={messages.examples}>
      {(close) => (
        <ul>
          {examples.map((example) => (
            <MenuItem
              key={example.name}
              title={example.title}
              about={<Words text={example.about} />}
              act={() => {
                playground.openExample(example);
                close();
                playground.focusText();
              }}
            />
          ))}
          <MenuLink title={messages.gallery} about={messages.galleryAbout} href="./gallery/index.html" />
        </ul>
      )}
    </Menu>
  );
}

/** What stands on the device may have changed in another tab. */
function lookAgain({ texts }: Playground): void {
  texts.flush();
  texts.refresh();
}

function RecentMenu({ playground }: { playground: Playground }) {
  const { recent } = playground.texts;
  return (
    <Menu
      label={messages.recent}
      onOpen={() => {
        lookAgain(playground);
      }}
    >
      {(close) => (
        <>
          <p class="menu-note">{recent.value.length === 0 ? messages.noRecent : messages.recentHint}</p>
          <ul>
            {recent.value.map((draft) => (
              <MenuItem
                key={draft.id}
                title={describe(draft.text)}
                about={`${ago(draft.time)} · ${messages.lineCount(draft.text.trimEnd().split("\n").length)}`}
                isCode
                act={() => {
                  playground.openDraft(draft);
                  close();
                  playground.focusText();
                }}
              />
            ))}
          </ul>
        </>
      )}
    </Menu>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

function MoreMenu({ playground }: { playground: Playground }) {
  return (
    <Menu
      label={messages.more}
      icon={<MoreIcon />}
      end
      onOpen={() => {
        lookAgain(playground);
      }}
    >
      {(close) => (
        <>
          <ul>
            <MenuItem
              title={messages.keyUndo}
              act={() => {
                playground.undo();
                close();
                playground.focusText();
              }}
            />
            <MenuItem
              title={messages.format}
              about={isMac ? messages.formatKeyMac : messages.formatKey}
              act={() => {
                void playground.format();
                close();
                playground.focusText();
              }}
            />
            <MenuItem
              title={messages.download}
              about={messages.downloadAbout}
              act={() => {
                download("program.strand", playground.text.value, "text/plain");
                close();
              }}
            />
            <MenuLink
              title={messages.reference}
              about={messages.referenceAbout}
              href="reference/index.html"
            />
            {!keepsNothing() && <ForgetItem playground={playground} />}
          </ul>
          <p class="menu-note">
            {messages.build(__BUILD_ID__)}
            {messages.offline[playground.offline.value]}
          </p>
        </>
      )}
    </Menu>
  );
}

export function Header({ playground }: { playground: Playground }) {
  return (
    <header class="header">
      <h1 class="brand">
        <StrandMark />
        <span>Strand</span>
      </h1>
      {!keepsNothing() && (
        <nav class="header-menus" aria-label={messages.programsLabel}>
          <ExamplesMenu playground={playground} />
          <RecentMenu playground={playground} />
        </nav>
      )}
      <div class="header-actions">
        <RunButton program={playground} />
        <button
          type="button"
          class="button quiet header-share"
          aria-label={messages.share}
          onClick={() => {
            void playground.share();
          }}
        >
          <ShareIcon />
          <span>{messages.share}</span>
        </button>
        <ThemeButton playground={playground} />
        <MoreMenu playground={playground} />
      </div>
    </header>
  );
}
