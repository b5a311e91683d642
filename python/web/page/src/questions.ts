import type { Position } from "./protocol";
import data from "./trainer.json" with { type: "json" };

/** A position at which the mover may attack. `tools/attack_positions.py` picks and measures them. */
export interface Question {
  /** A short name that stays the same. */
  id: string;
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

export const QUESTIONS: readonly Question[] = data.games.flatMap(({ game, rules, enough, positions }) =>
  positions.map(({ seed, moves, ...facts }) => ({
    ...facts,
    enough,
    position: { game, rules, seed, moves },
    exact: rules !== "",
    id: [rules === "" ? "full" : "small", seed, ...moves].join("."),
  })),
);

export const { rule: RULE, searches: SEARCHES } = data;

/** Smaller differences count as close even if they are exact. */
const SMALL = 0.005;

/** Draws `count` questions: the same for the same seed. The first is not a close call, if there is another. */
export function drawn(seed: number, count: number): Question[] {
  const left = [...QUESTIONS];
  let state = seed >>> 0;
  // The generator mulberry32.
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const found = Array.from({ length: count }, () => left.splice(below(left.length), 1)).flat();
  const first = found.find((question) => !isClose(question));
  return first ? [first, ...found.filter((question) => question !== first)] : found;
}

/** True if the measurement does not tell which choice is better. */
export function isClose({ worth, ci95 }: Question): boolean {
  return Math.abs(worth) <= Math.max(ci95, SMALL);
}

export function isRight(question: Question, attack: boolean): boolean {
  return isClose(question) || attack === question.worth > 0;
}

/** The points lost by a choice; a close call costs nothing. */
export function costOf(question: Question, attack: boolean): number {
  return isRight(question, attack) ? 0 : Math.abs(question.worth);
}
