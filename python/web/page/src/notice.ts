import { button, h } from "./dom";

/** A way on: the words of a button, and what it does. */
export type Way = [words: string, go: () => void];

/**
 * Says what is wrong with a link or an opponent, with buttons for ways on. It lies over the head of the page, so that
 * nothing else moves, and goes with the person's next choice.
 */
export function warn(text: string, ...ways: Way[]): void {
  const notice = element();
  const go = (way: () => void) => (): void => {
    clearNotice();
    document.querySelector("main")?.focus();
    way();
  };
  const buttons = [...ways, ["Close", () => {}] satisfies Way].map(([words, way]) => button(words, go(way)));
  // Another warning may still be there.
  notice.querySelector(".actions")?.remove();
  notice.append(h("p", {}, text), h("p", { class: "actions" }, ...buttons));
  notice.hidden = false;
  notice.onkeydown = ({ key }) => {
    if (key === "Escape") go(() => {})();
  };
}

export function clearNotice(): void {
  const notice = element();
  notice.hidden = true;
  notice.replaceChildren();
}

function element(): HTMLElement {
  return document.querySelector(".notice") as HTMLElement;
}
