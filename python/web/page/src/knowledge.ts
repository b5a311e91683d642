import { AgentChooser, searches } from "./agents";
import { drawBars } from "./bars";
import { errorInWords, h, panel } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { basisInWords, drawBeliefs, unitInWords } from "./heat";
import { seatInSentence, seatName } from "./names";
import type { Analysis, Position, Rules, Table } from "./protocol";
import { Running } from "./running";

/** The view of a person at one moment. */
export interface Moment {
  position: Position;
  seat: number;
  rules: Rules;
  table: Table;
}

/** The number of searches of a position. */
const SEARCHES = 30;
/** The worlds over which the knowledge of another seat is averaged: a few for a quick look, then more. */
const WORLDS = [20, 50, 200];
/** An average that would take more milliseconds is left out. */
const LONGEST = 2000;

/** The person's own choice lasts while the page is open. */
let open = false;

/** The panel "Knowledge": what a seat can believe, what a search thinks, and what another seat can know about it. */
export class Knowledge {
  readonly element: HTMLDetailsElement;
  readonly #engine: EngineClient;
  readonly #last = h("p", { class: "muted" }, "The numbers of your last decision:");
  readonly #believed = h("div", {});
  readonly #thought = h("div", {});
  readonly #known = h("div", {});
  /** The seat of which the last part tells. */
  readonly #other = h("select", { change: () => this.update(this.#view) });
  readonly #text = h("p", { class: "knowledge-text" });
  readonly #asText = h("details", {}, h("summary", {}, "Everything you know, as text"), this.#text);
  readonly #agent: AgentChooser;
  #spec: string;
  #view: Moment | null = null;
  readonly #running = new Running();
  readonly #closed = new AbortController();
  readonly #look: () => void;

  /** `look` hears when a person sees what can be known about a choice. */
  constructor(engine: EngineClient, rules: Rules, seat: number, look: () => void) {
    this.#engine = engine;
    this.#look = look;
    const presets = searches(rules);
    this.#spec = presets[0]?.spec ?? "";
    this.#agent = new AgentChooser("Search", presets, this.#spec, (spec) => {
      this.#spec = spec;
      this.update(this.#view);
    });
    const others = othersOf(seat, rules);
    this.#other.append(...others.map((other) => h("option", { value: other }, seatName(other, seat, rules.seats))));
    this.element = panel(
      "Knowledge",
      { class: "knowledge", open, toggle: () => this.#toggle() },
      h(
        "p",
        { class: "peek" },
        h("strong", {}, "Nobody peeked."),
        " All of this is computed from your own view only. ",
        "The numbers are the same in Python and on any machine, unless the search has a time limit.",
      ),
      this.#last,
      this.#believed,
      this.#thought,
      h("p", { class: "actions" }, this.#running.element),
      this.#agent.element,
      this.#known,
      others.length > 1 && h("label", { class: "field" }, "Another player", this.#other),
      this.#asText,
    );
  }

  /** Shows what can be known at another moment, and stops thinking about the last. Null if the seat is not to move. */
  update(view: Moment | null): void {
    this.#running.stop();
    this.#view = view;
    this.#last.hidden = view !== null;
    if (!view || !this.element.open) return;
    if (view.table.legal.length > 1) this.#look();
    this.#text.textContent = view.table.knowledge;
    this.#agent.fail("");
    this.#running
      .run(this.#closed.signal, (signal) => this.#think(view, signal))
      .catch((error: unknown) => {
        if (!isAbort(error)) this.#agent.fail(errorInWords(error));
      });
  }

  /** Ends all thinking. */
  close(): void {
    this.#closed.abort();
  }

  #toggle(): void {
    open = this.element.open;
    this.update(this.#view);
  }

  async #think(view: Moment, signal: AbortSignal): Promise<void> {
    const hasCards = await this.#believe(view, signal);
    if (view.table.legal.length > 1) {
      await this.#engine.analyst.run(signal, view.position, this.#spec, SEARCHES, (analysis) =>
        this.#drawSearches(analysis, view.rules),
      );
    } else {
      const only = "You have only one choice: there is nothing to search.";
      this.#thought.replaceChildren(h("p", { class: "about" }, only));
    }
    if (hasCards) await this.#guess(view, signal);
  }

  /** The seat's beliefs about the other hands. False in a game without cards. */
  async #believe({ position, seat, rules }: Moment, signal: AbortSignal): Promise<boolean> {
    const beliefs = await this.#engine.ask(signal, "beliefs", position, seat);
    if (beliefs.cards.length === 0) {
      this.#asText.open = true;
      return false;
    }
    const others = othersOf(seat, rules);
    this.#believed.replaceChildren(
      h("h4", {}, "What you can believe"),
      h("p", { class: "about" }, `${unitInWords(beliefs)} ${basisInWords(beliefs)}`),
      drawBeliefs(beliefs, rules.faces, {
        seats: others,
        labels: others.map((other) => `${seatName(other, seat, rules.seats)} holds`),
        caption: "Your beliefs",
      }),
    );
    return true;
  }

  #drawSearches(analysis: Analysis, rules: Rules): void {
    this.#thought.replaceChildren(
      h("h4", {}, "What a search thinks"),
      h(
        "p",
        { class: "about" },
        "The value of each choice for you: the mean of ",
        `${analysis.searches} of ${SEARCHES} searches.`,
      ),
      drawBars(analysis, rules.range, { faces: rules.faces }),
    );
  }

  /** The beliefs of another seat about the seat's own cards. */
  async #guess({ position, seat, rules }: Moment, signal: AbortSignal): Promise<void> {
    const other = Number(this.#other.value);
    let each = 0;
    for (const worlds of WORLDS) {
      if (each * worlds > LONGEST) break;
      const start = performance.now();
      const known = await this.#engine.ask(signal, "known", position, seat, other, worlds);
      each = (performance.now() - start) / worlds;
      this.#known.replaceChildren(
        h("h4", {}, `What ${seatInSentence(other, seat, rules.seats)} may believe about your cards`),
        h("p", { class: "about" }, `The mean over ${worlds} deals that are possible for you.`),
        drawBeliefs(known, rules.faces, {
          seats: [seat],
          labels: [`${seatName(other, seat, rules.seats)} believes that you hold`],
          caption: `Beliefs of ${seatInSentence(other, seat, rules.seats)}`,
        }),
      );
    }
  }
}

function othersOf(seat: number, { seats }: Rules): number[] {
  return Array.from({ length: seats }, (_, other) => other).filter((other) => other !== seat);
}
