import { JUDGE, JUDGINGS } from "./agents";
import { actionInWords } from "./cards";
import { errorInWords } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { agreement, costOf, lossInWords, verdictInWords } from "./grade";
import type { Match } from "./match";
import type { Judged, Move, Position, Rules } from "./protocol";
import { isStop, type Running } from "./running";

/** Words for the person, and the move that they recommend. */
interface Advice {
  text: string;
  best?: number;
}

/** A search that the person can ask for a hint, or for the cost of the last choice. It judges as a review does. */
export class Adviser {
  readonly #engine: EngineClient;
  readonly #running: Running;
  readonly #answer: (text: string) => void;

  constructor(engine: EngineClient, running: Running, answer: (text: string) => void) {
    this.#engine = engine;
    this.#running = running;
    this.#answer = answer;
  }

  /** Recommends one of the person's choices; null if that is no longer wanted. */
  async hint({ playing, rules, table: { legal } }: Match, signal: AbortSignal): Promise<Advice | null> {
    const [first] = legal;
    if (!first) return null;
    if (legal.length === 1)
      return { text: `There is only one choice: ${actionInWords(first.name, rules.faces)}.`, best: first.id };
    const judge = (action: number): Promise<Judged | null> => this.#judge(playing.position, action, signal);
    this.#answer("The search thinks about a hint.");
    // A judgement compares one choice with the best one. The first one finds which two have to be compared.
    const found = await judge(first.id);
    if (!found) return null;
    const next = nextBest(found);
    const judged = next === null || next === first.id ? found : await judge(next);
    return judged && { text: hintInWords(judged, rules, found.best), best: found.best.id };
  }

  /** Tells what the person's last choice lost; null if that is no longer wanted. */
  async cost({ playing, rules }: Match, before: Position, signal: AbortSignal): Promise<Advice | null> {
    const played = playing.position.moves[before.moves.length];
    if (played === undefined) return null;
    this.#answer("The search thinks about your last choice.");
    const judged = await this.#judge(before, played, signal);
    return judged && { text: verdictInWords(judged, rules) };
  }

  async #judge(position: Position, action: number, signal: AbortSignal): Promise<Judged | null> {
    try {
      return await this.#running.run(signal, (stop) =>
        this.#engine.ask(stop, "judge", position, action, JUDGE.spec, JUDGINGS),
      );
    } catch (error) {
      // Another position or question may have taken its place.
      if (isStop(error)) this.#answer("The search was stopped.");
      else if (!isAbort(error)) this.#answer(`${errorInWords(error)}.`);
      return null;
    }
  }
}

/** The choice with the highest value after the best one. */
function nextBest({ analysis, best }: Judged): number | null {
  const [next] = analysis.bars
    .filter(({ id }) => id !== best.id)
    .sort((one, other) => (other.value ?? -Infinity) - (one.value ?? -Infinity));
  return next?.id ?? null;
}

/** The best choice compared with the next best, which is the action of the judgement: in a tie that counts as best, too. */
export function hintInWords(decision: Judged, rules: Rules, chosen: Move): string {
  const [best, next] = [chosen, decision.action].map(({ name }) => actionInWords(name, rules.faces));
  const [count, cost] = [agreement(decision), costOf(decision)];
  if (!cost) return `Hint: ${best} (${count}). Not every search tried the other choices.`;
  const loss = lossInWords(cost, rules);
  if (loss === null) return `Hint: ${best} or ${next}. The searches found no clear difference; ${count} chose ${best}.`;
  return `Hint: ${best} is better than ${next}, by ${loss}; ${count} chose it.`;
}
