import { actionInWords, drawAction } from "./cards";
import { drawLosses } from "./chart";
import { h } from "./dom";
import {
  type Accuracy,
  accuracyOf,
  amountOf,
  type Cost,
  costOf,
  type Grade,
  gradeOf,
  lossInWords,
  mistakesOf,
  sumOf,
} from "./grade";
import type { Reviewed, Rules } from "./protocol";
import { unitOf } from "./unit";
import { counted, percent, signed } from "./words";

/** The share of what was at stake that the choices kept. */
export function drawAccuracy(decisions: Reviewed[]): HTMLElement {
  const accuracy = accuracyOf(decisions);
  if (!accuracy) return h("p", { class: "accuracy" }, "No accuracy: none of these choices made a difference.");
  return h(
    "p",
    { class: "accuracy" },
    h("strong", {}, "Accuracy ", h("span", { class: "large" }, percent(accuracy.share))),
    ` (${intervalInWords(accuracy)}): 100 % is the best choice every time, 0 % the worst.`,
  );
}

function intervalInWords({ interval }: Accuracy): string {
  if (!interval) return "no interval, because all searches agree";
  const [low, high] = interval.map(percent);
  return low === high ? "95 % interval less than 1 % wide" : `95 % interval ${low} to ${high}`;
}

/** The findings in a line, such as "Accuracy 47 % · 3 mistakes". */
export function summaryInWords(decisions: Reviewed[]): string {
  const accuracy = accuracyOf(decisions);
  const mistakes = mistakesOf(decisions).length;
  const found = mistakes === 0 ? "no mistake" : counted(mistakes, "mistake");
  return `${accuracy ? `Accuracy ${percent(accuracy.share)}` : "No accuracy"} · ${found}`;
}

/** The meaning of the marks above the timeline, as far as there are such marks. */
const MARKS: [string, Grade[]][] = [
  ["best choice", ["best"]],
  ["mistake", ["mistake"]],
  ["close or not known", ["close", "unknown"]],
];

export function drawLegend(grades: Grade[]): HTMLElement[] {
  const entries = MARKS.filter(([, own]) => own.some((grade) => grades.includes(grade)));
  const drawn = entries.map(([words, [grade]]) => h("li", { class: `legend-${grade}` }, words));
  return drawn.length === 0 ? [] : [h("ul", { class: "legend" }, ...drawn)];
}

/** The number of mistakes shown at first: they leave room for the table on the first screen. */
const FIRST = 4;

/** The mistakes, the most expensive first, each a button. Those after the first are folded away. */
export function drawMistakes(
  decisions: Reviewed[],
  rules: Rules,
  isDone: boolean,
  choose: (decision: Reviewed) => void,
): HTMLElement {
  const mistakes = mistakesOf(decisions).flatMap((index) => decisions[index] ?? []);
  if (mistakes.length === 0) {
    const areBest = decisions.every((decision) => ["best", "forced"].includes(gradeOf(decision)));
    const none = areBest
      ? "No mistake: the judge would have chosen the same each time."
      : "No mistake found: where the judge would have chosen otherwise, no difference was shown.";
    return h("div", { class: "mistakes" }, h("p", {}, isDone ? none : "No mistake so far."));
  }
  const [first, more] = [mistakes.slice(0, FIRST), mistakes.slice(FIRST)];
  const drawList = (some: Reviewed[], attributes = {}): HTMLElement =>
    h(
      "ol",
      attributes,
      ...some.map((decision) =>
        h(
          "li",
          {},
          drawMistake(decision, rules, () => choose(decision)),
        ),
      ),
    );
  return h(
    "div",
    { class: "mistakes" },
    h("h3", {}, counted(mistakes.length, "mistake")),
    drawList(first),
    more.length > 0 && h("details", {}, h("summary", {}, `${more.length} more`), drawList(more, { start: FIRST + 1 })),
  );
}

function drawMistake(decision: Reviewed, rules: Rules, choose: () => void): HTMLElement {
  return h(
    "button",
    { type: "button", class: "mistake stier", click: choose },
    h("span", {}, "You ", drawAction(decision.action.name, rules.faces)),
    h("span", {}, "Better ", drawAction(decision.best.name, rules.faces)),
    h("span", { class: "clear" }, `${amountOf(lossOf(decision), rules)} lost`),
  );
}

/** All costs in the order of the game, with the sum. */
export function drawCosts(decisions: Reviewed[], rules: Rules): HTMLElement[] {
  const known = decisions.flatMap((decision, index) => {
    const cost = costOf(decision);
    return cost ? [{ label: `${index + 1}`, ...cost }] : [];
  });
  const unknown = decisions.length - known.length;
  const loss = lossInWords(sumOf(known), rules);
  const [least, most] = rules.range.map((value) => signed(value, 2));
  return [
    h(
      "p",
      {},
      loss === null ? "Over all decisions together no loss is shown." : `Over all decisions together you lost ${loss}.`,
      unknown > 0 && ` ${counted(unknown, "cost")} cannot be told: not every search tried your choice.`,
      ` Results of this game lie between ${least} and ${most} ${unitOf(rules)}.`,
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
              h("td", {}, drawCost(decision, rules)),
            ),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "muted" },
      "The cost of a choice is the value of the judge's choice minus that of yours. Each search makes a choice, and the ",
      "other searches value it. A mistake is a choice whose cost has a 95 % interval above 0. The accuracy compares your ",
      "costs with what was at stake: the difference between the best and the worst choice of each decision. The choice of ",
      "most searches costs nothing, but the interval of the accuracy allows for the searches that choose otherwise.",
    ),
    h(
      "p",
      { class: "muted" },
      "The searches differ only in their random numbers, and with a time limit in their length. An error that all of ",
      "them share, such as a wrong model of the other players, is not in the intervals. About one in twenty intervals ",
      "misses the true value.",
    ),
  ];
}

const NONE = {
  forced: "the only legal action",
  best: "best choice",
  close: "no difference shown",
  unknown: "not known",
};

function drawCost(decision: Reviewed, rules: Rules): HTMLElement {
  const grade = gradeOf(decision);
  if (grade !== "mistake") return h("span", {}, NONE[grade]);
  return h("strong", {}, lossInWords(lossOf(decision), rules));
}

/** The cost of a mistake, which is known. */
function lossOf(decision: Reviewed): Cost {
  return costOf(decision) ?? { cost: 0, ci95: 0 };
}
