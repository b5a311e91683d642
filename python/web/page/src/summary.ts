import { actionInWords, drawAction } from "./cards";
import { cumulated, drawLosses, measured } from "./chart";
import { h } from "./dom";
import { accuracyOf, costInWords, costOf, gradeOf, mistakesOf } from "./grade";
import type { Face, Reviewed, Rules } from "./protocol";

/** The share of what was at stake that the choices kept. */
export function drawAccuracy(decisions: Reviewed[]): HTMLElement {
  const accuracy = accuracyOf(decisions);
  const between =
    accuracy && accuracy.low !== null && accuracy.high !== null && inPercent(100 * accuracy.low, 100 * accuracy.high);
  return h(
    "div",
    { class: "accuracy" },
    accuracy
      ? h(
          "p",
          {},
          "You kept ",
          h("strong", { class: "large" }, `${Math.round(100 * accuracy.share)} %`),
          " of what was at stake",
          between && h("span", { class: "muted" }, ` (${between})`),
          ".",
        )
      : h("p", {}, "Nothing was at stake."),
  );
}

function inPercent(low: number, high: number): string {
  const [from, to] = [Math.round(low), Math.round(high)];
  return from === to ? `${from} %` : `${from} to ${to} %`;
}

/** The mistakes, the most expensive first, each a button. */
export function drawMistakes(
  decisions: Reviewed[],
  faces: Record<string, Face>,
  isDone: boolean,
  choose: (decision: Reviewed) => void,
): HTMLElement {
  const mistakes = mistakesOf(decisions).flatMap((index) => decisions[index] ?? []);
  if (mistakes.length === 0) {
    const areBest = decisions.every((decision) => ["best", "forced"].includes(gradeOf(decision)));
    const none = areBest
      ? "The judge would have chosen the same each time: no decision cost anything."
      : "No choice is certainly a mistake.";
    return h("div", { class: "mistakes" }, h("p", {}, isDone ? none : "No mistake so far."));
  }
  return h(
    "div",
    { class: "mistakes" },
    h("h3", {}, mistakes.length === 1 ? "One mistake" : `${mistakes.length} mistakes`),
    h(
      "ol",
      {},
      ...mistakes.map((decision) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "mistake stier", click: () => choose(decision) },
            h("span", {}, "You ", drawAction(decision.action.name, faces)),
            h("span", {}, "Better ", drawAction(decision.best.name, faces)),
            h("span", { class: "clear" }, measured(-(decision.cost ?? 0), decision.ci95)),
          ),
        ),
      ),
    ),
  );
}

/** All costs in the order of the game, with the sum. */
export function drawCosts(decisions: Reviewed[], rules: Rules): HTMLElement[] {
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
