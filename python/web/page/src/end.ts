import { drawBacks, drawCard } from "./cards";
import { h } from "./dom";
import { seatName } from "./names";
import type { Face } from "./protocol";
import type { Trick } from "./trick";

type Faces = Record<string, Face>;

/** The tricks of each seat with their cards, once all are played. */
export function drawHistory(tricks: Trick[], faces: Faces, you: number, seats: number): HTMLElement[] {
  const owners = Array.from({ length: seats }, (_, index) => (you + index) % seats);
  return owners.flatMap((seat) => {
    const own = tricks.filter((_, index) => ownerOf(tricks, index) === seat);
    const drawn = own.map(({ slots }) =>
      drawCards(
        slots.map(({ card }) => card ?? ""),
        faces,
      ),
    );
    return own.length === 0 ? [] : drawLine(`${seatName(seat, you, seats)} took`, drawn);
  });
}

/** The seat that has a trick in the end. A neutral one goes to the winner of the next. */
function ownerOf(tricks: Trick[], index: number): number | null {
  return tricks.slice(index).find(({ winner }) => winner !== null)?.winner ?? null;
}

/** The cards that nobody has seen until the end. */
export function drawUnseen(cards: string[], faces: Faces): HTMLElement[] {
  const drawn = cards.map((card) => drawCards([card], faces));
  return cards.length === 0 ? [] : [drawLine("Left over", drawn, "at-end unseen-cards")];
}

function drawLine(caption: string, cards: HTMLElement[], style = "at-end"): HTMLElement {
  return h(
    "div",
    { class: style, role: "group", "aria-label": caption },
    h("span", { class: "caption", "aria-hidden": "true" }, caption),
    ...cards,
  );
}

/** Cards side by side. */
function drawCards(cards: string[], faces: Faces): HTMLElement {
  const pictures = cards.map((card) => faces[card]).map((face) => (face ? drawCard(face) : drawBacks(1)));
  return h("span", { class: "tiny" }, ...pictures);
}
