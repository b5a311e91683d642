import { drawCard, drawSign, faceInWords, plain, suitInWords } from "./cards";
import { h } from "./dom";
import { seatInSentence, seatsOf } from "./names";
import type { Face, Group, Table, Value } from "./protocol";
import { counted } from "./words";

/** The facts that the page looks for by name. A test finds each of them in a game. */
export const FACTS = [
  "actions",
  "answer",
  "at_risk",
  "attacker",
  "banked",
  "bets",
  "bids",
  "board",
  "boss",
  "bout",
  "chosen",
  "dealer",
  "dealt",
  "first_player",
  "knocker",
  "leader",
  "led",
  "lives",
  "neutral_trick",
  "pile",
  "points",
  "scores",
  "side",
  "tricks",
  "trump",
  "turned_up",
  "winner",
  "worth",
] as const;
type FactName = (typeof FACTS)[number];

/** The groups of cards that the page looks for by name. A test finds each of them in a game. */
export const GROUPS = ["card", "hand", "trump"] as const;

/** True for a group of cards with this name. */
export function isGroup({ name }: Pick<Group, "name">, wanted: (typeof GROUPS)[number]): boolean {
  return name === wanted;
}

/** A fact of a table; undefined in games without it. */
export function factOf({ facts }: Pick<Table, "facts">, name: FactName): Value | undefined {
  return facts[name];
}

/** A fact that has a number for each seat, or null in games without it. */
export function ofSeats(table: Table, name: FactName): (number | null)[] | null {
  const values = factOf(table, name);
  if (!Array.isArray(values) || values.length !== seatsOf(table.scene)) return null;
  return values.every((value) => value === null || typeof value === "number") ? values : null;
}

/** Numbers of a seat, by the name of the fact, in words. */
const COUNTED: [FactName, (value: number) => string][] = [
  ["at_risk", (value) => `${value} at risk`],
  ["banked", (value) => `${value} safe`],
  ["worth", (value) => `worth ${value}`],
  ["lives", (value) => (value === 0 ? "out" : value === 1 ? "swims" : counted(value - 1, "stake"))],
];
/** Parts that one seat has, by the name of the fact. */
const PARTS: [FactName, string][] = [
  ["boss", "boss"],
  ["dealer", "dealer"],
  ["knocker", "knocked"],
  ["attacker", "attacked"],
];

/** The part of a seat in the game, and its numbers: they stand beside its name. */
export interface Marks {
  parts: string[];
  counts: string[];
}

/** The marks of a seat; null in games whose facts are not known here. */
export function marksOf(table: Table, seat: number): Marks | null {
  const numbers = COUNTED.flatMap(([name, words]) => {
    const values = ofSeats(table, name);
    return values ? [{ value: values[seat] ?? null, words }] : [];
  });
  if (numbers.length === 0 && !ofSeats(table, "tricks")) return null;
  const scores = ofSeats(table, "scores");
  const score =
    table.seat !== null && scores?.some((value) => value !== 0) ? [counted(Number(scores[seat]), "point")] : [];
  return {
    parts: PARTS.flatMap(([name, words]) => (factOf(table, name) === seat ? [words] : [])),
    counts: [...numbers.flatMap(({ value, words }) => (value === null ? [] : [words(value)])), ...score],
  };
}

/** Facts that are seen on the table, or beside a seat. */
const SEEN: Set<string> = new Set<FactName>(["pile", "first_player", "dealt"]);

/** A fact with its value and the words of the engine. */
export interface Told {
  name: string;
  value: Value;
  words: string;
}

/** Facts that list what the players did. */
const LISTS: Set<string> = new Set<FactName>(["actions", "bets", "bids"]);
const WINNER: FactName = "winner";
const SIDE: FactName = "side";
/** The sides of the UP&DOWN card. */
const SIDES: Record<string, string> = { up: "UP, high wins", down: "DOWN, low wins" };
const POINTS: FactName = "points";

/** A fact in words for the person at seat `you`: `words` are those of the engine, which name no seat. */
export function factInWords({ name, value, words }: Told, you: number | null | undefined, seats: number): string {
  if (name === WINNER && typeof value === "number") return seatInSentence(value, you, seats);
  if (name === POINTS && Array.isArray(value))
    return value.map((points, seat) => `${seatInSentence(seat, you, seats)} ${points}`).join(", ");
  if (name === SIDE) return SIDES[String(value)] ?? words;
  if (LISTS.has(name)) return namesIn(value).map(plain).join(", ");
  return plain(words);
}

/** The names in a list, which may have lists in it, without gaps. */
function namesIn(value: Value): string[] {
  return Array.isArray(value) ? value.flatMap(namesIn) : value === null ? [] : [String(value)];
}

/** True if a card without a suit was turned up for trump. */
export function hasNoTrump(table: Table): boolean {
  return factOf(table, "turned_up") != null && factOf(table, "trump") === null;
}

/** The facts of a table in words and small pictures, each with its name. */
export function drawFact(
  table: Table,
  name: string,
  told: string,
  faces: Record<string, Face>,
  you: number | null | undefined,
): { name: string; value: (Node | string)[] } | null {
  const { facts, scene } = table;
  if (SEEN.has(name) || told === "1 of 1") return null;
  const value = facts[name] ?? null;
  const words = factInWords({ name, value, words: told }, you, seatsOf(scene));
  const card = typeof value === "string" ? faces[value] : undefined;
  if (card) return { name: plain(name), value: [h("span", { class: "tiny" }, drawCard(card))] };
  const turned = faces[String(factOf(table, "turned_up"))];
  if (name === "trump" && turned) {
    if (hasNoTrump(table)) return { name: "no trump:", value: [`the ${faceInWords(turned)} was turned up`] };
    return { name, value: [drawSign(turned), ` ${suitInWords(turned)}`] };
  }
  if (Array.isArray(value) && value.length > 0 && value.every((card) => typeof card === "string" && faces[card])) {
    return {
      name: plain(name),
      value: [h("span", { class: "race" }, ...value.map((card) => drawDot(faces[String(card)])))],
    };
  }
  return { name: plain(name), value: [words] };
}

/** A card as small as a letter. */
function drawDot(face: Face | undefined): HTMLElement | null {
  if (!face) return null;
  const words = faceInWords(face);
  return h("span", { class: `dot hue-${face.hue}`, role: "img", "aria-label": words }, face.rank);
}
