import { drawBacks, plain } from "./cards";
import { h } from "./dom";
import { type Drawing, drawKnown, drawText, keyed } from "./drawing";
import { factOf } from "./facts";
import { seatName, seatsOf } from "./names";
import { drawGroup } from "./place";
import type { Place } from "./protocol";
import { isInTrick, type Slot, trickOf } from "./trick";

/** Draws the middle: piles, open cards and the trick. */
export function drawMiddle(drawing: Drawing, places: Place[]): HTMLElement | null {
  const { table } = drawing;
  const trick = trickOf(table);
  const groups = places.flatMap((place) =>
    place.groups.filter(
      (group) => !isInTrick(table, place, group) && (group.cards.length > 0 || group.layout === "row"),
    ),
  );
  const remarks = trick ? [] : places.flatMap((place) => place.remarks);
  if (!trick && groups.length === 0 && remarks.length === 0) return null;
  const waits = factOf(table, "neutral_trick") === true;
  return h(
    "div",
    { class: "middle", role: "group", "aria-label": "Table" },
    h(
      "div",
      { class: "groups" },
      ...groups.map((group) => drawGroup(drawing, group)),
      trick &&
        factOf(table, "neutral_trick") !== undefined &&
        h("p", { class: "waits" }, waits && drawText(drawing, "a neutral trick waits")),
    ),
    trick && drawTrick(drawing, trick),
    ...remarks.map((remark) => h("p", { class: "remark" }, drawText(drawing, plain(remark)))),
  );
}

/** The trick on the table, or the last one until a card of the next lies there. */
function drawTrick(drawing: Drawing, { slots, leader }: { slots: Slot[]; leader: number | null }): HTMLElement {
  const {
    options: { last, you },
    table,
  } = drawing;
  const isEmpty = slots.every(({ card }) => card === undefined);
  const over = last && (isEmpty || slots.every(({ card, seat }) => card === last.slots[seat]?.card)) ? last : null;
  const shown = over?.slots ?? slots;
  const first = over ? over.leader : leader;
  const seats = shown.length;
  const order = shown.map((_, index) => shown[((you ?? -1) + 1 + index) % seats]).filter((slot) => slot !== undefined);
  return h(
    "div",
    { class: "trick", role: "group", "aria-label": over ? "last trick" : "trick" },
    ...order.map(({ seat, card }) => {
      const name = seatName(seat, you, seatsOf(table.scene));
      const won = over?.winner === seat;
      const words = won ? `${name}, wins` : name;
      return h(
        "div",
        { class: `slot${won ? " won" : ""}`, "data-slot": seat, role: "group", "aria-label": words },
        card === undefined
          ? h("span", { class: "card slot", role: "img", "aria-label": "no card" })
          : card === null
            ? drawBacks(1)
            : keyed(drawing, card, drawKnown(drawing, card)),
        h("span", { class: "caption" }, `${name}${seat === first && !over ? " led" : ""}`),
      );
    }),
  );
}
