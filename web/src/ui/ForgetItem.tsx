import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { messages } from "../messages";
import { forgetEverything } from "../offline/forget";

/** Forgets everything that the browser keeps for the page, at the second click. */
export function ForgetItem({ playground }: { playground: Playground }) {
  const [asked, setAsked] = useState(false);
  const isForgotten = playground.offline.value === "forgotten";
  const question = messages.forgetAsk(playground.texts.recent.value.length);
  const click = async () => {
    setAsked(!asked);
    if (asked) await forgetEverything(playground);
    playground.announcement.value = asked ? messages.forgotten : question;
  };
  return (
    <button type="button" class={`menu-item ${asked ? "is-asking" : ""}`} onClick={() => void click()}>
      <span class="menu-title">{messages.forget}</span>
      <span class="menu-about">
        {asked ? question : isForgotten ? messages.forgotten : messages.forgetAbout}
      </span>
    </button>
  );
}
