import type { Change } from "./deals";
import { button, h, isWide, panel } from "./dom";
import type { EngineClient } from "./engine";
import { Knowledge } from "./knowledge";
import { GAME, LESSONS, playingOf } from "./lessons";
import type { Playing } from "./link";
import type { Match } from "./match";
import type { Agent, GameInfo, Story } from "./protocol";
import { drawRules, rulebook } from "./rules";
import { Setup } from "./setup";
import { Sharing } from "./sharing";
import { drawLog } from "./story";

/** The actions of the person beside the table. */
interface Actions {
  change: (change: Change) => void;
  start: (playing: Playing) => void;
  showKeys: () => void;
  /** The person has looked at the panel of knowledge. */
  look: () => void;
  /** Says something about the link or the record of the game. */
  say: (text: string) => void;
}

/** The panels beside the table: the form, the lessons, rules and knowledge, the moves so far, ways to take a game along. */
export class Side {
  readonly element: HTMLElement;
  readonly #engine: EngineClient;
  readonly #actions: Actions;
  readonly #sharing: Sharing;
  readonly #form = h("div", {});
  readonly #beside = h("div", {});
  readonly #log = h("ol", { class: "log", tabindex: 0, "aria-label": "moves so far" });
  readonly #lessons: HTMLElement;
  #setup: Setup | null = null;
  #knowledge: Knowledge | null = null;

  constructor(engine: EngineClient, signal: AbortSignal, actions: Actions) {
    this.#engine = engine;
    this.#actions = actions;
    this.#sharing = new Sharing(engine, signal, actions.say);
    const lessons = LESSONS.map((lesson, index) =>
      button(`${index + 1}. ${lesson.title}`, () => actions.start(playingOf(lesson))),
    );
    this.#lessons = panel("Learn Schwinget in three short bouts", {}, h("div", { class: "lessons" }, ...lessons));
    this.element = h(
      "div",
      { class: "side", hidden: true },
      panel("Game and opponent", { open: isWide() }, this.#form),
      this.#lessons,
      this.#beside,
      panel("Moves so far", {}, this.#log),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: "#today" }, "Deal of the day"),
        ...this.#sharing.elements,
        button("Keys", actions.showKeys),
      ),
    );
  }

  /** Shows the form for a game. */
  draw(match: Match, games: GameInfo[], agents: Agent[]): void {
    const { game, rules, playing } = match;
    const options = (): HTMLDetailsElement | null => this.#form.querySelector(".options");
    const active = document.activeElement;
    const focused = this.#form.contains(active) ? active?.getAttribute("name") : null;
    const isOpen = options()?.open ?? false;
    this.#setup = new Setup({ games, game, agents, rules, playing }, this.#actions.change);
    this.#form.replaceChildren(this.#setup.element);
    const drawn = options();
    if (drawn) drawn.open = isOpen;
    if (focused) this.#form.querySelector<HTMLElement>(`[name="${focused}"]`)?.focus();
    this.element.hidden = false;
    this.#lessons.hidden = game.name !== GAME;
  }

  /** Draws the panels that depend on the game and the seat. */
  drawBeside({ game, rules, playing }: Match): void {
    this.#knowledge?.close();
    this.#knowledge = new Knowledge(this.#engine, rules, playing.seat, this.#actions.look);
    const rulePanel = panel(`Rules of ${rulebook(game.name).title}`, {}, drawRules(game.name, rules.faces));
    this.#beside.replaceChildren(rulePanel, this.#knowledge.element);
  }

  /** Follows a game to its next move. */
  show(match: Match, story: Story): void {
    const { playing, rules } = match;
    this.#log.replaceChildren(...drawLog(story, { you: playing.seat, seats: rules.seats, faces: rules.faces }));
    this.#sharing.show(playing);
    this.think(match);
  }

  /** Lets the panel of knowledge compute, if it is open; null stops it. */
  think(match: Match | null): void {
    if (!match?.isYours) return this.#knowledge?.update(null);
    const { playing, rules, table } = match;
    this.#knowledge?.update({ position: playing.position, seat: playing.seat, rules, table });
  }

  /** Shows why the rules, the seat or the seed cannot be played. */
  fail(message: string): void {
    this.#setup?.fail(message);
  }

  /** Shows why the opponent cannot play. */
  failAgent(message: string): void {
    this.#setup?.agent.fail(message);
  }

  /** Opens the form at the field of the opponent. */
  showAgent(): void {
    this.#form.closest("details")?.setAttribute("open", "");
    this.#setup?.agent.focus();
  }

  review(): void {
    this.#sharing.review();
  }

  close(): void {
    this.#knowledge?.close();
  }
}
