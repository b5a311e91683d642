import { JUDGE, JUDGINGS } from "./agents";
import { actionInWords } from "./cards";
import { errorInWords } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { agreement, areAgreed, costOf, lossInWords, verdictInWords } from "./grade";
import type { Match } from "./match";
import type { Judged, Position, Rules } from "./protocol";
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
    this.#answer("The search thinks about a hint.");
    const judged = await this.#run(signal, (stop) =>
      this.#engine.ask(stop, "hint", playing.position, JUDGE.spec, JUDGINGS),
    );
    return judged && { text: hintInWords(judged, rules), best: judged.best.id };
  }

  /** Tells what the person's last choice lost; null if that is no longer wanted. */
  async cost({ playing, rules }: Match, before: Position, signal: AbortSignal): Promise<Advice | null> {
    const played = playing.position.moves[before.moves.length];
    if (played === undefined) return null;
    this.#answer("The search thinks about your last choice.");
    const judged = await this.#run(signal, (stop) =>
      this.#engine.ask(stop, "judge", before, played, JUDGE.spec, JUDGINGS),
    );
    return judged && { text: verdictInWords(judged, rules) };
  }

  /** Runs a search; null if it was stopped or has failed. */
  async #run(signal: AbortSignal, search: (stop: AbortSignal) => Promise<Judged>): Promise<Judged | null> {
    try {
      return await this.#running.run(signal, search);
    } catch (error) {
      // Another position or question may have taken its place.
      if (isStop(error)) this.#answer("The search was stopped.");
      else if (!isAbort(error)) this.#answer(errorInWords(error));
      return null;
    }
  }
}

/** The best choice compared with the second best, which is the action that was judged. */
export function hintInWords(decision: Judged, rules: Rules): string {
  const [best, next] = [decision.best, decision.action].map(({ name }) => actionInWords(name, rules.faces));
  const cost = costOf(decision);
  if (!cost) return `Hint: ${best} (${agreement(decision)}). Not every search tried the other choices.`;
  const more = lossInWords(cost, rules, "more");
  return more === null
    ? `Hint: ${best} or ${next}. The searches found no clear difference.`
    : `Hint: ${best}${areAgreed(decision) ? "," : ` (${agreement(decision)}). Their choices are`} worth ${more} than ${next}.`;
}
