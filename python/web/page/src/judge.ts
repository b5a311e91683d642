import { JUDGE, JUDGINGS, searches } from "./agents";
import { actionInWords, capital } from "./cards";
import { interval } from "./chart";
import type { EngineClient } from "./engine";
import type { Analysis, Bar, Face, Position, Rules } from "./protocol";

/** The values of the choices at a position, by several searches from what the player to act knows. */
export function judge(
  engine: EngineClient,
  position: Position,
  rules: Rules,
  signal: AbortSignal,
): Promise<Analysis | null> {
  // The judge of a review, so that both say the same. Its beliefs need the network of the game.
  const spec = rules.agents.includes("network") ? JUDGE.spec : (searches(rules)[0]?.spec ?? "");
  return engine.analyst.run(signal, position, spec, JUDGINGS);
}

/** The choice of most of the searches. */
export function bestOf({ bars }: Analysis): Bar | undefined {
  return bars.reduce<Bar | undefined>(
    (best, bar) =>
      !best || bar.chosen > best.chosen || (bar.chosen === best.chosen && (bar.value ?? 0) > (best.value ?? 0))
        ? bar
        : best,
    undefined,
  );
}

/** The cost of a choice and the better one, in words. */
export function costInWords(analysis: Analysis, played: number, faces: Record<string, Face>): string {
  const best = bestOf(analysis);
  const own = analysis.bars.find(({ id }) => id === played);
  if (!best || !own) return "There is nothing to compare.";
  const words = capital(actionInWords(own.name, faces));
  const better = actionInWords(best.name, faces);
  if (analysis.bars.length === 1) return `${words}: the only choice.`;
  if (own.id === best.id) return `${words}: the best choice.`;
  if (own.value === null || best.value === null)
    return `${words}: the search would play ${better}, and did not try yours.`;
  const cost = best.value - own.value;
  const ci95 = Math.hypot(own.ci95 ?? 0, best.ci95 ?? 0);
  if (cost <= ci95) return `${words}: as good as ${better}, as far as a search can tell.`;
  return `${words} cost ${cost.toFixed(2)}${interval(ci95)} points: ${better} was better.`;
}
