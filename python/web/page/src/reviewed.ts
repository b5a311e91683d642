import { drawBars } from "./bars";
import { errorInWords, h, panel, s } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { gradeOf, mistakesOf, verdictInWords } from "./grade";
import { basisInWords, drawBeliefs, unitInWords } from "./heat";
import { listen } from "./keys";
import { playLink } from "./link";
import { markMoves } from "./marks";
import { seatName } from "./names";
import type { Move, Recorded, Reviewed, Rules, Table } from "./protocol";
import { drawAccuracy, drawCosts, drawLegend, drawMistakes, summaryInWords } from "./summary";
import { drawTable } from "./table";

/** The findings about the decisions of one seat in a recorded game. */
export interface Findings {
  record: string;
  game: Recorded;
  rules: Rules;
  seat: number;
  decisions: Reviewed[];
  /** The moment that is shown: the number of moves before it. */
  moment: number;
}

/** The findings, drawn as they come: accuracy and mistakes, then the game move by move. */
export class ReviewView {
  readonly #engine: EngineClient;
  readonly #findings: Findings;
  readonly #closed = new AbortController();
  readonly #progress = h("p", { role: "status" });
  /** Stands on a phone, where the accuracy and the mistakes are below the table. */
  readonly #short = h("span", {});
  readonly #verdict = h("div", { class: "verdicts" });
  readonly #marks = h("div", { class: "marks", "aria-hidden": "true" });
  readonly #legend = h("div", {});
  readonly #slider: HTMLInputElement;
  /** The moment, beside the steps and, on a phone, beside the accuracy. */
  readonly #count = h("output", {});
  readonly #place = h("span", { "aria-hidden": "true" });
  readonly #first = step("«", "Beginning", () => this.#go(0), true);
  readonly #before = step("‹", "Move before", () => this.#go(this.#findings.moment - 1));
  readonly #after = step("›", "Next move", () => this.#go(this.#findings.moment + 1));
  readonly #end = step("»", "End", () => this.#go(this.#last), true);
  readonly #next = h(
    "button",
    { type: "button", click: () => this.#goToMistake() },
    "Next mistake ",
    h("kbd", { "aria-hidden": "true" }, "m"),
  );
  /** Plays on from the decision that is shown. It stays where it is, like the steps. */
  readonly #again = h(
    "button",
    { type: "button", "aria-label": "Try again from here", click: () => this.#tryAgain([]) },
    "Try again",
    h("span", { class: "word" }, " from here"),
  );
  readonly #open = h("input", { type: "checkbox", change: () => void this.#show() });
  readonly #stage = h("div", { class: "reviewing" });
  readonly #more = h("div", { class: "more" });
  readonly #tables = new Map<string, Promise<Table>>();
  readonly element: HTMLElement;
  /** Decisions whose mistake has been shown by the button. */
  #shown = 0;
  /** True once the person has chosen a moment. */
  #hasChosen = false;

  constructor(engine: EngineClient, findings: Findings) {
    this.#engine = engine;
    this.#findings = findings;
    this.#slider = h("input", {
      type: "range",
      min: 0,
      max: this.#last,
      "aria-label": "move",
      input: () => this.#go(this.#slider.valueAsNumber),
    });
    this.element = h(
      "section",
      { class: "reviewed" },
      this.#progress,
      h("p", { class: "short" }, this.#short, this.#place),
      this.#verdict,
      h("div", { class: "timeline" }, this.#marks, this.#slider, this.#legend),
      h(
        "div",
        { class: "actions steps" },
        ...[this.#first, this.#before, this.#after, this.#end, this.#count, this.#next, this.#again],
      ),
      this.#stage,
      this.#more,
    );
    const keys = {
      arrowleft: () => this.#go(this.#findings.moment - 1),
      arrowright: () => this.#go(this.#findings.moment + 1),
      home: () => this.#go(0),
      end: () => this.#go(this.#last),
      m: () => this.#goToMistake(),
    };
    listen(() => keys, this.#closed.signal);
    this.#showProgress();
    this.#summarise();
    void this.#show();
  }

  close(): void {
    this.#closed.abort();
  }

  add(decision: Reviewed): void {
    this.#findings.decisions.push(decision);
    this.#showProgress();
    this.#summarise();
    if (this.#decisionAt(this.#findings.moment) === decision) void this.#show();
  }

  /** Shows the most expensive mistake, unless the person looks at something else. */
  showWorst(): void {
    const worst = this.#hasChosen ? undefined : this.#takeMistake();
    if (!worst) return;
    this.#findings.moment = this.#momentOf(worst);
    void this.#show();
  }

  finish(): void {
    const [done, all] = [this.#findings.decisions.length, this.#total];
    this.#progress.classList.toggle("done", done > 0 && done === all);
    this.#progress.textContent =
      this.#last === 0
        ? "There is nothing to review yet: no player has moved in this game."
        : all === 0
          ? "You made no decision in this game. To review another player, open Game and judge."
          : done < all
            ? `${done} of your ${all} decisions are reviewed. To go on, open Game and judge and press Review.`
            : done === 1
              ? "Your only decision is reviewed."
              : `All ${done} of your decisions are reviewed.`;
  }

  get #last(): number {
    return this.#findings.game.moves.length;
  }

  get #total(): number {
    const { game, seat } = this.#findings;
    return game.moves.filter((move) => move.seat === seat).length;
  }

  #showProgress(): void {
    const done = this.#findings.decisions.length;
    this.#progress.classList.remove("done");
    this.#progress.replaceChildren(
      h("progress", { max: this.#total, value: done, "aria-label": "decisions reviewed" }),
      ` ${done} of ${this.#total} decisions`,
    );
  }

  #decisionAt(moment: number): Reviewed | undefined {
    const { game, decisions } = this.#findings;
    return decisions.find(({ number }) => number === game.moves[moment]?.number);
  }

  /** The moment of a decision. */
  #momentOf({ number }: Reviewed): number {
    return this.#findings.game.moves.findIndex((move) => move.number === number);
  }

  #go(moment: number): void {
    this.#hasChosen = true;
    this.#findings.moment = Math.min(this.#last, Math.max(0, moment));
    void this.#show().then(() => this.#stage.querySelector(".table")?.scrollIntoView({ block: "nearest" }));
  }

  /** Takes the next mistake, from the most expensive one on; undefined if there is none. */
  #takeMistake(): Reviewed | undefined {
    const { decisions } = this.#findings;
    const mistakes = mistakesOf(decisions);
    return mistakes.length === 0 ? undefined : decisions[mistakes[this.#shown++ % mistakes.length] ?? -1];
  }

  #goToMistake(): void {
    const mistake = this.#takeMistake();
    if (mistake) this.#go(this.#momentOf(mistake));
  }

  #table(moment: number, eyes: number | null): Promise<Table> {
    const { game, record } = this.#findings;
    const number = game.moves[moment]?.number ?? game.events;
    const key = `${number} ${eyes}`;
    const table = this.#tables.get(key) ?? this.#engine.ask(this.#closed.signal, "moment", record, number, eyes);
    table.catch(() => this.#tables.delete(key));
    this.#tables.set(key, table);
    return table;
  }

  async #show(): Promise<void> {
    const { moment } = this.#findings;
    this.#slider.value = String(moment);
    const place = `move ${moment} of ${this.#last}`;
    this.#slider.setAttribute("aria-valuetext", place);
    this.#count.textContent = this.#place.textContent = place;
    this.#first.disabled = this.#before.disabled = moment === 0;
    this.#after.disabled = this.#end.disabled = moment === this.#last;
    try {
      await this.#draw(moment);
    } catch (error) {
      if (!isAbort(error)) this.#stage.replaceChildren(h("p", { class: "error", role: "alert" }, errorInWords(error)));
    }
  }

  async #draw(moment: number): Promise<void> {
    const { rules, seat, game } = this.#findings;
    const isEnd = moment === this.#last;
    const eyes = this.#open.checked || (isEnd && game.returns !== null) ? null : seat;
    const table = await this.#table(moment, eyes);
    if (moment !== this.#findings.moment) return;
    const decision = this.#decisionAt(moment);
    const grade = decision && gradeOf(decision);
    this.#again.disabled = grade === undefined || grade === "forced";
    this.#again.classList.toggle("primary", grade === "mistake");
    const isOwn = game.moves[moment]?.seat === seat;
    const drawn = drawTable(table, rules.faces, {
      eyes,
      you: seat,
      digits: false,
      ...(decision && { moves: (move: Move) => this.#tryAgain([move.id]) }),
    });
    if (decision && grade !== "forced") markMoves(drawn, decision);
    const beside = decision
      ? this.#judged(decision)
      : [
          h(
            "p",
            { class: "verdict" },
            isEnd
              ? "The record ends here."
              : isOwn
                ? "This decision is not reviewed yet."
                : `${seatName(game.moves[moment]?.seat ?? 0, seat, game.seats)} is to move.`,
          ),
        ];
    this.#stage.dataset["moment"] = String(moment);
    const hadFocus = document.activeElement === this.#open;
    this.#stage.replaceChildren(
      h(
        "div",
        { class: "columns" },
        drawn,
        h(
          "div",
          {},
          h("div", { "aria-live": "polite" }, ...beside),
          h("label", { class: "check" }, this.#open, "All cards open"),
        ),
      ),
    );
    if (hadFocus) this.#open.focus({ preventScroll: true });
  }

  /** The text beside the table of a decision. */
  #judged(decision: Reviewed): HTMLElement[] {
    const { rules, seat } = this.#findings;
    const { action, analysis, beliefs } = decision;
    const others = Array.from({ length: beliefs.seats }, (_, index) => index).filter((index) => index !== seat);
    const grade = gradeOf(decision);
    return [
      h("p", { class: `verdict ${grade}` }, verdictInWords(decision, rules)),
      ...(grade === "forced"
        ? []
        : [
            h(
              "p",
              { class: "muted" },
              "Try again from here, or press another choice on the table to play on from it. ",
              "Your browser's Back button returns to this review.",
            ),
            panel(
              "The value of each choice",
              {},
              drawBars(analysis, rules.range, { played: action.id, faces: rules.faces }),
              h(
                "p",
                { class: "muted" },
                "These values are means over all searches. The cost compares the choices of the searches, each valued by the ",
                "others, so it can differ.",
              ),
            ),
          ]),
      ...(beliefs.cards.length > 0
        ? [
            panel(
              "Where the hidden cards could be",
              {},
              drawBeliefs(beliefs, rules.faces, {
                seats: others,
                labels: others.map((index) => `${seatName(index, seat, beliefs.seats)} holds`),
                caption: "Cards in the other hands",
              }),
              h("p", { class: "muted" }, unitInWords(beliefs), " ", basisInWords(beliefs)),
            ),
          ]
        : []),
    ];
  }

  /** Plays the game on from the decision that is shown. */
  #tryAgain(choices: number[]): void {
    const { seat, moment } = this.#findings;
    const decision = this.#decisionAt(moment);
    if (decision) location.hash = playLink({ position: decision.position, agent: "", seat, from: 0 }, choices);
  }

  #summarise(): void {
    const { decisions, rules } = this.#findings;
    this.#next.disabled = mistakesOf(decisions).length === 0;
    const isDone = decisions.length === this.#total;
    this.#short.textContent = decisions.length > 0 ? summaryInWords(decisions) : "";
    this.#verdict.replaceChildren(
      ...(decisions.length > 0
        ? [drawAccuracy(decisions), drawMistakes(decisions, rules, isDone, (one) => this.#go(this.#momentOf(one)))]
        : []),
    );
    const marks = this.#findings.game.moves.flatMap((_, moment) => {
      const decision = this.#decisionAt(moment);
      return decision && gradeOf(decision) !== "forced" ? [{ moment, grade: gradeOf(decision) }] : [];
    });
    this.#marks.replaceChildren(
      s(
        "svg",
        { viewBox: `0 0 ${Math.max(1, this.#last)} 1`, preserveAspectRatio: "none" },
        // A mistake is also told by its height.
        ...marks.map(({ moment, grade }) =>
          s("path", { class: grade, d: `M${moment} ${grade === "mistake" ? 0 : 0.45}V1` }),
        ),
      ),
    );
    this.#legend.replaceChildren(...drawLegend(marks.map(({ grade }) => grade)));
    const open = this.#more.querySelector("details")?.open ?? false;
    const curve = panel("All costs", {}, ...drawCosts(decisions, rules));
    curve.open = open;
    this.#more.replaceChildren(...(decisions.length > 0 ? [curve] : []));
  }
}

function step(sign: string, name: string, click: () => void, isEnd = false): HTMLButtonElement {
  return h("button", { type: "button", "aria-label": name, title: name, "data-end": isEnd, click }, sign);
}
