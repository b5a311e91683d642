import { LESSONS, lessonOf, playingOf, TEACHER } from "./lessons";
import { type Playing, type Route, readSeat } from "./link";
import type { Match } from "./match";

/** The choices of a person in the form. Everything but the agent begins a new deal. */
export interface Change {
  game?: string;
  rules?: string;
  seed?: string;
  seat?: number;
  agent?: string;
}

/** A game after a change. */
export function changed({ agent, seat, position }: Playing, change: Change): Playing {
  const { game, rules, seed } = { ...position, ...change };
  const isNew = Object.keys(change).some((name) => name !== "agent");
  return {
    agent: change.agent ?? agent,
    seat: change.seat ?? seat,
    position: isNew ? { game, rules, seed, moves: [] } : position,
    // Another agent would not have decided alike.
    from: isNew ? 0 : position.moves.length,
  };
}

/** A new deal of a game. */
export function dealt(game: string, settings = new URLSearchParams()): Playing {
  const position = { game, rules: settings.get("rules") ?? "", seed: randomSeed(), moves: [] };
  return { position, agent: settings.get("agent") ?? "", seat: readSeat(settings), from: 0 };
}

/**
 * The deal of a link that cannot be opened, from its beginning: without its moves, or else without its seat. Null if that
 * would change nothing.
 */
export function beginningOf(route: Route): Route | null {
  const settings = new URLSearchParams(route.settings);
  const moves = ["moves", "from"].filter((part) => settings.has(part));
  const wrong = moves.length > 0 ? moves : ["seat"].filter((part) => settings.has(part));
  for (const part of wrong) settings.delete(part);
  return settings.has("seed") && wrong.length > 0 ? { ...route, settings } : null;
}

/** Another deal of the same game; a lesson begins again. */
export function dealtAgain(playing: Playing): Playing {
  const lesson = lessonOf(playing);
  return lesson ? playingOf(lesson) : changed(playing, { seed: randomSeed() });
}

/** The game after one that is over: another deal at the next seat; after a lesson, the next one. */
export function dealtNext({ playing, game, rules }: Match, isNew: boolean): Playing {
  const lesson = lessonOf(playing);
  if (!lesson) return changed(playing, { seed: randomSeed(), seat: (playing.seat + 1) % rules.seats });
  const next = LESSONS[LESSONS.indexOf(lesson) + 1];
  // A newcomer begins with the beginner.
  return next ? playingOf(next) : dealt(game.name, new URLSearchParams(isNew ? { agent: TEACHER } : {}));
}

/** The cards of a deal by name: a person who has seen them in one seat knows them in the others. */
export function nameOfDeal({ position: { game, rules, seed } }: Playing): string {
  return [game, rules, seed].join();
}

export function isSameDeal(one: Playing, other: Playing): boolean {
  return nameOfDeal(one) === nameOfDeal(other) && one.seat === other.seat;
}

/** True if the person sits at the same place in the same game. */
export function isSameSeat(one: Match, other: Match): boolean {
  const key = ({ rules, playing }: Match): string => [rules.game, rules.rules, playing.seat].join();
  return key(one) === key(other);
}

function randomSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
