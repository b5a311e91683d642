import type { Route, Tab } from "./link";
import { rulebook } from "./rules";

const NAMES: Record<Tab, string> = {
  play: "Play",
  review: "Review",
  trainer: "Attack trainer",
  solutions: "Solutions",
};
/** The name of the page in a list of windows, before a place on it is known. */
const SITE = "Stier";

/** Names the place on the page in the title of the window, the more particular part first. `deal` is a deal with a name. */
export function setTitle({ tab, game }: Route, deal = ""): void {
  const title = deal || (game && rulebook(game).title);
  const parts = tab === "play" ? [title || NAMES.play] : [NAMES[tab], title];
  document.title = [...parts.filter(Boolean), SITE].join(" · ");
}
