import type { Scene } from "./protocol";

/** The names of the other seats, from the person's left on, by the number of seats. */
const OTHERS: Record<number, string[]> = { 2: ["Opponent"], 3: ["Left", "Right"], 4: ["Left", "Across", "Right"] };

/** The name of a seat for the person at seat `you`; for a reader who sits nowhere, its number. */
export function seatName(seat: number, you: number | null | undefined, seats: number): string {
  if (seat === you) return "You";
  if (you == null) return `Seat ${seat}`;
  return OTHERS[seats]?.[((seat - you + seats) % seats) - 1] ?? `Seat ${seat}`;
}

/** The same inside a sentence. */
export function seatInSentence(seat: number, you: number | null | undefined, seats: number): string {
  const name = seatName(seat, you, seats);
  return name === "Opponent" ? "the opponent" : name === "You" || name.startsWith("Seat") ? name.toLowerCase() : name;
}

/** The number of seats at a table. */
export function seatsOf({ places }: Scene): number {
  return places.filter(({ seat }) => seat !== null).length;
}
