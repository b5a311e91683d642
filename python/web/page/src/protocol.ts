// The words between the page and the engine. The engine (python/web/src) gives exactly these as JSON.

/** A game so far: how it began and what the players chose. A link holds one. */
export interface Position {
  game: string;
  /** The rules as text, such as "players=3"; empty for the default rules. */
  rules: string;
  /** The seed of the random events, a whole number below 2^64. The same seed deals the same cards in Python. */
  seed: string;
  /** The chosen actions, by id, since the deal or since the end of `record`. Random events are not among them. */
  moves: number[];
  /** A record with which the game begins. Random events after it come from `seed`. */
  record?: string;
}

/** An option of a game or an agent. */
export interface Option {
  name: string;
  about: string;
  /** Its default, as text. */
  default: string;
  /** The values that it allows, in words, such as "2 to 4" or "points, schwinger". */
  allowed: string;
  /** The values, if they are a list of names. */
  names: string[];
  /** The range, if the values are numbers. */
  range: [number, number] | null;
}

export interface GameInfo {
  name: string;
  /** The name in its own language. */
  title: string;
  /** A game of the literature rather than one of the four. */
  literature: boolean;
  rules: Option[];
}

/** A printed card. */
export interface Face {
  rank: string;
  sign: string;
  hue: string;
}

/** A game under its rules. */
export interface Rules {
  game: string;
  /** The rules as text, without the defaults. */
  rules: string;
  seats: number;
  /** The smallest and the largest return of a seat. */
  range: [number, number];
  /** The faces of the cards by name; empty in a game without cards. */
  faces: Record<string, Face>;
  /** The names of the agents that can play it with their default options. */
  agents: string[];
}

export interface Agent {
  name: string;
  about: string;
  /** True if it cannot play with its default options before a network is there. */
  needs_network: boolean;
  options: Option[];
}

export interface Group {
  name: string;
  /** Names of cards; null for a hidden card. */
  cards: (string | null)[];
  layout: "row" | "pile" | "aside";
  held: boolean;
}

export interface Place {
  /** The seat; null for the middle of the table. */
  seat: number | null;
  suit: string | null;
  groups: Group[];
  remarks: string[];
}

export interface Scene {
  title: string;
  /** Pairs of label and value. */
  facts: [string, string][];
  /** Spaces of a circular track, from space 0; empty in games without one. */
  track: { piece: string | null; food: boolean }[];
  places: Place[];
  /** The next event, in words. */
  next: string;
  tells_returns: boolean;
}

export interface Move {
  id: number;
  name: string;
}

/** A state as one seat sees it, or with all cards open. */
export interface Table {
  scene: Scene;
  /** The player to act; null at the end. */
  seat: number | null;
  /** What the player to act may choose. */
  legal: Move[];
  /** The return of each seat; null before the end, and for eyes that may not be told. */
  returns: number[] | null;
  /** The knowledge of the seat as text; empty with all cards open. */
  knowledge: string;
}

/** A sentence about a game, without its full stop. */
export interface Sentence {
  /** The seat whose move this is; null for random events and consequences. */
  mover: number | null;
  /** The words before the event, or all of them. */
  words: string;
  /** The name of the action or outcome at the end. */
  event: string | null;
  /** True if another event is possible, though in few of the worlds. */
  likely: boolean;
  /** True if the seat that hears the story had no other move. */
  forced: boolean;
  /** True for a consequence of the event before, such as a trick that was won. */
  follows: boolean;
}

/** The course of a game, as a seat may know it. */
export interface Story {
  lines: Sentence[];
  /** The number of lines about what happened before the seat's last action. */
  earlier: number;
  /** Sentences about earlier moves that the seat has learned since. */
  revealed: Sentence[];
}

/** The values of one action over several searches with different seeds. */
export interface Bar {
  id: number;
  name: string;
  /** The mean value for the player to act, in the game's utility; null if some search never tried the action. */
  value: number | null;
  /** Half the width of its 95 % interval over the searches; null for fewer than three. */
  ci95: number | null;
  /** The share of the searches that choose this action. */
  chosen: number;
}

/** What an agent has found so far. */
export interface Analysis {
  searches: number;
  bars: Bar[];
}

/** The expected number of copies of each card in each hand: a probability where there is one of each card. */
export interface Beliefs {
  cards: string[];
  seats: number;
  /** `expected[card * seats + seat]` */
  expected: number[];
  /** "enumerated" means exact; "sampled" means drawn worlds. */
  basis: "enumerated" | "estimated" | "sampled" | "particles" | "chance";
  worlds: number;
}

/** One decision of a reviewed game. */
export interface Reviewed {
  /** Its number among the moves of the game, chance included. */
  number: number;
  /** The game up to here, for "what if". Its record may hold cards that the seat could not know. */
  position: Position;
  /** The table as the seat saw it. */
  table: Table;
  action: Move;
  /** The action that most of the searches choose. */
  best: Move;
  /** What the choice lost against the agent's own choice; null if it is not known. */
  cost: number | null;
  ci95: number | null;
  /** The verdict in words. */
  verdict: string;
  analysis: Analysis;
  /** Empty `cards` in games without cards. */
  beliefs: Beliefs;
}

/** A game to be reviewed. */
export interface Reviewing {
  game: string;
  rules: string;
  seats: number;
  /** The number of decisions of each seat. */
  decisions: number[];
  returns: number[] | null;
}

/** An equilibrium. */
export interface Solution {
  histories: number;
  sets: number;
  iterations: number;
  /** The value of the game for each seat. */
  values: number[];
  /** What all best responses gain together, in the game's utility; 0 in an equilibrium. */
  nash_conv: number;
  /** The same for uniformly random play: the scale. */
  uniform: number;
}

/** An information set: all that a player can know there. */
export interface InformationSet {
  seat: number;
  knowledge: string;
  /** The probability that play by the equilibrium leads here. */
  reach: number;
  actions: { name: string; probability: number; value: number }[];
}

/** An information set of the first decision of a game, with the table as its player sees it. */
export interface Opening extends InformationSet {
  scene: Scene;
}

/** What a worker is asked, by name: arguments and answer. */
export interface Engine {
  games(): GameInfo[];
  agents(): Agent[];
  /** True if the agent, or one that it uses, plays by a network. */
  has_network(agent: string): boolean;
  rules(game: string, rules: string): Rules;
  /** Makes a network the game's own. */
  provide(game: string, bytes: Uint8Array): null;
  /** The table as a seat sees it. */
  table(position: Position, seat: number): Table;
  /** The course of the game in words, as a seat may know it. */
  story(position: Position, seat: number): Story;
  /** The table with all cards open. */
  open_table(position: Position): Table;
  /** The record of the game so far, for `stier replay` and for the review. It contains all cards. */
  record(position: Position): string;
  /** An agent's decision for the player to act. It begins afresh: the answer depends on the arguments alone. */
  decide(position: Position, agent: string, seed: string): Move;
  /** Exact beliefs of a seat about the cards, from what it knows and how the cards were dealt. */
  beliefs(position: Position, seat: number): Beliefs;
  /** What `other` can know about the cards of `seat`, as far as `seat` can tell: the mean over worlds. */
  known(position: Position, seat: number, other: number, worlds: number): Beliefs;
  /** An error if the agent cannot play here. */
  check(position: Position, agent: string): null;
  /** Begins an analysis of a position; `search` goes on with it. */
  analyse(position: Position, agent: string): null;
  /** One more search of the analysis. */
  search(): Analysis;
  /** Reads a record for review. */
  open(record: string): Reviewing;
  /** Begins the review of a seat's decisions by an agent, with this number of searches each. */
  review(seat: number, agent: string, searches: number): null;
  /** The next decision; null at the end. */
  reviewed(): Reviewed | null;
  /** Solves a game in memory by CFR+. Calls `progress` in the meantime. */
  solve(game: string, rules: string, iterations: number): Solution;
  /** Information sets of the solution whose knowledge contains all words of `filter`, most often reached first. */
  sets(filter: string, from: number, count: number): { found: number; sets: InformationSet[] };
  /** The information sets of the solution at the first decision of the game, most often reached first. */
  openings(): Opening[];
  /** Checksums of so many random games, of searches and of solutions: the same natively and here. */
  checksums(games: number): { name: string; hash: string }[];
}
