import { JUDGE, JUDGINGS } from "./agents";
import { actionInWords } from "./cards";
import { errorInWords } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { agreement, verdictInWords } from "./grade";
import type { Match } from "./match";
import type { Judged, Position } from "./protocol";
import { isStop, type Running } from "./running";

/** Advice for the person: words, and the move that they recommend. */
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
  async hint({ playing: { position }, rules: { faces }, table: { legal } }: Match, signal: AbortSignal) {
    const [first] = legal;
    if (!first) return null;
    const advise = ({ id, name }: Judged["best"], why: string): Advice => ({
      text: `${why}: ${actionInWords(name, faces)}.`,
      best: id,
    });
    if (legal.length === 1) return advise(first, "There is only one choice");
    // One of the choices has to be named; the best one is known with it.
    const judged = await this.#judge("The search thinks about a hint.", position, first.id, signal);
    return judged && advise(judged.best, `Hint (${agreement(judged)})`);
  }

  /** Tells what the person's last choice lost; null if that is no longer wanted. */
  async cost({ playing, rules }: Match, before: Position, signal: AbortSignal): Promise<Advice | null> {
    const played = playing.position.moves[before.moves.length];
    if (played === undefined) return null;
    const judged = await this.#judge("The search thinks about your last choice.", before, played, signal);
    return judged && { text: verdictInWords(judged, rules.faces) };
  }

  async #judge(says: string, position: Position, action: number, signal: AbortSignal): Promise<Judged | null> {
    this.#answer(says);
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
