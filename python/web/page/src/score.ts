import type { Playing } from "./link";
import type { Verdict } from "./outcome";
import { inBrowser, isObject, type Kept } from "./storage";

const KEY = "scores";
/** The number of deals that are known to be counted, the latest ones. */
const MOST = 100;

/** The games of a person against one opponent at one game. */
type Tally = Record<Verdict, number>;

interface Scores {
  tallies: Record<string, Tally>;
  /** The deals that are counted. A person who plays one again knows its cards. */
  counted: string[];
}

/** The running score of this browser. */
export class Score {
  readonly #kept: Kept;

  constructor(kept = inBrowser) {
    this.#kept = kept;
  }

  /** The score against the opponent of a game. */
  of(playing: Playing): Tally {
    return this.#read().tallies[opponentOf(playing)] ?? { won: 0, drawn: 0, lost: 0 };
  }

  /** Counts the end of a game, once. */
  count(playing: Playing, verdict: Verdict): void {
    const { tallies, counted } = this.#read();
    // In another seat the cards are known, too.
    const deal = [opponentOf(playing), playing.position.seed].join();
    // A game that did not begin with the deal says little.
    if (counted.includes(deal) || playing.from > 0 || playing.position.record !== undefined) return;
    const tally = this.of(playing);
    tallies[opponentOf(playing)] = { ...tally, [verdict]: tally[verdict] + 1 };
    this.#kept.write(KEY, { tallies, counted: [deal, ...counted].slice(0, MOST) });
  }

  /** True if no game was ever finished in this browser. */
  get isNew(): boolean {
    return this.#read().counted.length === 0;
  }

  #read(): Scores {
    return this.#kept.read(KEY, isScores) ?? { tallies: {}, counted: [] };
  }
}

function isScores(found: unknown): found is Scores {
  if (!isObject(found) || !isObject(found["tallies"]) || !Array.isArray(found["counted"])) return false;
  return Object.values(found["tallies"]).every(
    (tally) => isObject(tally) && [tally["won"], tally["drawn"], tally["lost"]].every(Number.isSafeInteger),
  );
}

function opponentOf({ position: { game, rules }, agent }: Playing): string {
  return [game, rules, agent].join();
}
