import { actionInWords, drawCard } from "./cards";
import { drawInterval } from "./chart";
import { type Part, pointsByCard } from "./count";
import { h, isWide } from "./dom";
import { playLink } from "./link";
import type { Rules } from "./protocol";
import { costOf, isClose, isRight, QUESTIONS, type Question, RULE, SEARCHES } from "./questions";
import type { Repetition } from "./repetition";
import { type Answered, ROUND, type Round } from "./round";
import { STUDY } from "./study";
import { counted, measured, percent, signed } from "./words";

/** The most that rounding has changed the share of attacks in a question. */
const ROUNDING = 0.00005;

export function drawIntroduction(seed: number, isShared: boolean): HTMLElement {
  return h(
    "section",
    { class: "measure" },
    h("h3", {}, "What is known"),
    h(
      "p",
      {},
      "Attack at the first chance, with nearly every hand. If you lead first, that gains ",
      h("strong", {}, STUDY.gain),
      " points per bout over waiting. In this study the trained network played the cards of both players.",
    ),
    h(
      "p",
      {},
      `Waiting is better with ${STUDY.waits} of the hands, by ${STUDY.loss} points. Most of them have exactly one trump `,
      "and no two other cards of the same suit.",
    ),
    h(
      "p",
      {},
      "This trainer asks about the exceptions: waiting is right far more often here than in ordinary play. Most ",
      "positions come later in a bout.",
    ),
    h(
      "details",
      {},
      h("summary", {}, "The rule of thumb"),
      h("p", {}, RULE, " In the small deck, with hands of two, one is enough."),
      h(
        "p",
        {},
        "The count shows how strong a hand is, but not when to attack: against opponents that attack, the rule wins ",
        `${STUDY.wrong} points per bout less than always attacking.`,
      ),
    ),
    h(
      "details",
      {},
      h("summary", {}, "How the worth is measured"),
      h(
        "p",
        {},
        "In the full game, the trained network of this page plays on for both players. The hidden cards are drawn at ",
        "random among those that fit what you see. Cards that explain the network's play better are drawn more often. ",
        `The worth is the average of ${SEARCHES} searches, with its 95 % interval. It compares the attack with the best `,
        "other card. One half of the searches picks this card, and the other half measures it. With other players the ",
        "worth may differ.",
      ),
      h(
        "p",
        {},
        "In the small deck both players follow a computed equilibrium, and the worth is exact to 0.001 points.",
      ),
    ),
    h(
      "p",
      { class: "muted" },
      isShared
        ? `Everybody with this address gets the same ${ROUND} positions (seed ${seed}). `
        : "This round is yours alone: it begins with positions that you answered wrong earlier. ",
      "A position that you answer wrong comes again in the same round, and after some days in a round of your own. ",
      "This is kept in your browser, and nobody else sees it. ",
      h("a", { href: "#trainer" }, "Start a round of your own"),
    ),
  );
}

export function drawAttack(): HTMLElement {
  return h(
    "div",
    {},
    h(
      "p",
      {},
      "In Schwinget both players draw a new card after every card they play. Once in a bout, the ",
      "player on lead may ",
      h("strong", {}, "attack"),
      ". Then nobody draws any more, and the cards in hand are played out.",
    ),
    h(
      "p",
      {},
      "The worth of an attack is what it gains over waiting: points per bout, on average. A won bout scores 2 to 7 ",
      "points, the most if you win all tricks after your own attack.",
    ),
  );
}

/** The count of this hand by the rule of thumb. */
export function drawCount({ enough, rule }: Question, parts: Part[] | null, { faces }: Rules): HTMLDetailsElement {
  const sum = (parts ?? []).reduce((total, { points }) => total + points, 0);
  const drawPart = ({ words, cards, points }: Part): HTMLElement =>
    h(
      "li",
      {},
      h(
        "span",
        { class: "stier" },
        h("span", { class: "tiny" }, ...cards.flatMap((card) => faces[card] ?? []).map(drawCard)),
      ),
      h("span", {}, `${words}: `, h("strong", {}, signed(points))),
    );
  return h(
    "details",
    {},
    h("summary", {}, "The hand counted by the rule of thumb"),
    parts && h("ul", { class: "count" }, ...parts.map(drawPart)),
    h(
      "p",
      {},
      h("strong", {}, parts ? `This hand counts ${sum}.` : "There is no trump suit, so nothing is counted."),
      ` The rule of thumb ${parts ? `attacks with ${enough} or more, so it ` : ""}says ${choiceOf(rule)}.`,
    ),
  );
}

/** Puts the points that the rule of thumb counts on the cards of the hand. */
export function markCards(table: HTMLElement, parts: Part[] | null): void {
  for (const [card, points] of pointsByCard(parts ?? [])) {
    const place = table.querySelector(`.held [data-card="${card}"]`);
    place?.append(h("span", { class: "points" }, signed(points)));
  }
}

function choiceOf(attack: boolean): string {
  return attack ? "attack" : "wait";
}

/** Says which choice is better, and whether the rule of thumb agrees. */
export function verdictOf(question: Question, attack: boolean): { verdict: string; reason: string } {
  const says = `The rule of thumb says ${choiceOf(question.rule)}`;
  if (isClose(question)) return { verdict: "Too close to call:", reason: `either choice counts as right. ${says}.` };
  const right = isRight(question, attack);
  const better = `${question.worth > 0 ? "attacking" : "waiting"} is better here.`;
  const also = question.rule === attack ? ", too" : "";
  const isRuleRight = question.rule === question.worth > 0;
  const rule = !isRuleRight ? `${also}, but is wrong with this hand` : right ? also : ", and is right";
  return { verdict: right ? "Right:" : "Wrong:", reason: `${better} ${says}${rule}.` };
}

/** The lesson of a position, in words. */
function lessonOf({ rule, share, worth, exact }: Question): string {
  const player = exact ? "the equilibrium" : "the trained network";
  const [ruleIsRight, playerIsRight] = [rule === worth > 0, share > 0.5 === worth > 0];
  if (ruleIsRight && playerIsRight) return `An ordinary position: the rule of thumb and ${player} are both right.`;
  if (playerIsRight) return `The rule of thumb is wrong here, and ${player} is right.`;
  if (ruleIsRight) return `The rule of thumb is right here, and even ${player} is wrong: it plays without search.`;
  return `A hard position: the rule of thumb and ${player} are both wrong. The hand alone does not tell.`;
}

/** The ends of the scale of the answer, in points: the largest worth in the same deck. */
function scaleOf({ exact }: Question): number {
  return Math.ceil(Math.max(...QUESTIONS.filter((one) => one.exact === exact).map(({ worth }) => Math.abs(worth))));
}

export function drawAnswer(
  question: Question,
  attack: boolean,
  { faces }: Rules,
  memory: Repetition,
  next: HTMLElement,
): HTMLElement {
  const { worth, ci95, share, exact, other } = question;
  const right = isRight(question, attack);
  const { verdict, reason } = verdictOf(question, attack);
  const streak = memory.streak().now;
  return h(
    "div",
    { class: `answer ${right ? "right" : "wrong"}` },
    h(
      "p",
      { class: "verdict" },
      h("strong", {}, verdict),
      ` ${reason}`,
      right ? streak > 2 && !isClose(question) && ` ${streak} in a row.` : " This position comes again.",
    ),
    drawInterval(worth, ci95, scaleOf(question), "points", ["waiting is better", "attacking is better"]),
    h("div", { class: "actions" }, next),
    h(
      "details",
      { open: isWide() },
      h("summary", {}, "Why"),
      !isClose(question) && h("p", {}, lessonOf(question)),
      h(
        "ul",
        {},
        h(
          "li",
          {},
          "Worth of the attack: ",
          h("strong", {}, measured(worth, exact ? null : ci95)),
          " points per bout",
          `${exact ? " (exact)" : ""}. The best other choice is ${actionInWords(other, faces)}.`,
        ),
        h(
          "li",
          {},
          `The ${exact ? "equilibrium" : "trained network"} attacks in `,
          // The shares are rounded, so none is certain.
          `${percent(Math.min(Math.max(share, ROUNDING), 1 - ROUNDING))} of such positions.`,
        ),
      ),
    ),
  );
}

export function drawScore(round: Round, memory: Repetition, again: () => void): HTMLElement {
  // The first answer to each position.
  const answers: Answered[] = round.answers.filter(({ isAgain }) => !isAgain);
  const players: [string, (answered: Answered) => boolean][] = [
    ["You", ({ attack }) => attack],
    ["Always attacking", () => true],
    ["The rule of thumb", ({ question }) => question.rule],
    ["Always waiting", () => false],
  ];
  const close = answers.filter(({ question }) => isClose(question)).length;
  const small = answers.filter(({ question }) => question.exact);
  const { now, best } = memory.streak();
  return h(
    "section",
    { class: "score" },
    h("h3", { tabindex: -1 }, "Your score"),
    h(
      "p",
      {},
      `Your streak: ${counted(now, "right answer")} in a row. Your best: ${best}. `,
      memory.waiting > 0 ? `${counted(memory.waiting, "position")} will come again.` : "No position will come again.",
    ),
    h(
      "div",
      { class: "scroll", tabindex: 0 },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["Player", `Right answers (of ${answers.length})`, "Points lost"].map((name) =>
              h("th", { scope: "col" }, name),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          ...players.map(([name, chooses]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              h("td", {}, answers.filter((one) => isRight(one.question, chooses(one))).length),
              h("td", {}, answers.reduce((sum, one) => sum + costOf(one.question, chooses(one)), 0).toFixed(2)),
            ),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "muted" },
      `Close calls count as right and cost nothing: ${close} of the ${answers.length} positions.`,
      small.length > 0 &&
        small.every(({ question }) => question.rule) &&
        ` In the small deck (${counted(small.length, "position")}) the rule of thumb always attacks.`,
    ),
    h(
      "details",
      {},
      h("summary", {}, "All positions of this round"),
      h(
        "ol",
        {},
        ...answers.map(({ question: { position, seat, tricks, worth, ci95, exact }, attack }) =>
          h(
            "li",
            {},
            h("a", { href: playLink({ position, agent: "", seat, from: position.moves.length }, []) }, "Play on"),
            ` after ${counted(tricks, "trick")}${exact ? " (small deck)" : ""}: an attack is worth `,
            `${measured(worth, exact ? null : ci95)}. You ${attack ? "attacked" : "waited"}.`,
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button", href: "#trainer" }, `${ROUND} other positions`),
      h("button", { type: "button", click: again }, "The same positions again"),
    ),
  );
}
