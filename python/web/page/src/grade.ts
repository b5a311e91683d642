import { actionInWords } from "./cards";
import { measured } from "./chart";
import type { Face, Judged } from "./protocol";

/**
 * The quality of a decision. Forced: there was no choice. Best: the choice of most searches. Close: the searches do not
 * tell that it is worse. Mistake: it costs something, as far as the searches can tell.
 */
type Grade = "forced" | "best" | "close" | "mistake" | "unknown";

export function gradeOf({ analysis, action, best, cost, ci95 }: Judged): Grade {
  if (analysis.searches === 0) return "forced";
  // That some searches choose otherwise does not make it a mistake.
  if (action.id === best.id) return "best";
  if (cost === null) return "unknown";
  return cost > (ci95 ?? 0) ? "mistake" : "close";
}

/** The cost of a decision, 0 for the judge's own choice; null if it is not known. */
export function costOf(decision: Judged): { cost: number; ci95: number | null } | null {
  const grade = gradeOf(decision);
  if (grade === "forced" || grade === "best") return { cost: 0, ci95: 0 };
  return decision.cost === null ? null : { cost: decision.cost, ci95: decision.ci95 };
}

/** The cost of a decision in words. */
export function costInWords(decision: Judged): string {
  const grade = gradeOf(decision);
  if (grade === "forced") return "the only legal action";
  if (grade === "best") return "best choice";
  return grade === "unknown" ? "cost not known" : `cost ${measured(decision.cost ?? 0, decision.ci95)}`;
}

/** The number of searches that choose the best choice, such as "4 of 5 searches". */
export function agreement({ analysis, best }: Judged): string {
  const chosen = analysis.bars.find(({ id }) => id === best.id)?.chosen ?? 0;
  return `${Math.round(chosen * analysis.searches)} of ${analysis.searches} searches`;
}

/** A sentence about the action played, the judge's choice and the difference. */
export function verdictInWords(decision: Judged, faces: Record<string, Face>): string {
  const [action, best] = [decision.action, decision.best].map(({ name }) => actionInWords(name, faces));
  const { cost, ci95 } = decision;
  const count = agreement(decision);
  switch (gradeOf(decision)) {
    case "forced":
      return `You played ${action}, the only legal action.`;
    case "best":
      return `You played ${action}, the best choice (${count}).`;
    case "close":
      return `You played ${action}. ${count} choose ${best}, but the difference, ${measured(
        cost ?? 0,
        ci95,
      )} points, may be chance.`;
    case "mistake":
      return `You played ${action}. Better is ${best} (${count}): it is worth ${measured(
        cost ?? 0,
        ci95,
      )} points more.`;
    case "unknown":
      return `You played ${action}. ${count} choose ${best}; not every search tried your choice.`;
  }
}

/** The accuracy of a player, from 0 to 1, with the ends of its 95 % interval. */
interface Accuracy {
  share: number;
  /** Null if an interval of a cost is not known. */
  low: number | null;
  high: number | null;
}

/**
 * The share of all that was at stake that the choices kept. At stake in a decision is the difference between its best
 * and its worst choice. Null if nothing was at stake, or if no cost is known.
 */
export function accuracyOf(decisions: Judged[]): Accuracy | null {
  let [cost, square, stake]: [number, number | null, number] = [0, 0, 0];
  for (const decision of decisions) {
    const values = decision.analysis.bars.flatMap(({ value }) => value ?? []);
    const own = costOf(decision);
    if (!own || values.length < 2) continue;
    stake += Math.max(...values) - Math.min(...values);
    cost += own.cost;
    square = square === null || own.ci95 === null ? null : square + own.ci95 ** 2;
  }
  if (stake <= 0) return null;
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  const kept = 1 - cost / stake;
  const half = square === null ? null : Math.sqrt(square) / stake;
  return {
    share: inside(kept),
    low: half === null ? null : inside(kept - half),
    high: half === null ? null : inside(kept + half),
  };
}

/** The mistakes, the most expensive first, with their places among the decisions. */
export function mistakesOf(decisions: Judged[]): number[] {
  const cost = (index: number): number => decisions[index]?.cost ?? 0;
  return decisions
    .flatMap((decision, index) => (gradeOf(decision) === "mistake" ? index : []))
    .sort((one, other) => cost(other) - cost(one));
}
