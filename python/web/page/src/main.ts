import { errorInWords } from "./dom";
import "./base.css";
import "./cards.css";
import "./table.css";
import "./boards.css";
import "./figures.css";
import "./page.css";
import "./forms.css";
import "./landscape.css";
import "./daily.css";
import { dailyLink } from "./daily";
import { takeRecords } from "./drop";
import { EngineClient } from "./engine";
import { entrance, type Route, readRoute, TABS, type Tab } from "./link";
import { clearNotice, warn } from "./notice";
import { keepOffline } from "./offline";
import { Play } from "./play";
import { Review } from "./review";
import { Solutions } from "./solutions";
import { setTitle } from "./title";
import { Trainer } from "./trainer";
import type { View, ViewClass } from "./view";

const VIEWS: Record<Tab, ViewClass> = { play: Play, review: Review, trainer: Trainer, solutions: Solutions };

/** The hash that leads to the deal of the day, whichever day it is. */
const TODAY = "#today";

const engine = new EngineClient();
const root = document.querySelector("main") as HTMLElement;
let view: View | null = null;

/** Opens the view that the address names. */
function open(): void {
  view?.close();
  if (location.hash.toLowerCase() === TODAY) history.replaceState(null, "", dailyLink(new Date()));
  const route = readRoute(location.hash || `#play/${entrance()}`);
  name(route);
  clearNotice();
  if (route.unknown.length > 0)
    warn(
      route.unknown[0]?.startsWith("#")
        ? `There is nothing at ${route.unknown[0]}. Here is a new deal.`
        : `This part of the link is unknown: ${route.unknown.join(", ")}.`,
    );
  root.className = route.tab;
  // The line about loading stays until the view has something to show.
  root.replaceChildren(...root.querySelectorAll(":scope > .loading"));
  // A view that is opened far down the page would be out of sight.
  scrollTo(0, 0);
  view = new VIEWS[route.tab](root, engine, route);
}

/** Names the view in the title and among the tabs. */
function name(route: Route): void {
  setTitle(route);
  for (const tab of TABS) link(tab)?.setAttribute("aria-current", tab === route.tab ? "page" : "false");
}

function link(tab: Tab): HTMLAnchorElement | null {
  return document.querySelector<HTMLAnchorElement>(`nav a[data-tab="${tab}"]`);
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  // The hash of the address belongs to the views.
  event.preventDefault();
  root.focus();
});
// A file that is dropped beside a field would replace the page.
for (const name of ["dragover", "drop"] as const) {
  addEventListener(name, (event) => {
    const isField = event.target instanceof Element && event.target.closest("input, textarea") !== null;
    if (!isField || event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
takeRecords(root);
addEventListener("hashchange", ({ oldURL }) => {
  // The tab of the view that is left leads back to where it was.
  const { hash } = new URL(oldURL);
  link(readRoute(hash).tab)?.setAttribute("href", hash || "#play");
  open();
});
// For questions in the browser's console: await stier.ask(undefined, "games").
Object.assign(globalThis, { stier: engine });
const arrived = document.querySelector<HTMLProgressElement>(".loading progress");
engine.onArrival = (share) => {
  if (arrived) arrived.value = share;
};
name(readRoute(location.hash));
// If the engine cannot be loaded, each view says why.
engine
  .ready()
  .catch(() => {})
  .then(async () => {
    open();
    // The first answer comes as soon as the page can be played.
    await engine.ask(undefined, "games");
    await engine.loadNetworks(readRoute(location.hash).game || "schwinget");
    await keepOffline();
  })
  .catch((error: unknown) => console.error(errorInWords(error)));
