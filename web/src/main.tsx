import { render } from "preact";
import { readBaked } from "./app/baked";
import { Playground, readOpening } from "./app/playground";
import { keepOffline } from "./offline/keep";
import { holdBuild } from "./offline/hold";
import { Page } from "./ui/Page";

const host = document.getElementById("page");
if (host === null) throw new Error("the page has no place for the playground");

const opening = await readOpening();
const baked = readBaked();
const isBaked = baked !== null && opening.shared === null && opening.opened.text === baked.checked.text;
const playground = new Playground(opening, isBaked ? baked : null);
// What the build painted is taken over, part for part.
render(<Page playground={playground} />, host);
delete document.documentElement.dataset["own"];
holdBuild();
await playground.start();
// The first values come first.
setTimeout(() => {
  void keepOffline(playground);
}, 2000);
