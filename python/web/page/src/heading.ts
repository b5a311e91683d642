import { nameOf, opponentInWords } from "./agents";
import { dailyName, dateOfDeal } from "./daily";
import { nameOfDeal } from "./deals";
import { button, h } from "./dom";
import { GAME, LESSONS, lessonOf } from "./lessons";
import type { Match } from "./match";
import { rulebook } from "./rules";
import type { Score } from "./score";
import { inBrowser } from "./storage";
import { counted } from "./words";

/** Kept by a browser in which the last lesson was played to its end. */
const LEARNED = "learned";

/** The line above the table: the game, the opponent and the running score, or the way to the lessons. */
export class Heading {
  readonly #title = h("h2", {});
  readonly #tally = h("p", { class: "tally" });
  /** Says who knows the cards; empty if nobody knows more than the rules allow. */
  readonly #about = h("p", { class: "about" });
  readonly element = h("div", { class: "intro" }, this.#title, this.#tally, this.#about);
  readonly #learn: HTMLButtonElement;
  /** The deals whose cards have been open on this page. */
  readonly #opened = new Set<string>();

  constructor(learn: () => void) {
    this.#learn = button("New here? Learn it", learn);
  }

  /** Names the game and the opponent. */
  name({ game, rules, playing }: Match): void {
    const { title } = rulebook(game.name);
    const lesson = lessonOf(playing);
    const day = dateOfDeal(playing);
    const against = h("span", { class: "against" });
    if (lesson) against.append(lesson.title);
    else against.append(h("span", { class: "by" }, "against "), opponentInWords(playing.agent, rules, day !== null));
    this.#title.replaceChildren(`${day ? dailyName(day) : title} `, against);
    const isOpened = this.#opened.has(nameOfDeal(playing)) && !lesson;
    const isOracle = nameOf(playing.agent) === "oracle";
    this.#about.textContent = isOpened
      ? "You have seen all cards of this deal."
      : isOracle
        ? "The oracle sees all cards."
        : "";
  }

  /** Tells the score, once the last game is counted. */
  count({ game, playing, isOver }: Match, score: Score): void {
    const lesson = lessonOf(playing);
    if (isOver) this.#opened.add(nameOfDeal(playing));
    if (isOver && lesson === LESSONS.at(-1)) inBrowser.set(LEARNED, "yes");
    const { won, drawn, lost } = score.of(playing);
    const draws = drawn === 0 ? "" : `, ${counted(drawn, "draw")}`;
    const isDaily = dateOfDeal(playing) !== null;
    const tally = isDaily || won + drawn + lost === 0 ? "" : `Won ${won}, lost ${lost}${draws}`;
    const isNew = score.isNew && inBrowser.get(LEARNED) === null && game.name === GAME && !isDaily;
    this.#tally.replaceChildren(
      lesson ? `Lesson ${LESSONS.indexOf(lesson) + 1} of ${LESSONS.length}` : isNew ? this.#learn : tally,
    );
  }
}
