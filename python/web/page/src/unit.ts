import type { Rules } from "./protocol";

/** The units of results, by game, where they are not points. */
export const UNITS: Record<string, string> = {
  up_and_down: "tricks",
  schweins_galopp: "food",
  schwimmen: "stakes",
  kuhn_poker: "chips",
  leduc_poker: "chips",
};

/** The unit of the results of a game. If only the win counts, or the score alone, they are points. */
export function unitOf({ game, rules }: Rules): string {
  return rules.includes("utility=") ? "points" : (UNITS[game] ?? "points");
}
