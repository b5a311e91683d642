import "./views.css";
import { actionInWords, drawCard } from "./cards";
import { drawInterval, measured } from "./chart";
import { type Part, countOf } from "./count";
import { h } from "./dom";
import type { EngineClient } from "./engine";
import { areOn } from "./keys";
import { playLink, readNumber, writeRoute, type Route } from "./link";
import type { Position, Rules } from "./protocol";
import { wordsOn } from "./rules";
import { inTab } from "./storage";
import { drawTable, signed } from "./table";
import data from "./trainer.json";

/** A position at which the mover may attack. `tools/attack_positions.py` picks and measures them. */
interface Question {
  position: Position;
  seat: number;
  tricks: number;
  /** The action with which an attack is compared. */
  other: string;
  /** The value of an attack minus the value of the other action. */
  worth: number;
  /** Half the width of the 95 % interval of `worth`; 0 if it is exact. */
  ci95: number;
  /** The count of the rule of thumb; null without a trump suit. */
  count: number | null;
  /** The count from which the rule attacks. */
  enough: number;
  /** True if the rule attacks. */
  rule: boolean;
  /** The probability with which the trained network attacks, or in the small deck the equilibrium. */
  share: number;
  /** True in the small deck, whose equilibrium is known. */
  exact: boolean;
}

const QUESTIONS: Question[] = data.games.flatMap(({ game, rules, enough, positions }) =>
  positions.map(({ seed, moves, ...facts }) => ({
    ...facts, enough, position: { game, rules, seed, moves }, exact: rules !== "",
  })));

/** The questions of a round. */
const ROUND = 20;
/** The generator takes 32 bits. */
const LARGEST_SEED = 2 ** 32 - 1;
/** Smaller differences count as close even if they are exact. */
const SMALL = 0.005;
/** The ends of the scale of the answer, in points. */
const SCALE = Math.ceil(Math.max(...QUESTIONS.map(({ worth }) => Math.abs(worth))));

/** Asks when an attack is right: twenty positions, the answer after each, and a score. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const leaving = new AbortController();
  const failed = h("p", { class: "error", role: "alert" });
  const seed = seedOf(route, failed);
  history.replaceState(null, "", link(seed));
  const questions = drawn(seed);
  const choices = recalled(seed);
  const stage = h("div", { class: "stage" });
  let keys: Record<string, () => void> = {};

  const ask = async (): Promise<HTMLElement | null> => {
    const question = questions[choices.length];
    if (!question) {
      keys = {};
      stage.replaceChildren(drawScore(questions, choices, seed, again));
      return stage.querySelector("h3");
    }
    const { game, rules } = question.position;
    const known = await engine.ask(leaving.signal, "rules", game, rules);
    const table = await engine.ask(leaving.signal, "table", question.position, question.seat);
    const story = await engine.ask(leaving.signal, "story", question.position, question.seat);
    const counted = drawCount(question, countOf(table, story, question.seat, known.faces), known);
    const answers = h("div", { class: "answers", "aria-live": "polite" });
    const about = drawAttack();
    const answer = (attack: boolean): void => {
      choices.push(attack);
      keep(seed, choices);
      keys = {};
      const next = h("button", { type: "button", class: "primary", click: () => goOn(true) },
        choices.length < questions.length ? "Next position" : "Your score");
      answers.replaceChildren(drawAnswer(question, attack, known), next);
      about.remove();
      counted.open = true;
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest" });
    };
    keys = { a: () => answer(true), w: () => answer(false) };
    answers.append(h("div", { class: "actions" },
      drawChoice("Attack", () => answer(true)), drawChoice("Wait", () => answer(false))));
    const right = choices.filter((attack, index) => isRight(questions[index] as Question, attack)).length;
    const progress = drawProgress(question, choices.length, right);
    stage.replaceChildren(progress, h("div", { class: "columns" },
      drawTable(table, known.faces, {
        eyes: question.seat, you: question.seat, words: Object.fromEntries(wordsOn(game, table)),
      }), answers, h("div", { class: "help" }, about, counted)));
    return progress;
  };
  const goOn = (focus: boolean): void => {
    ask().then((top) => focus && top?.focus(), (error: unknown) => {
      if (!leaving.signal.aborted) stage.replaceChildren(h("p", { class: "error", role: "alert" }, String(error)));
    });
  };
  const again = (): void => {
    choices.length = 0;
    keep(seed, choices);
    goOn(true);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !areOn()) return;
    keys[event.key.toLowerCase()]?.();
  };

  document.addEventListener("keydown", press, { signal: leaving.signal });
  root.replaceChildren(h("h2", {}, "When is an attack right?"), failed, stage, drawIntroduction(seed));
  goOn(false);
  return () => leaving.abort();
}

function link(seed: number): string {
  return writeRoute("trainer", "", { seed });
}

/** The seed of the route, or a random one. */
function seedOf({ settings }: Route, failed: HTMLElement): number {
  const random = 1 + Math.floor(Math.random() * 9999);
  try {
    return readNumber(settings, "seed", 0, LARGEST_SEED, random);
  } catch (error) {
    failed.textContent = `${(error as Error).message}. Here are other positions.`;
    return random;
  }
}

/** Keeps the answers of a round, such as "awwa", in the storage of the browser tab: a reload goes on with them. */
function keep(seed: number, choices: boolean[]): void {
  inTab.set(`trainer-${seed}`, choices.map((attack) => (attack ? "a" : "w")).join(""));
}

/** The answers of a round that was begun in this browser tab. */
function recalled(seed: number): boolean[] {
  return [...(inTab.get(`trainer-${seed}`) ?? "")].map((letter) => letter === "a");
}

/** The questions of a round: the same for the same seed. */
function drawn(seed: number): Question[] {
  const left = [...QUESTIONS];
  let state = seed >>> 0;
  // The generator mulberry32.
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return Array.from({ length: ROUND }, () => left.splice(below(left.length), 1)).flat();
}

/** True if the measurement does not tell which choice is better. */
function isClose({ worth, ci95 }: Question): boolean {
  return Math.abs(worth) <= Math.max(ci95, SMALL);
}

function isRight(question: Question, attack: boolean): boolean {
  return isClose(question) || attack === question.worth > 0;
}

/** The points lost by a choice; a close call costs nothing. */
function cost(question: Question, attack: boolean): number {
  return isRight(question, attack) ? 0 : Math.abs(question.worth);
}

function drawIntroduction(seed: number): HTMLElement {
  return h("section", { class: "measure" },
    h("p", {}, "The positions are chosen so that waiting is right more often than in ordinary play."),
    h("details", {}, h("summary", {}, "How the worth is measured"),
      h("p", {}, "In the full game, the trained network of this page plays on for both seats. The hidden cards ",
        "are drawn from those that fit what you see, weighted by how likely the network's play makes ",
        `them. The worth is the mean of ${data.searches} searches, with its 95 % interval. An attack is compared with `,
        "the best other card: one half of the searches picks it for the other half. These are not equilibrium values. ",
        "With other players the worth may differ."),
      h("p", {}, "In the small deck both seats play a computed equilibrium. There the worth is exact to 0.001 points."),
      h("p", {}, h("strong", {}, "Rule of thumb. "), data.rule,
        " In the small deck, with hands of two, one is enough.")),
    h("p", { class: "muted" }, `Seed ${seed}: this address always asks the same ${ROUND} positions. `,
      "Your answers stay in this browser tab until you close it. ",
      h("a", { href: link(seed + 1) }, "Other positions")));
}

/** What an attack is. */
function drawAttack(): HTMLElement {
  return h("div", {},
    h("p", {}, "In Schwinget both players draw a new card after every card they play. Once in a bout, the player on ",
      "lead may attack: nobody draws any more, and the cards in hand are played out."),
    h("p", {}, "The worth of an attack is the number of points per bout that you gain, on average, by attacking ",
      "instead of waiting. Winning a bout scores 2 to 7 points, most with all tricks after your own attack."));
}

/** How the rule of thumb counts this hand. */
function drawCount({ enough, rule }: Question, parts: Part[] | null, { faces }: Rules): HTMLDetailsElement {
  const sum = (parts ?? []).reduce((total, { points }) => total + points, 0);
  const drawPart = ({ words, cards, points }: Part): HTMLElement => h("li", {},
    h("span", { class: "stier" },
      h("span", { class: "tiny" }, ...cards.flatMap((card) => faces[card] ?? []).map(drawCard))),
    h("span", {}, `${words}: `, h("strong", {}, signed(points))));
  return h("details", {}, h("summary", {}, "The hand counted by the rule of thumb"),
    parts && h("ul", { class: "count" }, ...parts.map(drawPart)),
    h("p", {}, h("strong", {}, parts ? `This hand counts ${sum}` : "There is no trump suit"),
      `${parts ? `, and the rule attacks with ${enough} or more` : ""}: ${rule ? "attack" : "wait"}.`));
}

/** A button whose key is its first letter. */
function drawChoice(name: string, click: () => void): HTMLElement {
  const key = name.charAt(0);
  return h("button", { type: "button", class: "primary", "aria-keyshortcuts": key, click }, `${name} `,
    h("kbd", { "aria-hidden": "true" }, key));
}

function drawProgress(question: Question, number: number, right: number): HTMLElement {
  const deck = question.exact
    ? "Small deck: two suits of four values and the counter, two cards in each hand, three set aside, a pile of two."
    : "The full game.";
  return h("p", { class: "muted", tabindex: -1 },
    h("progress", { max: ROUND, value: number, "aria-label": "positions answered" }),
    ` Position ${number + 1} of ${ROUND}${number > 0 ? `, ${right} right so far` : ""}. ${deck} `,
    "You are on lead: attack or wait?");
}

function drawAnswer(question: Question, attack: boolean, { faces }: Rules): HTMLElement {
  const { worth, ci95, rule, share, exact, other } = question;
  const right = isRight(question, attack);
  const verdict = isClose(question) ? "A close call: either choice counts as right." : right ? "Right." : "Wrong.";
  const isWrong = !isClose(question) && (share > 0.5) !== (worth > 0);
  const judged = isClose(question) ? "" : isRight(question, rule) ? " That is right." : " That is wrong.";
  return h("div", { class: `answer ${right ? "right" : "wrong"}` },
    h("p", { class: "verdict" }, h("strong", {}, verdict), ` You chose to ${attack ? "attack" : "wait"}. `,
      right ? "" : `It cost ${cost(question, attack).toFixed(2)} points.`),
    drawInterval(worth, ci95, SCALE, ["waiting is better", "attacking is better"]),
    h("ul", {},
      h("li", {}, "Worth of the attack: ", h("strong", {}, measured(worth, exact ? null : ci95)), " points per bout",
        `${exact ? ", exact" : ""}, compared with playing the ${actionInWords(other, faces)}, the best other card.`),
      h("li", {}, `The rule of thumb: ${rule ? "attack" : "wait"}.${judged}`),
      h("li", {}, `The ${exact ? "equilibrium" : "trained network"} attacks with probability ${percent(share)}.`,
        !exact && isWrong && " It plays without search, and here it is wrong.")));
}

/** A probability in percent. The shares are rounded, so none is called impossible or certain. */
function percent(share: number): string {
  if (share < 0.01) return "below 1 %";
  if (share > 0.99) return "above 99 %";
  return `${Math.round(100 * share)} %`;
}

function drawScore(questions: Question[], choices: boolean[], seed: number, again: () => void): HTMLElement {
  const players: [string, (question: Question, index: number) => boolean][] = [
    ["You", (_, index) => choices[index] ?? false],
    ["Always attacking", () => true],
    ["The rule of thumb", ({ rule }) => rule],
    ["Always waiting", () => false],
  ];
  const close = questions.filter(isClose).length;
  const small = questions.filter(({ exact }) => exact);
  return h("section", { class: "score" },
    h("h3", { tabindex: -1 }, "Your score"),
    h("div", { class: "scroll", tabindex: 0 }, h("table", {},
      h("thead", {}, h("tr", {},
        ...["Player", `Right of ${ROUND}`, "Points lost"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...players.map(([name, chooses]) => h("tr", {},
        h("th", { scope: "row" }, name),
        h("td", {}, questions.filter((question, index) => isRight(question, chooses(question, index))).length),
        h("td", {}, questions.reduce((sum, question, index) => sum + cost(question, chooses(question, index)), 0)
          .toFixed(2))))))),
    h("p", { class: "muted" }, `${close} of the ${ROUND} were close calls. They count as right and cost nothing.`,
      small.length > 0 && small.every(({ rule }) => rule) &&
        ` In the ${small.length} positions of the small deck the rule of thumb always attacks.`),
    h("details", {}, h("summary", {}, "All positions of this round"),
      h("ol", {}, ...questions.map(({ position, seat, tricks, worth, ci95, exact }, index) => h("li", {},
        h("a", { href: playLink({ position, agent: "", seat, from: position.moves.length }, []) }, "Play on"),
        ` after ${tricks} tricks${exact ? ", small deck" : ""}: an attack is worth `,
        `${measured(worth, exact ? null : ci95)}, you ${choices[index] ? "attacked" : "waited"}.`)))),
    h("p", { class: "actions" }, h("a", { class: "button", href: link(seed + 1) }, `${ROUND} other positions`),
      h("button", { type: "button", click: again }, "The same positions again")));
}
