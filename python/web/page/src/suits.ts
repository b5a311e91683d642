import { SPECIAL } from "./count";
import type { Face, PublicNode } from "./protocol";

/**
 * The suits of a solved deck of Schwinget. The solver gives the trump suit the same name in every deal. The other suits are
 * alike: a row shows the first of the hands that differ only by their names. An equilibrium need not play them alike.
 */
export class Suits {
  readonly #faces: Record<string, Face>;
  /** A card of the suit that is shown as trump; undefined in games without one. */
  readonly trump: Face | undefined;

  constructor(openings: PublicNode[], faces: Record<string, Face>) {
    this.#faces = faces;
    this.trump = openings.flatMap(({ opening }) => faces[opening ?? ""] ?? []).find(isOfSuit);
  }

  /** The cards for which a card stands that is turned up, itself the first. */
  turned(card: string): string[] {
    const face = this.#faces[card];
    if (!face || !isOfSuit(face)) return [card];
    const isAlike = ([name, other]: [string, Face]): boolean =>
      name !== card && isOfSuit(other) && other.rank === face.rank;
    return [
      card,
      ...Object.entries(this.#faces)
        .filter(isAlike)
        .map(([name]) => name),
    ];
  }

  /** A text that is the same for hands that differ only by the names of suits that are alike. */
  keyOf(cards: string[]): string {
    const others = new Map<string, string[]>();
    const own: string[] = [];
    for (const card of cards) {
      const face = this.#faces[card];
      if (!this.trump || !face || !isOfSuit(face) || face.sign === this.trump.sign) own.push(card);
      else others.set(face.sign, [...(others.get(face.sign) ?? []), face.rank]);
    }
    return [own.join(" "), ...[...others.values()].map((ranks) => ranks.join(" ")).sort()].join("; ");
  }
}

function isOfSuit({ sign }: Face): boolean {
  return !SPECIAL.has(sign);
}
