import { cardOf } from "./cards";
import { factOf, isGroup, ofSeats } from "./facts";
import type { Face, Group, Place, Sentence, Table } from "./protocol";

/** A place for the card of a seat in a trick. */
export interface Slot {
  seat: number;
  /** The card; null if it lies face down; undefined if it is still to come. */
  card: string | null | undefined;
}

/** A trick that is over. */
export interface Trick {
  slots: Slot[];
  leader: number | null;
  /** The seat that collects it; null if nobody does yet. */
  winner: number | null;
}

/** The trick on a table, a place for each seat; null in games without tricks. */
export function trickOf(table: Table): { slots: Slot[]; leader: number | null } | null {
  const { places } = table.scene;
  const seats = places.flatMap(({ seat }) => (seat === null ? [] : [seat])).sort((a, b) => a - b);
  const [led, answer, leader] = (["led", "answer", "leader"] as const).map((name) => factOf(table, name));
  if (led !== undefined && typeof leader === "number") {
    const card = (seat: number): string | undefined => text(seat === leader ? led : answer);
    return { slots: seats.map((seat) => ({ seat, card: card(seat) })), leader: led === null ? null : leader };
  }
  if (!Array.isArray(factOf(table, "chosen"))) return null;
  const cardOf = (seat: number): string | null | undefined =>
    places.find((place) => place.seat === seat)?.groups.find((group) => isGroup(group, "card"))?.cards[0];
  return { slots: seats.map((seat) => ({ seat, card: cardOf(seat) })), leader: null };
}

/** True for a group of cards for which the trick of the table stands: of the middle, or the card before a seat. */
export function isInTrick(table: Table, { seat }: Place, group: Group): boolean {
  if (seat !== null) return isGroup(group, "card") && factOf(table, "chosen") !== undefined;
  return factOf(table, "led") !== undefined && group.layout === "row" && !isGroup(group, "trump");
}

/**
 * The trick that each move has finished; null for a move that finished none. The tables lie before and after the moves.
 * `moved` tells all moves up to the last table.
 */
export function finishedTricks(tables: Table[], moved: Sentence[], faces: Record<string, Face>): (Trick | null)[] {
  const first = moved.length - (tables.length - 1);
  return tables.slice(1).map((after, index): Trick | null => {
    const before = tables[index] as Table;
    const old = trickOf(before);
    const missing = old?.slots.filter(({ card }) => card === undefined) ?? [];
    if (!old || missing.length !== 1 || factOf(before, "led") === null) return null;
    const [last] = missing;
    const now = trickOf(after);
    const stays = now?.slots.every(({ card }) => card !== undefined && card !== null);
    if (stays && now) return { ...now, winner: winnerOf(before, after) };
    const move = moved[first + index];
    if (factOf(before, "led") === undefined || move?.event == null) return null;
    const { card } = cardOf(move.event, faces);
    const slots = old.slots.map((slot) => (slot === last ? { ...slot, card } : slot));
    return { slots, leader: old.leader, winner: winnerOf(before, after) };
  });
}

/** The seat that has more tricks than before. */
function winnerOf(before: Table, after: Table): number | null {
  const old = ofSeats(before, "tricks") ?? [];
  const won = (ofSeats(after, "tricks") ?? []).findIndex((count, seat) => (count ?? 0) > (old[seat] ?? 0));
  return won < 0 ? null : won;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
