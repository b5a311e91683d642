// Generated from python/web/src and tested: STIER_UPDATE=1 cargo test -p stier-web protocol writes it anew.

/** An agent. */
export type Agent = { name: string, about: string,
  /** True if it cannot play with its default options before a network is there. */
  needs_network: boolean, options: Array<Option>, };

/** The results of several searches. */
export type Analysis = { searches: number, bars: Array<Bar>, };

/** One action over several searches. */
export type Bar = {
  /** The mean value for the player to act, in the game's utility; null if some search never tried the action. */
  value: number | null,
  /** Half the width of its 95 % interval over the searches; null for fewer than three. */
  ci95: number | null,
  /** The share of the searches that choose this action. */
  chosen: number,
  /** The action. */
  id: number,
  /** Its name. */
  name: string, };

/** The source of the figures of a belief. */
export type Basis = "enumerated" | "estimated" | "sampled" | "particles" | "chance";

/** For each card and seat, the expected number of copies in the seat's hand. */
export type Beliefs = { cards: Array<string>, seats: number,
  /** `expected[card * seats + seat]`. */
  expected: Array<number>, basis: Basis, worlds: number, };

/** A checksum. */
export type Checksum = {
  /** The games, searches or solution that it stands for. */
  name: string,
  /** The FNV-1a hash, in hexadecimal. */
  hash: string, };

/** The printed face of a card. */
export type Face = {
  /** The value, one or two characters. */
  rank: string,
  /** The sign of its suit. */
  sign: Sign,
  /** The colour of its suit. */
  hue: Hue, };

/** A public event, and the public state after it. */
export type Followed = { name: string,
  /** The probability of the event in the public state. */
  share: number, path: Array<number>, };

/** A game. */
export type GameInfo = { name: string,
  /** The name in its own language. */
  title: string,
  /** A game of the literature rather than one of the four. */
  literature: boolean, rules: Array<Option>, };

/** Cards that lie together. */
export type Group = {
  /** The kind of group, such as "hand". */
  name: string,
  /** The cards; null for a hidden card. */
  cards: Array<string | null>,
  /** The arrangement of the cards. */
  layout: Layout,
  /** True if the cards count among those that the seat [holds](crate::Notation::holdings). */
  held: boolean, };

/** A hand that a player may hold in a public state. */
export type Held = { cards: Array<string>,
  /** The probability of the hand for a spectator, who knows both policies. */
  share: number,
  /** The expected return with the hand; none if the others never lead to it. */
  value: number | null,
  /** Those of the player to act. */
  actions: Array<Weighed>, };

/** The colour of a card. The program that draws it chooses the shade. */
export type Hue = "green" | "red" | "blue" | "yellow" | "orange" | "violet" | "pink" | "black" | "grey";

/** The judgement of a choice. */
export type Judged = { action: Move,
  /** The action that most of the searches choose. */
  best: Move,
  /** The loss of the choice against the agent's own choice; null if it is not known. */
  cost: number | null, ci95: number | null,
  /** Without bars where there is no other choice. */
  analysis: Analysis, };

/** The arrangement of a group of cards. */
export type Layout = "row" | "pile" | "aside";

/** A move of the game. */
export type Made = { seat: number,
  /** The number of events before it. */
  number: number, name: string, };

/** An action with its name. */
export type Move = {
  /** The action. */
  id: number,
  /** Its name. */
  name: string, };

/** An option of a game or an agent. */
export type Option = { name: string, about: string,
  /** Its default, as text. */
  default: string,
  /** The values that it allows, in words, such as "2 to 4" or "points, schwinger". */
  allowed: string,
  /** The values, if they are a list of names. */
  names: Array<string>,
  /** The range, if the values are numbers. */
  range: [number, number] | null, };

/** A seat, or the middle of the table. */
export type Place = {
  /** The seat; null for the middle of the table. */
  seat: number | null,
  /** A card of the suit that counts for this seat now, in games in which each seat has its own suit. Its name begins
   * with the letter of the suit. */
  suit: string | null,
  /** The cards, from left to right. */
  groups: Array<Group>,
  /** Other information, in words. */
  remarks: Array<string>, };

/** A game so far: how it began, and what the players chose. */
export type Position = { game: string,
  /** The rules as text, such as "players=3"; empty for the default rules. */
  rules: string,
  /** The seed of the random events, a whole number below 2^64. The same seed deals the same cards in Python. */
  seed: string,
  /** The chosen actions, by id, since the deal or since the end of `record`. Random events are not among them. */
  moves: Array<number>,
  /** A record with which the game begins. Random events after it come from `seed`. */
  record?: string, };

/** A public state, if both players follow the solution. */
export type PublicNode = {
  /** The way here: the number of the opening, and of the event in each public state. */
  path: Array<number>,
  /** The random event by which the opening differs from others. */
  opening: string | null,
  /** The player to act; none for chance. */
  seat: number | null,
  /** True where nobody has a choice any more. */
  is_over: boolean,
  /** The probability that play leads here. */
  reach: number,
  /** The expected return of each seat; none if play never leads here. */
  values: [number, number] | null, events: Array<Followed>,
  /** By seat. */
  hands: [Array<Held>, Array<Held>], };

/** A recorded game. */
export type Recorded = { game: string, rules: string, seats: number,
  /** The number of events, chance included. */
  events: number, moves: Array<Made>, returns: Array<number> | null, };

/** A decision with its judgement. */
export type Reviewed = {
  /** Its number among the moves of the game, chance included. */
  number: number,
  /** The game up to here, for "what if". Its record may hold cards that the seat could not know. */
  position: Position,
  /** The table as the seat saw it. */
  table: Table,
  /** Without `cards` in games without cards. */
  beliefs: Beliefs, action: Move,
  /** The action that most of the searches choose. */
  best: Move,
  /** The loss of the choice against the agent's own choice; null if it is not known. */
  cost: number | null, ci95: number | null,
  /** Without bars where there is no other choice. */
  analysis: Analysis, };

/** A game under its rules. */
export type Rules = { game: string,
  /** The rules as text, without the defaults. */
  rules: string, seats: number,
  /** The smallest and the largest return of a seat. */
  range: [number, number],
  /** The faces of the cards by name; empty in a game without cards. */
  faces: { [key in string]: Face },
  /** The names of the agents that can play it with their default options. */
  agents: Array<string>, };

/** The kind of a sentence, with what it says about its seat and its event. */
export type Said = { "kind": "dealt" } | { "kind": "move" } | { "kind": "had_chosen" } | { "kind": "hidden_move" } | { "kind": "draw" } | { "kind": "turned_up" } | { "kind": "tricks",
  /** The number of tricks. */
  count: number, } | { "kind": "remark",
  /** The remark. */
  words: string, } | { "kind": "fact",
  /** Its name. */
  name: string,
  /** Its value. */
  value: Value,
  /** The value in words. */
  words: string, };

/** A state from the perspective of one seat, or of an observer who sees everything. Cards are called by their
 * [names](crate::Notation::cards). */
export type Scene = {
  /** The name of the game in its own language. */
  title: string,
  /** Facts about the game. Only those that are [told](Scene::told) are serialized. */
  facts: [string, string][],
  /** The spaces of a circular track; empty in games without one. */
  track: Array<Space>,
  /** The seats and the middle of the table, from top to bottom. Several places without a seat are the lines of a board,
   * in which columns align. */
  places: Array<Place>,
  /** The next event, in words. */
  next: string,
  /** True if the perspective may be told the returns of a finished game. */
  tells_returns: boolean, };

/** A sentence of a story. */
export type Sentence = {
  /** The seat whose move this is; null for random events and consequences. */
  mover: number | null,
  /** The seat that the sentence is about. */
  about: number | null,
  /** The kind of the sentence, with its content. */
  said: Said,
  /** The name of an action or outcome, at the end of the line. */
  event: string | null,
  /** True if another event is possible, though in few of the worlds. */
  likely: boolean,
  /** True if the seat had no other move. */
  forced: boolean,
  /** True for a consequence of the event before, such as a trick that was won. */
  follows: boolean, };

/** The sign printed on a card next to its rank. Each suit has its own, so that suits can be told apart without
 * colour. */
export type Sign = "diamond" | "heart" | "spade" | "club" | "leaf" | "cross" | "drop" | "sun" | "whistle" | "bolt" | "pig";

/** The size of a game. */
export type Size = { public_states: number,
  /** Hands of the player to act, in all public states. */
  sets: number,
  /** About the bytes that solving it takes. */
  bytes: number, };

/** A description of the solution. */
export type Solution = { public_states: number,
  /** Hands of the player to act, in all public states. */
  sets: number, iterations: number,
  /** The value of the game for each seat. */
  values: Array<number>,
  /** The gain of all best responses together, in the game's utility; 0 in an equilibrium. */
  nash_conv: number,
  /** The same for uniformly random play: the scale. */
  uniform: number, };

/** A space of a track. */
export type Space = {
  /** The card whose face is on the piece, if a piece stands here. */
  piece: string | null,
  /** True if food lies on the space. */
  food: boolean, };

/** The course of a game. */
export type Story = {
  /** The lines from the first decision on. The deal before it is best seen on the table. */
  lines: Array<Sentence>,
  /** The number of lines about earlier events; see [`story`]. */
  earlier: number,
  /** Lines about earlier moves that the seat has learned since. */
  revealed: Array<Sentence>, };

/** A state as one seat sees it, or with all cards open. */
export type Table = {
  /** The cards, places and words. */
  scene: Scene,
  /** The facts that the seat knows, as plain values by name. */
  facts: { [key in string]: Value },
  /** The player to act; null for chance and at the end. */
  seat: number | null,
  /** The moves of the player to act. Empty for the eyes of others: it can depend on cards that they do not see. */
  legal: Array<Move>,
  /** The return of each seat; null before the end, and for eyes that may not be told. */
  returns: Array<number> | null,
  /** The knowledge of the seat as text; empty with all cards open. */
  knowledge: string, };

/** A plain value. */
export type Value = null | boolean | number | number | string | Array<Value>;

/** A legal action with a hand. */
export type Weighed = { name: string, probability: number, value: number | null, };

/** The questions by name: arguments and answer. */
export interface Engine {
  /** All games, the four card games first. */
  games(): Array<GameInfo>;
  /** All agents. */
  agents(): Array<Agent>;
  /** True if the agent, or one that it uses, plays by a network. */
  has_network(agent: string): boolean;
  /** The name that is most like a text; none if all are far from it. */
  closest(text: string, names: Array<string>): string | null;
  /** A game under these rules. */
  rules(game: string, rules: string): Rules;
  /** The table as a seat sees it. */
  table(position: Position, seat: number): Table;
  /** The course of the game in words, as a seat may know it. */
  story(position: Position, seat: number): Story;
  /** The table with all cards open. */
  open_table(position: Position): Table;
  /** The cards in no hand that nobody has seen, once the game is over. */
  unseen(position: Position): Array<string>;
  /** The record of the game so far, for `stier replay` and for the review. It contains all cards. */
  record(position: Position): string;
  /** An agent's decision for the player to act. It begins afresh: the answer depends on the arguments alone. */
  decide(position: Position, agent: string, seed: string): Move;
  /** Exact beliefs of a seat about the cards, from what it knows and how the cards were dealt. */
  beliefs(position: Position, seat: number): Beliefs;
  /** The beliefs that `other` can have about the cards of `seat`, as far as `seat` can tell: the mean over worlds. */
  known(position: Position, seat: number, other: number, worlds: number): Beliefs;
  /** An error if the agent cannot play here. */
  check(position: Position, agent: string): null;
  /** Begins an analysis of a position; `search` goes on with it. */
  analyse(position: Position, agent: string): null;
  /** One more search of the analysis. */
  search(): Analysis;
  /** The cost of a choice at a position, by this number of searches of an agent. */
  judge(position: Position, action: number, agent: string, searches: number): Judged;
  /** The best choice at a position and the cost of the second best, by this number of searches of an agent. */
  hint(position: Position, agent: string, searches: number): Judged;
  /** Describes a recorded game. */
  open(record: string): Recorded;
  /** The table of a recorded game after so many events, as a seat sees it; null opens all cards. */
  moment(record: string, number: number, seat: number | null): Table;
  /** The choice of a recorded game after so many events, judged like any other. */
  review(record: string, number: number, agent: string, searches: number): Reviewed;
  /** The size of a game on public states; an error if it is too large to be solved. */
  size(game: string, rules: string): Size;
  /** Goes on with solving a game for a moment, and tells how many iterations are done. `solve` goes on from there. */
  iterate(game: string, rules: string, iterations: number): number;
  /** Solves a game in memory by CFR+, unless the solution is known already. Tells its progress in the meantime. */
  solve(game: string, rules: string, iterations: number): Solution;
  /** The public states of the solution in which a player acts first. */
  openings(): Array<PublicNode>;
  /** A public state of the solution, or the one that follows where all that can follow looks the same to a spectator. */
  node(path: Array<number>): PublicNode;
  /** The table of a public state of the solution, as a seat sees it with one of its hands. */
  held_table(path: Array<number>, seat: number, hand: number): Table;
  /** Checksums of so many random games, of searches and of solutions: the same natively and here. */
  checksums(games: number): Array<Checksum>;
}

/** The names of the arguments of each question. */
export const ARGUMENTS: Record<keyof Engine, string[]> = {
  games: [],
  agents: [],
  has_network: ["agent"],
  closest: ["text", "names"],
  rules: ["game", "rules"],
  table: ["position", "seat"],
  story: ["position", "seat"],
  open_table: ["position"],
  unseen: ["position"],
  record: ["position"],
  decide: ["position", "agent", "seed"],
  beliefs: ["position", "seat"],
  known: ["position", "seat", "other", "worlds"],
  check: ["position", "agent"],
  analyse: ["position", "agent"],
  search: [],
  judge: ["position", "action", "agent", "searches"],
  hint: ["position", "agent", "searches"],
  open: ["record"],
  moment: ["record", "number", "seat"],
  review: ["record", "number", "agent", "searches"],
  size: ["game", "rules"],
  iterate: ["game", "rules", "iterations"],
  solve: ["game", "rules", "iterations"],
  openings: [],
  node: ["path"],
  held_table: ["path", "seat", "hand"],
  checksums: ["games"],
};
