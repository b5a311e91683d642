import type { Playing } from "./link";
import { isObject, type Kept } from "./storage";

/** The number of games that are remembered, the latest ones. */
const MOST = 20;
const KEY = "games";

/** Games of this tab with what the agents decided: a person who comes back to one need not wait for that again. */
export class Memory {
  readonly #kept: Kept;

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  /** Remembers a game. Earlier positions of it are contained in it. */
  keep(game: Playing): void {
    const others = this.#games().filter((other) => !(begins(other, game) && other.from >= game.from));
    this.#kept.write(KEY, [game, ...others].slice(0, MOST));
  }

  /** The decision of the agent to move when a game was here before; undefined if none was. */
  next(game: Playing): number | undefined {
    const count = game.position.moves.length;
    // Moves before the beginning of a game were not decided in it.
    const found = this.#games().find(
      (other) => begins(game, other) && other.from <= count && other.position.moves.length > count,
    );
    return found?.position.moves[count];
  }

  /** True if a game of this tab has gone on from here with this move. */
  knows(game: Playing, move: number): boolean {
    const position = { ...game.position, moves: [...game.position.moves, move] };
    return this.#games().some((other) => other.from === game.from && begins({ ...game, position }, other));
  }

  #games(): Playing[] {
    return this.#kept.read(KEY, areGames) ?? [];
  }
}

function areGames(found: unknown): found is Playing[] {
  const isGame = (game: unknown): boolean =>
    isObject(game) && isObject(game["position"]) && Array.isArray(game["position"]["moves"]);
  return Array.isArray(found) && found.every(isGame);
}

/** True if a game has come to the position of another one, with the same players. */
function begins(one: Playing, other: Playing): boolean {
  const { moves } = other.position;
  return dealOf(one) === dealOf(other) && one.position.moves.every((move, index) => move === moves[index]);
}

function dealOf({ position: { game, rules, seed, record }, agent, seat }: Playing): string {
  return JSON.stringify([game, rules, seed, record, agent, seat]);
}
