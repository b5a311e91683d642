import { h } from "./dom";
import { inBrowser } from "./storage";

/** The keys of a view: what each does. Digits are told as numbers. */
export interface Keys {
  digit: (digit: number) => void;
  newDeal: () => void;
  undo: () => void;
  hint: () => void;
}

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
export function areOn(): boolean {
  return inBrowser.get(SETTING) !== "off";
}

/** A dialog that explains the keys, and listens for them until `signal` is aborted. */
export function listen(keys: Keys, signal: AbortSignal): HTMLDialogElement {
  const on = h("input", {
    type: "checkbox",
    checked: areOn(),
    change: () => inBrowser.set(SETTING, on.checked ? "on" : "off"),
  });
  const rows = TEXTS.map(([key, about]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, about)));
  const dialog = h(
    "dialog",
    { "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, ...rows),
    h("label", { class: "check" }, on, "Use these keys"),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  addEventListener(
    "keydown",
    (event) => {
      const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
      if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !on.checked) return;
      if (event.key === "?") dialog.showModal();
      else if (event.key === "n" || event.key === "N") keys.newDeal();
      else if (event.key === "u" || event.key === "U") keys.undo();
      else if (event.key === "h" || event.key === "H") keys.hint();
      else if (/^[1-9]$/.test(event.key)) keys.digit(Number(event.key));
      else return;
      event.preventDefault();
    },
    { signal },
  );
  return dialog;
}
