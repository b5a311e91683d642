import { h } from "./dom";
import { inBrowser } from "./storage";

/** The keys of a view: what each does, by the name of the key in lower case. */
export type Keys = Record<string, () => void>;

const TEXTS: [string, string][] = [
  ["1 to 9", "choose a legal move, by its number"],
  ["N", "new deal"],
  ["U", "undo: take your last choice back"],
  ["H", "hint: what a search would choose"],
  ["?", "show these keys"],
  ["← →", "in a review: the move before, the next move"],
  ["Home End", "in a review: the beginning, the end"],
  ["M", "in a review: the next mistake"],
  ["A W", "in the attack trainer: attack, wait"],
];
const SETTING = "keys";

/** True unless the person has turned keys off. */
function areOn(): boolean {
  return inBrowser.get(SETTING) !== "off";
}

/** Listens for keys until `signal` is aborted, except for those that are typed or turned off. */
export function listen(keys: () => Keys, signal: AbortSignal): void {
  addEventListener(
    "keydown",
    (event) => {
      const isTyped =
        event.target instanceof Element && event.target.closest("input, select, textarea, dialog, .scroll") !== null;
      const act = keys()[event.key.toLowerCase()];
      if (isTyped || event.ctrlKey || event.metaKey || event.altKey || !act || !areOn()) return;
      // A key that is held does its work once, but one may go through a game with it.
      if (!event.repeat || event.key.startsWith("Arrow")) act();
      event.preventDefault();
    },
    { signal },
  );
}

/** A dialog that explains the keys. */
export function drawKeys(): HTMLDialogElement {
  const on = h("input", {
    type: "checkbox",
    checked: areOn(),
    change: () => inBrowser.set(SETTING, on.checked ? "on" : "off"),
  });
  const rows = TEXTS.map(([key, about]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, about)));
  return h(
    "dialog",
    { "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, ...rows),
    h("label", { class: "check" }, on, "Use these keys"),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
}
