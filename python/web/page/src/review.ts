import "./views.css";
import { AgentChooser } from "./agents";
import { drawBars } from "./bars";
import { actionInWords } from "./cards";
import { cumulated, drawLosses, measured } from "./chart";
import { h } from "./dom";
import { isAbort, type EngineClient } from "./engine";
import { basisInWords, drawBeliefs } from "./heat";
import { playLink, readSeat, recall, reviewLink, type Route } from "./link";
import type { Move, Reviewed, Reviewing, Rules } from "./protocol";
import { LONGEST, checkRecord, readRecord } from "./record";
import { Running } from "./running";
import { drawTable, seatInWords, signed } from "./table";

const THOROUGH = { words: "thorough: 10,000 iterations", spec: "ismcts:iterations=10000,beliefs=policy" };
const QUICK = { words: "quick: 1,000 iterations", spec: "ismcts:iterations=1000,beliefs=policy" };
const SEARCHES = 5;
/** The number of decisions in the list of the most expensive ones. */
const WORST = 3;

/** A game under review. */
interface Reading {
  game: Reviewing;
  rules: Rules;
}

/** What has been found about the decisions of one seat. */
interface Findings extends Reading {
  seat: number;
  decisions: Reviewed[];
}

/** Reviews the decisions of one seat in a recorded game. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const leaving = new AbortController();
  let opening = new AbortController();
  const running = new Running();
  const found = h("div");
  const failed = h("p", { class: "error", role: "alert" });
  const record = h("textarea", {
    name: "record", rows: 6, spellcheck: "false", placeholder: "stier-record 1", maxlength: LONGEST + 1,
    input: () => attempt(read),
  });
  const file = h("input", { type: "file", name: "record-file", accept: ".txt,.record,text/plain",
    change: () => take(file.files?.[0]) });
  const seat = h("select", { name: "seat", disabled: true });
  let judge = THOROUGH.spec;
  const judges = new AgentChooser("Judge", [THOROUGH, QUICK], judge, (spec) => void (judge = spec));
  const searches = h("input", { name: "searches", type: "number", required: true, min: 1, max: 50, value: SEARCHES });
  const start = h("button", { type: "submit", class: "primary", disabled: true }, "Review");

  /** Runs a step and shows its error, unless it was stopped. */
  const attempt = (step: () => Promise<void>): void => {
    failed.textContent = "";
    step().catch((error: unknown) => {
      if (!isAbort(error)) failed.textContent = error instanceof Error ? error.message : String(error);
    });
  };
  const take = (chosen: File | undefined): void => {
    if (!chosen) return;
    attempt(async () => {
      record.value = await readRecord(chosen);
      await read();
    });
  };
  /** Reads the record and lists its seats. The engine knows one record, so a review of another ends. */
  const read = async (): Promise<void> => {
    opening.abort();
    running.stop();
    opening = new AbortController();
    const { signal } = opening;
    start.disabled = seat.disabled = true;
    seat.replaceChildren();
    if (record.value.trim() === "") return;
    checkRecord(record.value);
    const game = await engine.ask(signal, "open", record.value);
    seat.append(...game.decisions.map((count, index) => h("option", { value: index },
      `Seat ${index}: ${count} decisions${game.returns ? `, return ${signed(game.returns[index] ?? 0)}` : ""}`)));
    start.disabled = seat.disabled = false;
    seat.value = String(readSeat(route.settings, game.seats));
  };
  const review = async (signal: AbortSignal): Promise<void> => {
    const chosen = Number(seat.value);
    history.replaceState(null, "", reviewLink(record.value, chosen));
    // A worker that was ended in the meantime does not know the record any more.
    const game = await engine.ask(signal, "open", record.value);
    const rules = await engine.ask(signal, "rules", game.game, game.rules);
    await engine.ask(signal, "review", chosen, judge, searches.valueAsNumber);
    const view = new ReviewView({ game, rules, seat: chosen, decisions: [] });
    found.replaceChildren(view.element);
    signal.addEventListener("abort", () => view.finish());
    for (let next = await engine.ask(signal, "reviewed"); next; next = await engine.ask(signal, "reviewed")) {
      view.add(next);
    }
    view.finish();
  };
  const begin = (): Promise<void> => running.run(leaving.signal, review);

  const form = h("form", {
      submit: (event) => {
        event.preventDefault();
        attempt(begin);
      },
    },
    h("div", { class: "fields" },
      h("label", { class: "field text" }, "Record of a game: paste its text or drop its file on this page", record),
      h("label", { class: "field" }, "Or choose a file", file),
      h("label", { class: "field" }, "Seat", seat),
      judges.element,
      h("label", { class: "field" }, "Searches of each decision", searches)),
    h("div", { class: "actions" }, start, running.element));
  root.replaceChildren(
    h("header", { class: "intro measure" },
      h("h2", {}, "Review a game"),
      h("p", {}, "A judge searches every decision of a seat several times, with no more knowledge than the seat had. ",
        "The cost of a decision is the value of the judge's choice minus that of the action played. Each choice is ",
        "valued by searches that did not pick it. By chance a cost can therefore be negative. What most searches ",
        "choose is the best choice, and costs nothing."),
      h("p", {}, "Press Review this game or Save record in ", h("a", { href: "#play" }, "Play"), ", or run ",
        h("code", {}, "stier play GAME --record FILE"), ".")),
    form, failed, found);
  record.value = recall(route.settings) ?? "";
  attempt(async () => {
    await read();
    if (record.value !== "") await begin();
  });
  addEventListener("drop", (event) => take(event.dataTransfer?.files[0]), { signal: leaving.signal });
  leaving.signal.addEventListener("abort", () => opening.abort());
  return () => leaving.abort();
}

/** The findings, drawn as they come. */
class ReviewView {
  readonly #progress = h("p", { role: "status" });
  readonly #summary = h("div");
  readonly #list = h("ol", { class: "decisions" });
  readonly element = h("section", {}, this.#progress, this.#summary, h("h3", {}, "All decisions"), this.#list);

  constructor(readonly findings: Findings) {
    this.#showProgress();
  }

  add(decision: Reviewed): void {
    this.findings.decisions.push(decision);
    this.#list.append(h("li", {}, drawDecision(this.findings, decision)));
    const isOpen = this.#summary.querySelector("details")?.open ?? false;
    this.#summary.replaceChildren(drawSummary(this.findings, (number) => this.#open(number)));
    const curve = this.#summary.querySelector("details");
    if (curve) curve.open = isOpen;
    this.#showProgress();
  }

  finish(): void {
    const { game, seat, decisions } = this.findings;
    this.#progress.textContent =
      `${decisions.length} of the ${game.decisions[seat]} decisions of seat ${seat} are reviewed.`;
  }

  #showProgress(): void {
    const { game, seat, decisions } = this.findings;
    const total = game.decisions[seat] ?? 0;
    this.#progress.replaceChildren(h("progress", { max: total, value: decisions.length }),
      ` ${decisions.length} of ${total} decisions`);
  }

  /** Opens a decision in the list. */
  #open(index: number): void {
    const details = this.#list.children[index]?.querySelector("details");
    if (!details) return;
    details.open = true;
    details.scrollIntoView({ block: "start" });
    details.querySelector("summary")?.focus({ preventScroll: true });
  }
}

/** The cost of a decision in words. */
function costInWords(decision: Reviewed): string {
  if (decision.table.legal.length === 1) return "the only legal action";
  if (isBest(decision)) return "best choice";
  return decision.cost === null ? "cost not known" : `cost ${measured(decision.cost, decision.ci95)}`;
}

/** True for the judge's own choice. That some searches choose otherwise does not make it a mistake. */
function isBest({ action, best }: Reviewed): boolean {
  return action.id === best.id;
}

/** The cost in words. It stands out if its interval excludes 0. */
function drawCost(decision: Reviewed): HTMLElement {
  const { cost, ci95 } = decision;
  const isClear = !isBest(decision) && cost !== null && ci95 !== null && cost - ci95 > 0;
  return h(isClear ? "strong" : "span", { class: isClear && "clear" }, costInWords(decision));
}

/** The size of a cost relative to what is at stake in a game. */
function shareInWords(cost: number, [least, most]: [number, number]): string {
  const share = (100 * cost) / (most - least);
  return `${share < 1 ? "less than 1" : share.toFixed(0)} % of the range of returns`;
}

function drawSummary(findings: Findings, open: (index: number) => void): HTMLElement {
  const { decisions, rules } = findings;
  const known = decisions.flatMap((decision, index) => {
    const { cost, ci95 } = isBest(decision) ? { cost: 0, ci95: 0 } : decision;
    return cost === null ? [] : [{ label: `${index + 1}`, cost, ci95, words: costInWords(decision) }];
  });
  if (decisions.every(isBest)) {
    return h("p", {}, "The judge would have chosen the same each time: no decision cost anything.");
  }
  const sum = cumulated(known).at(-1) ?? { cost: 0, ci95: 0 };
  const unknown = decisions.length - known.length;
  const worst = decisions.map((decision, index) => ({ decision, index, cost: decision.cost ?? 0 }))
    .filter(({ decision, cost }) => !isBest(decision) && cost > 0)
    .sort((one, other) => other.cost - one.cost)
    .slice(0, WORST);
  return h("div", {},
    h("p", {}, unknown > 0 ? `Sum of the ${known.length} known costs: ` : "Sum of the costs: ",
      h("strong", {}, measured(sum.cost, sum.ci95)),
      ` in the game's returns${sum.ci95 ? " (95 % interval)" : ""}.`,
      unknown > 0 && ` The other ${unknown} are not known, because not every search tried the actions.`),
    drawLosses(known),
    h("p", { class: "muted" }, "The searches differ only in their seeds, and with a time limit in their ",
      "length. An error that all searches share, such as a wrong model of the other players, is not in the intervals. ",
      "About one in twenty such intervals misses the true value."),
    h("h3", {}, "Most expensive decisions"),
    worst.length === 0
      ? h("p", {}, "No decision has a known cost above 0.")
      : h("ol", {}, ...worst.map(({ decision, index, cost }) => h("li", {},
        h("button", { type: "button", class: "linked", click: () => open(index) }, `Decision ${index + 1}`),
        `: ${actionInWords(decision.action.name, rules.faces)} instead of `,
        `${actionInWords(decision.best.name, rules.faces)}, `, drawCost(decision),
        `, ${shareInWords(cost, rules.range)}`))),
    worst.length > 0 && h("p", { class: "muted" }, `Returns lie between ${signed(rules.range[0])} and `,
      `${signed(rules.range[1])}. A cost in bold is clear: its interval does not include 0.`));
}

/** A decision. Its pictures are drawn when it is opened. */
function drawDecision(findings: Findings, decision: Reviewed): HTMLElement {
  const details = h("details", {
      toggle: () => {
        if (details.open && details.childElementCount === 1) details.append(drawPictures(findings, decision));
      },
    },
    h("summary", {},
      h("strong", {}, actionInWords(decision.action.name, findings.rules.faces)), ": ", drawCost(decision)));
  return details;
}

function drawPictures({ rules, seat }: Findings, decision: Reviewed): HTMLElement {
  const { table, action, best, verdict, analysis, beliefs } = decision;
  const seats = Array.from({ length: rules.seats }, (_, index) => index).filter((other) => other !== seat);
  const other = h("select", { "aria-label": "another choice" }, ...table.legal.filter(({ id }) => id !== action.id)
    .map(({ id, name }) => h("option", { value: id, selected: id === best.id }, actionInWords(name, rules.faces))));
  const playOn = (): void => {
    location.hash = playLink({ position: decision.position, agent: "", seat, from: 0 }, [Number(other.value)]);
  };
  const inVerdict = (text: string, { name }: Move): string => text.replaceAll(name, actionInWords(name, rules.faces));
  return h("div", { class: "columns" }, h("div", {},
    drawTable(table, rules.faces, { eyes: seat, you: seat }),
    h("p", {}, `Seat ${seat} ${[action, best].reduce(inVerdict, verdict)}.`),
    table.legal.length > 1 && h("p", { class: "actions" }, "What if: ", other,
      h("button", { type: "button", click: playOn }, "Play on with this choice"))),
  h("div", {},
    drawBars(analysis, rules.range, { played: action.id, faces: rules.faces }),
    beliefs.cards.length > 0 && h("div", {},
      drawBeliefs(beliefs, rules.faces,
        { seats, labels: seats.map((index) => seatInWords(index, seat)), caption: "Cards in the other hands" }),
      h("p", { class: "muted" }, basisInWords(beliefs)))));
}
