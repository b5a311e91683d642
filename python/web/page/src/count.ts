import { isGroup } from "./facts";
import type { Face, Group, Story, Table } from "./protocol";

/** Signs of cards of Schwinget that belong to no suit, with what they are called. */
export const SPECIAL = new Map([
  ["whistle", "the referee"],
  ["bolt", "the counter"],
]);

/** Points of the rule of thumb for one reason. */
export interface Part {
  words: string;
  cards: string[];
  points: number;
}

/**
 * The count of a seat's hand by the rule of thumb for the attack, from what the seat sees and has seen. Null without a
 * trump suit, where nothing is counted.
 */
export function countOf(table: Table, story: Story, seat: number, faces: Record<string, Face>): Part[] | null {
  const cards = (place: number | null, fits: (group: Group) => boolean): string[] =>
    (table.scene.places.find((one) => one.seat === place)?.groups.filter(fits) ?? []).flatMap((group) =>
      group.cards.filter((card) => card !== null),
    );
  const suitOf = (card: string): string | null => {
    const sign = faces[card]?.sign ?? "";
    return SPECIAL.has(sign) ? null : sign;
  };
  const rankOf = (card: string): number => Number(faces[card]?.rank);
  const hand = cards(seat, ({ held }) => held);
  const turned = cards(null, (group) => isGroup(group, "trump"));
  const trump = suitOf(turned[0] ?? "");
  if (turned.length === 0 || trump === null) return null;
  const seen = new Set([
    ...hand,
    ...turned,
    ...story.lines.flatMap(({ event, likely }) => (likely ? [] : (event ?? []))),
  ]);
  const trumps = hand.filter((card) => suitOf(card) === trump);
  const others = hand.filter((card) => suitOf(card) !== null && suitOf(card) !== trump);
  const suits = others.map((card) => others.filter((other) => suitOf(other) === suitOf(card)));
  const longest = suits.reduce((best, suit) => (suit.length > best.length ? suit : best), []);
  const unseen = Object.keys(faces).filter((card) => suitOf(card) === trump && !seen.has(card));
  const unbeaten = trumps.filter((card) => unseen.every((other) => rankOf(other) < rankOf(card)));
  const parts: Part[] = [
    { words: "two for every trump", cards: trumps, points: 2 * trumps.length },
    { words: "one for every card of your longest other suit", cards: longest, points: longest.length },
    { words: "one for the referee", cards: hand.filter((card) => faces[card]?.sign === "whistle"), points: 1 },
    { words: "one off for each trump that no unseen trump beats", cards: unbeaten, points: -unbeaten.length },
  ];
  return parts.filter((part) => part.cards.length > 0);
}

/** The points of each card. A card that counts for several reasons has their sum. */
export function pointsByCard(parts: Part[]): Map<string, number> {
  const points = new Map<string, number>();
  for (const part of parts) {
    for (const card of part.cards) points.set(card, (points.get(card) ?? 0) + part.points / part.cards.length);
  }
  return points;
}
