import type { Scene } from "./protocol";

/** The names of the other seats, from the person's left on, by the number of seats. */
const OTHERS: Record<number, string[]> = {
  2: ["Opponent"],
  3: ["Left", "Right"],
  4: ["Left", "Across", "Right"],
  5: ["Left", "Far left", "Far right", "Right"],
};

/** The name of a seat for the person at seat `you`, or for a reader who sits nowhere. */
export function seatName(seat: number, you: number | null | undefined, seats: number): string {
  if (seat === you) return "You";
  const name = you == null ? undefined : OTHERS[seats]?.[((seat - you + seats) % seats) - 1];
  return name ?? playerName(seat);
}

/** The same inside a sentence. */
export function seatInSentence(seat: number, you: number | null | undefined, seats: number): string {
  const name = seatName(seat, you, seats);
  return name === "Opponent" ? "the opponent" : name === "You" || name === playerName(seat) ? name.toLowerCase() : name;
}

/** The name of a seat for a reader who plays at none. */
export function playerName(seat: number): string {
  return `Player ${seat + 1}`;
}

/** The number of seats at a table. */
export function seatsOf({ places }: Scene): number {
  return places.filter(({ seat }) => seat !== null).length;
}
