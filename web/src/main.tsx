import { render } from "preact";
import { Playground, readOpening } from "./app/playground";
import { Page } from "./ui/Page";

const host = document.getElementById("page");
if (host === null) throw new Error("the page has no place for the playground");

const playground = new Playground(await readOpening());
render(<Page playground={playground} />, host);
await playground.start();
