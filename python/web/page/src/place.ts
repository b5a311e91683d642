import { cardOf, drawBacks, drawFace, drawPile, drawSign, plain, suitInWords } from "./cards";
import { h } from "./dom";
import { type Drawing, drawKnown, drawText, drawWord, keyed } from "./drawing";
import { hasNoTrump, isGroup, marksOf, ofSeats } from "./facts";
import { moveButton, moveNamed } from "./moves";
import { seatName, seatsOf } from "./names";
import type { Face, Group, Place } from "./protocol";
import { isInTrick } from "./trick";
import { counted } from "./words";

export function drawPlace(drawing: Drawing, place: Place): HTMLElement {
  const { faces, options, table } = drawing;
  const { seat } = place;
  const suit = place.suit === null ? undefined : faces[place.suit];
  const acts = seat !== null && seat === table.seat;
  const isOver = table.seat === null;
  const groups = place.groups.filter(
    (group) => !isInTrick(table, place, group) && (group.cards.length > 0 || (group.layout === "row" && !isOver)),
  );
  const name = seatName(seat ?? 0, options.you, seatsOf(table.scene));
  const { parts, counts } = (seat === null ? null : marksOf(table, seat)) ?? {
    parts: [],
    counts: place.remarks.map((remark) => plain(remark)),
  };
  const tricks = seat === null ? null : ofSeats(table, "tricks")?.[seat];
  const remark = (words: string): HTMLElement => h("span", { class: "remark" }, drawText(drawing, words));
  return h(
    "div",
    {
      class: `place${acts ? " acts" : ""}`,
      role: "group",
      "aria-label": acts ? `${name}, to move` : name,
      "data-seat": seat,
    },
    h(
      "div",
      { class: "label" },
      h(
        "div",
        { class: "who" },
        h("strong", {}, name),
        suit && drawSuit(drawing, suit, seat === options.you),
        ...parts.map(remark),
      ),
      h(
        "div",
        { class: "has" },
        tricks != null && drawTricks(tricks, Number(seat)),
        ...counts.map(remark),
        ...drawNotes(drawing, place),
      ),
    ),
    h("div", { class: "groups" }, ...groups.map((group) => drawGroup(drawing, group))),
  );
}

/** The suit that counts for a seat. */
function drawSuit(drawing: Drawing, suit: Face, isOwn: boolean): HTMLElement {
  const word = "own suit";
  // There is room for the word at one seat.
  const words = isOwn
    ? [` ${word}`, h("span", { class: "unseen" }, ` ${suitInWords(suit)}`)]
    : [h("span", { class: "unseen" }, `${word} ${suitInWords(suit)}`)];
  const shown = [drawSign(suit), ...words];
  const isWord = drawing.options.words?.[word] !== undefined && !drawing.explained.has(word);
  return h("span", { class: "suit" }, ...(isWord ? [drawWord(drawing, word, ...shown)] : shown));
}

/** The tricks of a seat, one over the other, so that they can be counted. */
function drawTricks(count: number, seat: number): HTMLElement {
  const words = counted(count, "trick");
  return h(
    "span",
    { class: "tricks", "data-tricks": seat, role: "img", "aria-label": words },
    ...Array.from({ length: count }, () => h("span", { class: "taken" })),
    h("span", { class: "number" }, words),
  );
}

/** The meaning of the cards of a place that have a name of their own. */
function drawNotes(drawing: Drawing, { groups }: Place): (Node | string)[] {
  const { options, explained, faces } = drawing;
  const shown = new Set(groups.flatMap(({ cards }) => cards));
  const entries = Object.keys(options.words ?? {}).filter(
    (words) => !explained.has(words) && words.split(", ").some((word) => word in faces && shown.has(word)),
  );
  return entries.map((words) => h("span", { class: "remark" }, drawWord(drawing, words, words.split(", ")[0] ?? "")));
}

export function drawGroup(drawing: Drawing, group: Group): HTMLElement {
  const shown = group.cards.filter((card) => card !== null);
  const hidden = group.cards.length - shown.length;
  const name = isGroup(group, "trump") && hasNoTrump(drawing.table) ? "no trump" : plain(group.name);
  const isPile = group.layout === "pile";
  const caption = isGroup(group, "hand") ? null : h("span", { class: "caption", "aria-hidden": "true" }, name);
  const empty = group.cards.length === 0 && !isGroup(group, "hand") && group.layout === "row";
  const cards = h(
    "div",
    { class: "cards", "data-pile": isPile },
    ...shown.map((card) => markFresh(drawing, card, keyed(drawing, card, drawShown(drawing, group, card)))),
    hidden > 0 && (isPile ? drawPile(hidden) : drawBacks(hidden)),
    empty && h("span", { class: "card slot", role: "img", "aria-label": "no card" }),
  );
  const isHand = group.held && isGroup(group, "hand");
  if (isHand) {
    const most = Math.max(shown.length, drawing.options.most ?? 0);
    for (const [name, longest] of [
      ["wide", 12],
      // Two rows are all that a phone has room for.
      ["narrow", most > 14 ? 8 : 7],
    ] as const) {
      const rows = Math.ceil(most / longest);
      cards.style.setProperty(`--${name}-rows`, String(rows));
      cards.style.setProperty(`--${name}`, String(rows > 1 ? longest : most));
    }
  }
  return h(
    "div",
    {
      class: `group ${group.layout}${group.held ? " held" : ""}${isHand ? " hand" : ""}`,
      role: "group",
      "aria-label": name,
    },
    cards,
    caption,
  );
}

/** Marks a card that was just drawn. */
function markFresh({ options }: Drawing, card: string, picture: HTMLElement): HTMLElement {
  if (!options.fresh?.includes(card)) return picture;
  picture.classList.add("fresh");
  picture.setAttribute("aria-label", `${picture.getAttribute("aria-label")}, just drawn`);
  return picture;
}

/** A card that is seen: a button if a legal move names it. */
function drawShown(drawing: Drawing, group: Group, card: string): HTMLElement {
  const face = drawing.faces[card];
  const move =
    face &&
    moveNamed(drawing, (action) => {
      const named = cardOf(action, drawing.faces);
      // A move with words, such as "take", may mean a card in the middle; a bare card is played from the hand.
      return named.card === card && (named.words !== "" || group.held);
    });
  return move ? moveButton(drawing, move, "playable", drawFace(face)) : drawKnown(drawing, card);
}
