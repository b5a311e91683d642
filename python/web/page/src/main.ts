import "./base.css";
import "./cards.css";
import "./table.css";
import "./boards.css";
import "./figures.css";
import "./page.css";
import "./forms.css";
import { EngineClient } from "./engine";
import { type Route, type Tab, TABS, readRoute } from "./link";
import { show as play } from "./play";
import { show as review } from "./review";
import { show as solutions } from "./solutions";
import { show as trainer } from "./trainer";

type View = (root: HTMLElement, engine: EngineClient, route: Route) => void | (() => void);

const VIEWS: Record<Tab, View> = { play, review, trainer, solutions };

const engine = new EngineClient();
const root = document.querySelector("main") as HTMLElement;
let close: void | (() => void);

/** Opens the view that the address names. */
function open(): void {
  close?.();
  const route = readRoute(location.hash);
  for (const tab of TABS) link(tab)?.setAttribute("aria-current", tab === route.tab ? "page" : "false");
  root.className = route.tab;
  root.replaceChildren();
  close = VIEWS[route.tab](root, engine, route);
}

function link(tab: Tab): HTMLAnchorElement | null {
  return document.querySelector<HTMLAnchorElement>(`nav a[data-tab="${tab}"]`);
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  // The hash of the address belongs to the views.
  event.preventDefault();
  root.focus();
});
// What is dropped beside a field would replace the page. A view takes files itself.
for (const name of ["dragover", "drop"] as const) {
  addEventListener(name, (event) => {
    const isField = event.target instanceof Element && event.target.closest("input, textarea") !== null;
    if (!isField || event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
addEventListener("hashchange", ({ oldURL }) => {
  // The tab of the view that is left leads back to where it was.
  const { hash } = new URL(oldURL);
  link(readRoute(hash).tab)?.setAttribute("href", hash || "#play");
  open();
});
open();
// For questions in the browser's console: await stier.ask(undefined, "games").
Object.assign(globalThis, { stier: engine });
// The first answer comes as soon as the page can be played.
engine.ask(undefined, "games")
  .then(() => engine.loadNetworks(readRoute(location.hash).game || "schwinget"))
  .catch((error: Error) => console.error(error.message));
