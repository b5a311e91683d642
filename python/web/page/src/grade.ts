import { actionInWords } from "./cards";
import type { Judged, Rules } from "./protocol";
import { unitOf } from "./unit";

/**
 * The quality of a decision. Forced: there was no choice. Best: the choice of most searches. Mistake: the 95 % interval of
 * its cost lies above 0. Close: it does not.
 */
export type Grade = "forced" | "best" | "close" | "mistake" | "unknown";

export function gradeOf({ analysis, action, best, cost, ci95 }: Judged): Grade {
  if (analysis.searches === 0) return "forced";
  // That some searches choose otherwise does not make it a mistake.
  if (action.id === best.id) return "best";
  if (cost === null || ci95 === null) return "unknown";
  return cost > ci95 ? "mistake" : "close";
}

/** A cost, and half the width of its 95 % interval. */
export interface Cost {
  cost: number;
  ci95: number;
}

/** The cost of a decision, 0 for the judge's own choice; null if it is not known. */
export function costOf(decision: Judged): Cost | null {
  const grade = gradeOf(decision);
  if (grade === "forced" || grade === "best") return { cost: 0, ci95: 0 };
  const { cost, ci95 } = decision;
  return cost === null || ci95 === null ? null : { cost, ci95 };
}

/** The sum of costs. The searches of different decisions are independent, so the squares of the intervals add up. */
export function sumOf(costs: Cost[]): Cost {
  return {
    cost: costs.reduce((sum, { cost }) => sum + cost, 0),
    ci95: Math.hypot(...costs.map(({ ci95 }) => ci95)),
  };
}

/**
 * A loss, such as "0.40 points (95 % interval 0.10 to 0.70)", on request with a word before the interval. Null unless the
 * interval lies above 0.
 */
export function lossInWords({ cost, ci95 }: Cost, rules: Rules, word = ""): string | null {
  if (cost <= ci95) return null;
  const places = placesOf({ cost, ci95 });
  const [low, high] = [cost - ci95, cost + ci95].map((value) => value.toFixed(places));
  return `${amountOf({ cost, ci95 }, rules)}${word && ` ${word}`} (95 % interval ${low} to ${high})`;
}

/** The same loss without its interval, such as "0.40 points". */
export function amountOf(loss: Cost, rules: Rules): string {
  return `${loss.cost.toFixed(placesOf(loss))} ${unitOf(rules)}`;
}

/** The decimals of a loss: its interval must not seem to begin at 0. */
function placesOf({ cost, ci95 }: Cost): number {
  let places = 2;
  while (places < 6 && Number((cost - ci95).toFixed(places)) === 0) places++;
  return places;
}

/** The number of searches that choose the best choice, such as "4 of 5 searches". */
export function agreement(decision: Judged): string {
  return `${agreed(decision)} of ${decision.analysis.searches} searches`;
}

function agreed({ analysis, best }: Judged): number {
  const chosen = analysis.bars.find(({ id }) => id === best.id)?.chosen ?? 0;
  return Math.round(chosen * analysis.searches);
}

export function areAgreed(decision: Judged): boolean {
  return agreed(decision) === decision.analysis.searches;
}

/** The action played, and whether another was better. */
export function verdictInWords(decision: Judged, rules: Rules): string {
  const [played, best] = [decision.action, decision.best].map(({ name }) => actionInWords(name, rules.faces));
  const cost = costOf(decision);
  const loss = cost && lossInWords(cost, rules);
  switch (gradeOf(decision)) {
    case "forced":
      return `You played ${played}, the only legal action.`;
    case "best":
      return `You played ${played}, ${areAgreed(decision) ? "the best choice" : `as ${agreement(decision)} would`}.`;
    case "close":
      return `You played ${played}. ${cost && cost.cost < -cost.ci95 ? "Nothing better was found." : "No difference shown: it is close."}`;
    case "mistake":
      return `You played ${played}. ${areAgreed(decision) ? "Better:" : "Most searches prefer"} ${best}, by ${loss}.`;
    case "unknown":
      return `You played ${played}. Its cost is not known: not every search tried it.`;
  }
}

/** The accuracy of a player, from 0 to 1. */
export interface Accuracy {
  share: number;
  /** The ends of its 95 % interval; null if there is none, because all searches agree. */
  interval: [number, number] | null;
}

/**
 * The share of all that was at stake that the choices kept. At stake in a decision is the difference between its best
 * and its worst choice. Null if nothing was at stake, or if no cost is known.
 *
 * It is not a share of decisions, so it has no binomial interval. Each end of the interval adds up the squares of what
 * the costs may be above their estimates, or below.
 */
export function accuracyOf(decisions: Judged[]): Accuracy | null {
  let stake = 0;
  const costs: Cost[] = [];
  const above: number[] = [];
  let differ = false;
  for (const decision of decisions) {
    const values = decision.analysis.bars.flatMap(({ value }) => value ?? []);
    const own = costOf(decision);
    if (!own || values.length < 2) continue;
    const atStake = Math.max(...values) - Math.min(...values);
    stake += atStake;
    costs.push(own);
    above.push(gradeOf(decision) === "best" ? doubt(decision, atStake) : own.ci95);
    differ ||= own.ci95 > 0 || !areAgreed(decision);
  }
  if (stake <= 0) return null;
  const { cost, ci95 } = sumOf(costs);
  const most = Math.hypot(...above);
  const kept = (lost: number): number => Math.min(1, Math.max(0, 1 - lost / stake));
  return { share: kept(cost), interval: differ ? [kept(cost + most), kept(cost - ci95)] : null };
}

/** The most that the choice of most searches may cost, because some choose otherwise: all if it is not known. */
function doubt(decision: Judged, atStake: number): number {
  if (areAgreed(decision)) return 0;
  const { cost, ci95 } = decision;
  return cost === null || ci95 === null ? atStake : Math.min(atStake, Math.max(0, cost + ci95));
}

/** The mistakes, the most expensive first, with their places among the decisions. */
export function mistakesOf(decisions: Judged[]): number[] {
  const cost = (index: number): number => decisions[index]?.cost ?? 0;
  return decisions
    .flatMap((decision, index) => (gradeOf(decision) === "mistake" ? index : []))
    .sort((one, other) => cost(other) - cost(one));
}
