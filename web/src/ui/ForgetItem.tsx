import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { messages } from "../messages";
import { forgetEverything } from "../offline/forget";

/** Forgets everything that the browser keeps for the page, at the second click. */
export function ForgetItem({ playground }: { playground: Playground }) {
  const [asked, setAsked] = useState(false);
  const isForgotten = playground.offline.value === "forgotten";
  const texts = playground.texts.recent.value.length;
  const about = isForgotten ? messages.forgotten : asked ? messages.forgetAsk(texts) : messages.forgetAbout;
  return (
    <button
      type="button"
      class={`menu-item ${asked ? "is-asking" : ""}`}
      onClick={() => {
        setAsked(!asked);
        if (asked) void forgetEverything(playground);
      }}
    >
      <span class="menu-title">{messages.forget}</span>
      <span class="menu-about" role="status">
        {about}
      </span>
    </button>
  );
}
