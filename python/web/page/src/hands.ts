import type { Table } from "./protocol";

/** The cards that a seat holds, as far as they are seen. */
export function handOf({ scene }: Table, seat: number): string[] {
  const groups = scene.places.find((place) => place.seat === seat)?.groups.filter(({ held }) => held) ?? [];
  return groups.flatMap(({ cards }) => cards.filter((card) => card !== null));
}

/** The number of cards that a seat holds. */
export function handSize({ scene }: Table, seat: number): number {
  const groups = scene.places.find((place) => place.seat === seat)?.groups.filter(({ held }) => held) ?? [];
  return Math.max(0, ...groups.map(({ cards }) => cards.length));
}

/** The cards that a seat has drawn since its last choice: neither in its hand before nor open on the table. */
export function freshCards(tables: Table[], seat: number): string[] {
  const last = tables.slice(0, -1).findLast((table) => table.seat === seat);
  const hand = tables.slice(-1).flatMap((table) => handOf(table, seat));
  if (!last) return [];
  const known = new Set(last.scene.places.flatMap(({ groups }) => groups.flatMap(({ cards }) => cards)));
  const fresh = hand.filter((card) => !known.has(card));
  // Several cards were dealt anew or taken in exchange.
  return fresh.length === 1 && hand.length > 1 ? fresh : [];
}
