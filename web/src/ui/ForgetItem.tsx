import { useState } from "preact/hooks";
import type { Playground } from "../app/playground";
import { messages } from "../messages";
import { forgetEverything } from "../offline/forget";
import { MenuItem } from "./MenuItem";

/** Forgets everything that the browser keeps for the page, at the second click. */
export function ForgetItem({ playground }: { playground: Playground }) {
  const [asked, setAsked] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  // As long as nothing was written since.
  const isForgotten = done !== null && playground.texts.recent.value.length === 0;
  const question = messages.forgetAsk(playground.texts.recent.value.length);
  const click = async () => {
    setAsked(!asked);
    let said = question;
    if (asked) {
      said = (await forgetEverything(playground)) ? messages.forgotten : messages.filesLeft;
      setDone(said);
    }
    playground.announcement.value = said;
  };
  return (
    <MenuItem
      title={messages.forget}
      about={asked ? question : isForgotten ? done : messages.forgetAbout}
      asks={asked}
      act={() => void click()}
    />
  );
}
