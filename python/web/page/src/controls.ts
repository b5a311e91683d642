import { button, h } from "./dom";
import { LESSONS, lessonOf } from "./lessons";
import type { Match } from "./match";

/** The buttons under the table, which stay where they are. */
export class Controls {
  readonly element: HTMLElement;
  readonly #hint: HTMLButtonElement;
  /** Takes the place of the hint once the game is over. */
  readonly #review: HTMLButtonElement;
  readonly #cost: HTMLButtonElement;
  /** Takes the place of the cost once a lesson is over. */
  readonly #again: HTMLButtonElement;
  readonly #undo: HTMLButtonElement;
  readonly #next: HTMLButtonElement;

  constructor(actions: Record<"hint" | "review" | "cost" | "again" | "undo" | "next", () => void>) {
    this.#hint = button("Hint", actions.hint);
    this.#review = button("See what your choices cost", actions.review);
    this.#cost = button("How good was that?", actions.cost);
    this.#again = button("Again", actions.again);
    this.#undo = button("Undo", actions.undo);
    this.#next = button("New deal", actions.next);
    this.element = h("div", { class: "actions" }, this.#hint, this.#cost, this.#undo, this.#next);
  }

  show(match: Match): void {
    this.#undo.disabled = match.beforeLastChoice() === null;
    // While another seat decides, a search would take its place.
    this.#cost.disabled = this.#undo.disabled || !(match.isYours || match.isOver);
    this.#hint.disabled = !match.isYours;
    const lesson = lessonOf(match.playing);
    exchange(match.isOver, this.#hint, this.#review);
    exchange(match.isOver && lesson !== undefined, this.#cost, this.#again);
    const after = !lesson ? "Rematch" : lesson === LESSONS.at(-1) ? "Play a bout" : "Next lesson";
    this.#next.textContent = match.isOver ? after : lesson ? "Again" : "New deal";
    this.#next.classList.toggle("primary", match.isOver);
  }
}

/** Puts the second of two buttons in the place of the first, or the other way round. */
function exchange(isSecond: boolean, first: HTMLElement, second: HTMLElement): void {
  const [shown, other] = isSecond ? [second, first] : [first, second];
  if (!shown.isConnected) other.replaceWith(shown);
}
