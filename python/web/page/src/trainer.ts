import type { View } from "./view";
import "./views.css";
import "./trainer.css";
import { drawAnswer, drawAttack, drawCount, drawIntroduction, drawScore, markCards } from "./attack";
import { countOf } from "./count";
import { errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { type Keys, listen } from "./keys";
import { type Route, readNumber, writeRoute } from "./link";
import { isClose, isRight, type Question } from "./questions";
import { Repetition } from "./repetition";
import { Round } from "./round";
import { wordsOn } from "./rules";
import { inBrowser, inTab } from "./storage";
import { drawTable } from "./table";
import { counted } from "./words";

/** The generator takes 32 bits. */
const LARGEST_SEED = 2 ** 32 - 1;

/**
 * The view that asks when an attack is right: a round of positions, the answer after each, and a score. What was wrong
 * comes again.
 */
export class Trainer implements View {
  readonly #engine: EngineClient;
  readonly #closed = new AbortController();
  readonly #memory = new Repetition(inBrowser);
  readonly #round: Round;
  readonly #stage = h("div", { class: "stage" }, h("p", { class: "muted" }, "Loading …"));
  /** The answers by key, while a question waits for one. */
  #keys: Keys = {};

  constructor(root: HTMLElement, engine: EngineClient, route: Route) {
    this.#engine = engine;
    const failed = h("p", { class: "error", role: "alert" });
    const seed = seedOf(route, failed);
    this.#round = new Round(inTab, seed, route.settings.has("seed") ? [] : this.#memory.due());
    history.replaceState(null, "", writeRoute("trainer", "", { seed }));
    listen(() => this.#keys, this.#closed.signal);
    root.replaceChildren(
      h("h2", {}, "When is an attack right?"),
      failed,
      this.#stage,
      drawIntroduction(seed, this.#round.isShared),
    );
    this.#goOn(false);
  }

  close(): void {
    this.#closed.abort();
  }

  /** Asks the next question, or shows the score, and moves the focus there if it is wanted. */
  #goOn(focus: boolean): void {
    this.#keys = {};
    const { question } = this.#round;
    const shown = question ? this.#ask(question) : Promise.resolve(this.#score());
    shown.then(
      (top) => focus && top.focus(),
      (error: unknown) => {
        if (!isAbort(error)) {
          this.#stage.replaceChildren(h("p", { class: "error", role: "alert" }, errorInWords(error)));
        }
      },
    );
  }

  #score(): HTMLElement {
    const again = (): void => {
      this.#round.restart();
      this.#goOn(true);
    };
    const score = drawScore(this.#round, this.#memory, again);
    this.#stage.replaceChildren(score);
    return score.querySelector("h3") ?? score;
  }

  async #ask(question: Question): Promise<HTMLElement> {
    const { position, seat } = question;
    const { signal } = this.#closed;
    const known = await this.#engine.ask(signal, "rules", position.game, position.rules);
    const table = await this.#engine.ask(signal, "table", position, seat);
    const story = await this.#engine.ask(signal, "story", position, seat);
    const parts = countOf(table, story, seat, known.faces);
    const count = drawCount(question, parts, known);
    const answers = h("div", { class: "answers", "aria-live": "polite" });
    const about = drawAttack();
    const words = Object.fromEntries(wordsOn(position.game, table));
    const drawn = drawTable(table, known.faces, { eyes: seat, you: seat, words });
    const answer = (attack: boolean): void => {
      this.#keys = {};
      this.#round.answer(attack);
      if (!isClose(question)) this.#memory.note(question.id, isRight(question, attack));
      const next = h(
        "button",
        { type: "button", class: "primary", click: () => this.#goOn(true) },
        this.#round.question ? "Next position" : "Your score",
      );
      answers.replaceChildren(drawAnswer(question, attack, known, this.#memory, next));
      about.remove();
      count.open = true;
      markCards(drawn, parts);
      next.focus({ preventScroll: true });
    };
    this.#keys = { a: () => answer(true), w: () => answer(false) };
    answers.append(
      h("p", { class: "asked" }, "You lead. Attack now, or wait?"),
      h(
        "div",
        { class: "actions" },
        drawChoice("Attack", () => answer(true)),
        drawChoice("Wait", () => answer(false)),
      ),
    );
    const progress = drawProgress(question, this.#round, this.#memory);
    this.#stage.replaceChildren(
      progress,
      h(
        "div",
        { class: "columns" },
        drawn,
        h("div", { class: "beside" }, h("div", { class: "help" }, about, count), answers),
      ),
    );
    return progress;
  }
}

/** The seed of the route, or a random one. */
function seedOf({ settings }: Route, failed: HTMLElement): number {
  const random = 1 + Math.floor(Math.random() * 9999);
  try {
    return readNumber(settings, "seed", 0, LARGEST_SEED, random);
  } catch (error) {
    failed.textContent = `${errorInWords(error)} Here are other positions.`;
    return random;
  }
}

/** A button whose key is its first letter. */
function drawChoice(name: string, click: () => void): HTMLElement {
  const key = name.charAt(0);
  return h(
    "button",
    { type: "button", class: "primary", "aria-keyshortcuts": key, click },
    `${name} `,
    h("kbd", { "aria-hidden": "true" }, key),
  );
}

function drawProgress({ exact }: Question, round: Round, memory: Repetition): HTMLElement {
  const { now, best } = memory.streak();
  const right = round.answers.filter(({ question, attack }) => isRight(question, attack)).length;
  return h(
    "div",
    { class: "progress", tabindex: -1 },
    h("progress", { max: round.length, value: round.done, "aria-label": "Positions answered" }),
    h("span", {}, `Position ${round.done + 1} of ${round.length}`, round.isAgain && h("strong", {}, ", again")),
    round.done > 0 && h("span", { class: "muted" }, `${right} right`),
    best > 0 &&
      h(
        "span",
        { class: "streak", title: `${counted(now, "right answer")} in a row, at best ${best}` },
        `Streak ${now}`,
        now < best && h("span", { class: "muted" }, ` (best ${best})`),
      ),
    exact &&
      h(
        "span",
        { class: "muted deck" },
        "Small deck: two suits of four values, and the counter. Two cards in each hand, three set aside, two in ",
        "the pile.",
      ),
  );
}
