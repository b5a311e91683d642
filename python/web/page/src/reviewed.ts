import { drawBars } from "./bars";
import { actionInWords, drawAction } from "./cards";
import { cumulated, drawLosses, measured } from "./chart";
import { errorInWords, h, s } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { accuracyOf, costInWords, costOf, gradeOf, mistakesOf, verdictInWords } from "./grade";
import { basisInWords, drawBeliefs } from "./heat";
import { areOn } from "./keys";
import { playLink } from "./link";
import { markMoves } from "./marks";
import type { Move, Reviewed, Reviewing, Rules, Table } from "./protocol";
import { drawTable, seatInWords } from "./table";

/** The findings about the decisions of one seat in a recorded game. */
export interface Findings {
  record: string;
  game: Reviewing;
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
  readonly #verdict = h("div", { class: "verdicts" });
  readonly #marks = h("div", { class: "marks", "aria-hidden": "true" });
  readonly #slider: HTMLInputElement;
  readonly #count = h("output", {});
  readonly #first = step("«", "Beginning", () => this.#go(0), true);
  readonly #before = step("‹", "Move before", () => this.#go(this.#findings.moment - 1));
  readonly #after = step("›", "Next move", () => this.#go(this.#findings.moment + 1));
  readonly #end = step("»", "End", () => this.#go(this.#last), true);
  readonly #next = h(
    "button",
    { type: "button", click: () => this.#goTo(this.#nextMistake()) },
    "Next mistake ",
    h("kbd", { "aria-hidden": "true" }, "m"),
  );
  readonly #open = h("input", { type: "checkbox", change: () => this.#show() });
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
      this.#verdict,
      h("div", { class: "timeline" }, this.#marks, this.#slider),
      h("div", { class: "actions steps" }, this.#first, this.#before, this.#after, this.#end, this.#count, this.#next),
      this.#stage,
      this.#more,
    );
    document.addEventListener("keydown", (event) => this.#press(event), { signal: this.#closed.signal });
    this.#showProgress();
    this.#summarise();
    this.#show();
  }

  close(): void {
    this.#closed.abort();
  }

  add(decision: Reviewed): void {
    this.#findings.decisions.push(decision);
    this.#showProgress();
    this.#summarise();
    if (this.#decisionAt(this.#findings.moment) === decision) this.#show();
  }

  /** Shows the most expensive mistake, unless the person looks at something else. */
  showWorst(): void {
    const worst = this.#hasChosen ? undefined : this.#nextMistake();
    // Without scrolling: the accuracy stays in sight.
    if (worst) this.#go(this.#momentOf(worst));
  }

  finish(): void {
    const { seat, decisions } = this.#findings;
    this.#progress.textContent = `${decisions.length} of the ${this.#total} decisions of seat ${seat} are reviewed.`;
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
    this.#show();
  }

  #goTo(decision: Reviewed | undefined): void {
    if (!decision) return;
    this.#go(this.#momentOf(decision));
    this.#stage.scrollIntoView({ block: "nearest" });
  }

  /** The next mistake, from the most expensive one on. */
  #nextMistake(): Reviewed | undefined {
    const { decisions } = this.#findings;
    const mistakes = mistakesOf(decisions);
    return decisions[mistakes[this.#shown++ % mistakes.length] ?? -1];
  }

  #press(event: KeyboardEvent): void {
    const isTyping =
      event.target instanceof Element && event.target.closest("input, select, textarea, dialog, .scroll");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !areOn()) return;
    const { moment } = this.#findings;
    if (event.key === "ArrowLeft") this.#go(moment - 1);
    else if (event.key === "ArrowRight") this.#go(moment + 1);
    else if (event.key === "Home") this.#go(0);
    else if (event.key === "End") this.#go(this.#last);
    else if (event.key.toLowerCase() === "m") this.#goTo(this.#nextMistake());
    else return;
    event.preventDefault();
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

  #show(): void {
    const { moment } = this.#findings;
    this.#slider.value = String(moment);
    this.#count.replaceChildren(h("span", { class: "word" }, "move "), `${moment} of ${this.#last}`);
    this.#first.disabled = this.#before.disabled = moment === 0;
    this.#after.disabled = this.#end.disabled = moment === this.#last;
    this.#draw(moment).catch((error: unknown) => {
      if (!isAbort(error)) this.#stage.replaceChildren(h("p", { class: "error", role: "alert" }, errorInWords(error)));
    });
  }

  async #draw(moment: number): Promise<void> {
    const { rules, seat, game } = this.#findings;
    const isEnd = moment === this.#last;
    const eyes = this.#open.checked || (isEnd && game.returns !== null) ? null : seat;
    const table = await this.#table(moment, eyes);
    if (moment !== this.#findings.moment) return;
    const decision = this.#decisionAt(moment);
    const isOwn = game.moves[moment]?.seat === seat;
    const drawn = drawTable(table, rules.faces, {
      eyes,
      you: seat,
      digits: false,
      ...(decision && { moves: (move: Move) => this.#tryAgain(decision, [move.id]) }),
    });
    if (decision && decision.table.legal.length > 1) markMoves(drawn, decision);
    const beside = decision
      ? this.#judged(decision)
      : [
          h(
            "p",
            { class: "verdict" },
            isEnd
              ? "The end of the record."
              : isOwn
                ? "This decision is not reviewed yet."
                : `${seatInWords(game.moves[moment]?.seat ?? 0, seat)} is to move.`,
          ),
        ];
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
    const { table, action, analysis, beliefs } = decision;
    const others = Array.from({ length: beliefs.seats }, (_, index) => index).filter((index) => index !== seat);
    const grade = gradeOf(decision);
    return [
      h("p", { class: `verdict ${grade}` }, verdictInWords(decision, rules.faces)),
      ...(table.legal.length > 1
        ? [
            h(
              "p",
              { class: "actions" },
              h(
                "button",
                { type: "button", class: grade === "mistake" && "primary", click: () => this.#tryAgain(decision, []) },
                "Try again from here",
              ),
            ),
            h(
              "p",
              { class: "muted" },
              "Or press a card or move on the table: the game goes on with it in Play. ",
              "The way back leads here.",
            ),
            panel("Values of the choices", drawBars(analysis, rules.range, { played: action.id, faces: rules.faces })),
          ]
        : []),
      ...(beliefs.cards.length > 0
        ? [
            panel(
              "What you could believe",
              drawBeliefs(beliefs, rules.faces, {
                seats: others,
                labels: others.map((index) => seatInWords(index, seat)),
                caption: "Cards in the other hands",
              }),
              h("p", { class: "muted" }, basisInWords(beliefs)),
            ),
          ]
        : []),
    ];
  }

  /** Plays the game on from a decision. */
  #tryAgain({ position }: Reviewed, choices: number[]): void {
    const { seat } = this.#findings;
    location.hash = playLink({ position, agent: "", seat, from: 0 }, choices);
  }

  #summarise(): void {
    const { decisions, rules } = this.#findings;
    this.#next.disabled = mistakesOf(decisions).length === 0;
    this.#verdict.replaceChildren(...this.#drawVerdict());
    const marks = this.#findings.game.moves.flatMap((_, moment) => {
      const decision = this.#decisionAt(moment);
      return decision && gradeOf(decision) !== "forced" ? [{ moment, grade: gradeOf(decision) }] : [];
    });
    this.#marks.replaceChildren(
      s(
        "svg",
        { viewBox: `0 0 ${Math.max(1, this.#last)} 1`, preserveAspectRatio: "none" },
        ...marks.map(({ moment, grade }) => s("path", { class: grade, d: `M${moment} 0V1` })),
      ),
    );
    const open = this.#more.querySelector("details")?.open ?? false;
    const curve = panel("All costs", ...drawCosts(decisions, rules));
    curve.open = open;
    this.#more.replaceChildren(...(decisions.length > 0 ? [curve] : []));
  }

  /** The accuracy, and the mistakes. */
  #drawVerdict(): HTMLElement[] {
    const { decisions, rules } = this.#findings;
    const accuracy = accuracyOf(decisions);
    const mistakes = mistakesOf(decisions).flatMap((index) => decisions[index] ?? []);
    const isDone = decisions.length === this.#total;
    if (decisions.length === 0) return [];
    return [
      h(
        "div",
        { class: "accuracy" },
        accuracy
          ? h(
              "p",
              {},
              "You kept ",
              h("strong", { class: "large" }, `${Math.round(100 * accuracy.share)} %`),
              " of what was at stake",
              accuracy.low !== null &&
                accuracy.high !== null &&
                h("span", { class: "muted" }, ` (${between(100 * accuracy.low, 100 * accuracy.high)})`),
              ".",
            )
          : h("p", {}, "Nothing was at stake."),
      ),
      h(
        "div",
        { class: "mistakes" },
        mistakes.length === 0 &&
          h(
            "p",
            {},
            isDone
              ? decisions.every((decision) => ["best", "forced"].includes(gradeOf(decision)))
                ? "The judge would have chosen the same each time: no decision cost anything."
                : "No choice is certainly a mistake."
              : "No mistake so far.",
          ),
        mistakes.length > 0 && h("h3", {}, `${mistakes.length === 1 ? "One mistake" : `${mistakes.length} mistakes`}`),
        mistakes.length > 0 &&
          h(
            "ol",
            {},
            ...mistakes.map((decision) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "mistake stier", click: () => this.#goTo(decision) },
                  h("span", {}, "You ", drawAction(decision.action.name, rules.faces)),
                  h("span", {}, "Better ", drawAction(decision.best.name, rules.faces)),
                  h("span", { class: "clear" }, measured(-(decision.cost ?? 0), decision.ci95)),
                ),
              ),
            ),
          ),
      ),
    ];
  }
}

/** A closed panel. */
function panel(title: string, ...content: HTMLElement[]): HTMLDetailsElement {
  return h("details", { class: "panel" }, h("summary", {}, h("h3", {}, title)), ...content);
}

function step(sign: string, name: string, click: () => void, isEnd = false): HTMLButtonElement {
  return h("button", { type: "button", "aria-label": name, title: name, "data-end": isEnd, click }, sign);
}

function between(low: number, high: number): string {
  const [from, to] = [Math.round(low), Math.round(high)];
  return from === to ? `${from} %` : `${from} to ${to} %`;
}

/** All costs in the order of the game, with the sum. */
function drawCosts(decisions: Reviewed[], rules: Rules): HTMLElement[] {
  const known = decisions.flatMap((decision, index) => {
    const cost = costOf(decision);
    return cost ? [{ label: `${index + 1}`, ...cost, words: costInWords(decision) }] : [];
  });
  const sum = cumulated(known).at(-1) ?? { cost: 0, ci95: 0 };
  const unknown = decisions.length - known.length;
  return [
    h(
      "p",
      {},
      unknown > 0 ? `Sum of the ${known.length} known costs: ` : "Sum of the costs: ",
      h("strong", {}, measured(sum.cost, sum.ci95)),
      ` in the game's returns, which lie between ${measured(rules.range[0])} and ${measured(rules.range[1])}.`,
      unknown > 0 && ` The other ${unknown} are not known, because not every search tried the actions.`,
    ),
    ...(known.some(({ cost }) => cost !== 0) ? [drawLosses(known)] : []),
    h(
      "div",
      { class: "scroll", tabindex: 0 },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...["Decision", "You", "Best", "Cost"].map((name) => h("th", { scope: "col" }, name))),
        ),
        h(
          "tbody",
          {},
          ...decisions.map((decision, index) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, index + 1),
              h("td", {}, actionInWords(decision.action.name, rules.faces)),
              h("td", {}, actionInWords(decision.best.name, rules.faces)),
              h("td", {}, h(gradeOf(decision) === "mistake" ? "strong" : "span", {}, costInWords(decision))),
            ),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "muted" },
      "The cost of a decision is the value of the judge's choice minus that of the action ",
      "played. Each choice is valued by searches that did not pick it, so by chance a cost can be negative. What most ",
      "searches choose is the best choice, and costs nothing. A mistake is a choice whose cost is above 0 in the whole ",
      "95 % interval. At stake in a decision is the value of its best choice minus that of its worst. The accuracy is ",
      "the share of all stakes that the costs did not take; its interval is that of the sum of the costs.",
    ),
    h(
      "p",
      { class: "muted" },
      "The searches differ only in their seeds, and with a time limit in their length. An error ",
      "that all searches share, such as a wrong model of the other players, is not in the intervals. About one in ",
      "twenty such intervals misses the true value.",
    ),
  ];
}
