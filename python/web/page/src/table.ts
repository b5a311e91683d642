import {
  actionInWords,
  capital,
  cardOf,
  drawBacks,
  drawCard,
  drawFace,
  drawPile,
  drawSign,
  plain,
  suitInWords,
} from "./cards";
import { h } from "./dom";
import { drawFact, factOf, isGroup, marksOf, ofSeats } from "./facts";
import { seatInSentence, seatName, seatsOf } from "./names";
import type { Face, Group, Move, Place, Scene, Table } from "./protocol";
import { drawTrack } from "./track";
import { isInTrick, type Slot, type Trick, trickOf } from "./trick";
import { counted, signed } from "./words";

/** Moves that no game explains among its words. */
export const MEANINGS: Record<string, string> = {
  flip: "UP becomes DOWN, or DOWN becomes UP",
  rotate: "every player gets another own suit",
  roll: "the trump value changes",
  swap_all: "your hand for the cards on the table",
};

export interface TableOptions {
  /** The seat whose view this is; null if all cards are open. */
  eyes: number | null;
  /** The seat of the person, called "you". */
  you?: number | null;
  /** Called with the chosen move. Without it, nothing can be clicked. */
  moves?: (move: Move) => void;
  title?: string;
  /** The meaning of words of the game: shown with the moves that they name, and where they are touched. */
  words?: Record<string, string>;
  /** False if digits are not keys for the moves. */
  digits?: boolean;
  /** False if the next event and the result stand elsewhere. */
  next?: boolean;
  /** The last trick, which stays until the next one begins. */
  last?: Trick | undefined;
  /** The move that is recommended, by id. */
  best?: number | undefined;
  /** The number of cards for which the person's hand has room, if it had more before. */
  most?: number;
}

/** The parts of a table: what all share, with the others around it, and the person's own cards and moves. */
interface TableParts {
  felt: HTMLElement;
  own: HTMLElement;
}

/** The things that all parts of one table share. */
interface Drawing {
  table: Table;
  faces: Record<string, Face>;
  options: TableOptions;
  /** The moves that a card or a cell of the table stands for, by id. */
  placed: Set<number>;
  /** The words that are explained on it. */
  explained: Set<string>;
  /** The number of times that each card has been drawn: several can be alike. */
  drawn: Map<string, number>;
}

/** A state as one seat sees it. Legal moves are buttons: the cards themselves, and the other moves below. */
export function drawTable(table: Table, faces: Record<string, Face>, options: TableOptions): HTMLElement {
  const { felt, own } = drawParts(table, faces, options);
  const name = labelOf(table, options);
  return h("section", { class: `stier table${options.moves ? " choosing" : ""}`, "aria-label": name }, felt, own);
}

/** The name of a table. */
export function labelOf({ scene }: Table, { eyes, you, title }: TableOptions): string {
  const view = eyes === null ? "all cards open" : eyes === you ? "as you see it" : `as seat ${eyes} sees it`;
  return `${title ?? capital(plain(scene.title))}, ${view}`;
}

/** The same in its parts. */
export function drawParts(table: Table, faces: Record<string, Face>, options: TableOptions): TableParts {
  const { scene } = table;
  const drawing: Drawing = { table, faces, options, placed: new Set(), explained: new Set(), drawn: new Map() };
  const board = scene.places.filter((place) => isBoard(scene, place));
  const seats = seatsOf(scene);
  const you = options.you ?? 0;
  const others = scene.places
    .filter(({ seat }) => seat !== null && seat !== options.you)
    .sort((a, b) => ((Number(a.seat) - you + seats) % seats) - ((Number(b.seat) - you + seats) % seats));
  const own = scene.places.find(({ seat }) => seat !== null && seat === options.you);
  const middle = scene.places.filter((place) => place.seat === null && !board.includes(place));
  const felt = h(
    "div",
    { class: "felt" },
    h("header", {}, options.title !== undefined && h("p", { class: "title" }, options.title), drawFacts(drawing)),
    others.length > 0 && h("div", { class: "others" }, ...others.map((place) => drawPlace(drawing, place))),
    scene.track.length > 0 && drawTrack(scene, faces),
    board.length > 0 &&
      drawBoard(
        drawing,
        board.flatMap((place) => place.remarks),
      ),
    drawMiddle(drawing, middle),
    options.next !== false && drawNext(drawing),
  );
  return {
    felt,
    own: h("div", { class: "own" }, own && drawPlace(drawing, own), drawMoves(drawing)),
  };
}

/** The next event, or the result. */
function drawNext({ table, options: { you } }: Drawing): HTMLElement {
  if (table.returns) return h("p", { class: "result" }, resultInWords(table.returns, you));
  if (table.seat === null) return h("p", { class: "next" }, "The game is over.");
  const name = seatName(table.seat, you, seatsOf(table.scene));
  return h("p", { class: "next" }, `${name} ${name === "You" ? "are" : "is"} to move.`);
}

/** The result of a game, such as "You win: you +3, the opponent −3." */
export function resultInWords(returns: number[], you: number | null | undefined): string {
  const best = Math.max(...returns);
  const own = returns[you ?? -1];
  const verdict =
    own === undefined
      ? "The game is over"
      : own < best
        ? "You lose"
        : returns.every((value) => value === best)
          ? "A draw"
          : "You win";
  const all = returns.map((value, seat) => `${seatInSentence(seat, you, returns.length)} ${signed(value)}`);
  return `${verdict}: ${all.join(", ")}.`;
}

function drawFacts(drawing: Drawing): HTMLElement {
  const { table, faces, options } = drawing;
  const facts = table.scene.facts.flatMap(([name, words]) => drawFact(table, name, words, faces, options.you) ?? []);
  return h(
    "dl",
    { class: "facts" },
    ...facts.map(({ name, value }) => h("div", {}, h("dt", {}, drawText(drawing, name)), h("dd", {}, ...value))),
  );
}

/** A text. The first word of the game in it that is not explained yet is a button that opens its meaning. */
function drawText(drawing: Drawing, text: string): Node | string {
  const { options, explained } = drawing;
  const words = Object.keys(options.words ?? {}).find((one) => !explained.has(one) && isIn(one, text));
  return words === undefined ? text : drawWord(drawing, words, text);
}

/** A text or a picture as a button that opens the meaning of a word in it. */
function drawWord({ options, explained }: Drawing, words: string, ...shown: (Node | string)[]): Node {
  explained.add(words);
  return drawMeaning(h("button", { type: "button", class: "word" }, ...shown), [[words, options.words?.[words] ?? ""]]);
}

/** A button that opens the meaning of some words. All explanations open in this way: by mouse, by touch and by keys. */
function drawMeaning(button: HTMLButtonElement, meanings: [string, string][]): HTMLElement {
  const entries = meanings.map(([words, meaning]) => h("span", {}, h("b", {}, words), ` ${meaning}`));
  const meaning = h("span", { class: "meaning", popover: "auto" }, ...entries);
  button.popoverTargetElement = meaning;
  return h("span", {}, button, meaning);
}

/** True if a text has one of some words of a game, such as "referee, KR". */
export function isIn(words: string, text: string): boolean {
  return words.split(", ").some((word) => spaced(text).includes(spaced(word).trimEnd()));
}

/** Lower case, with a space before each word. */
function spaced(text: string): string {
  return ` ${text.toLowerCase().replace(/[^\p{L}\d&]+/gu, " ")}`;
}

/** Several places without a seat are the lines of a board. */
function isBoard({ places }: Scene, { seat }: Place): boolean {
  return seat === null && places.filter((place) => place.seat === null).length > 1;
}

/** A board of cells: a line of column names, then a line for each row that begins with its number. */
function drawBoard(drawing: Drawing, lines: string[]): HTMLElement {
  const columns = (lines[0] ?? "").trim().split(/\s+/);
  const rows = lines.slice(1).map((line) => line.trim().split(/\s+/));
  return h(
    "div",
    { class: "board", role: "group", "aria-label": "board" },
    h(
      "div",
      { class: "line", "aria-hidden": "true" },
      ...columns.map((name) => h("span", { class: "cell name" }, name)),
    ),
    ...rows.map(([row = "", ...stones], index) => drawLine(drawing, columns, row, stones, index)),
  );
}

/** A row of the board. Each is half a cell further to the right than the one above. */
function drawLine(drawing: Drawing, columns: string[], row: string, stones: string[], shift: number): HTMLElement {
  const line = h(
    "div",
    { class: "line" },
    h("span", { class: "cell name", "aria-hidden": "true" }, row),
    ...stones.map((stone, column) => drawCell(drawing, `${columns[column]}${row}`, stone)),
  );
  line.style.setProperty("--shift", String(shift));
  return line;
}

function drawCell(drawing: Drawing, name: string, stone: string): HTMLElement {
  const move = moveNamed(drawing, (action) => action === name);
  if (move) return moveButton(drawing, move, "cell", name);
  const { options, table } = drawing;
  const owner = seatInSentence(Number(stone), options.you, seatsOf(table.scene));
  const words = stone === "." ? `${name}: empty, as far as known` : `${name}: stone of ${owner}`;
  const side = stone === "." ? "none" : options.you == null ? stone : stone === String(options.you) ? 0 : 1;
  return h("span", { class: `cell stone-${side}`, role: "img", "aria-label": words }, options.you == null && stone);
}

/** Draws the middle: piles, open cards and the trick. */
function drawMiddle(drawing: Drawing, places: Place[]): HTMLElement | null {
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

function drawKnown({ faces }: Drawing, card: string): HTMLElement {
  const face = faces[card];
  return face ? drawCard(face) : h("span", {}, card);
}

/** Marks the picture of a card with its name, and a number if there are several like it, so that it can be followed. */
function keyed({ drawn }: Drawing, card: string, picture: HTMLElement): HTMLElement {
  const count = drawn.get(card) ?? 0;
  drawn.set(card, count + 1);
  picture.dataset["card"] = card;
  picture.dataset["key"] = `${card} ${count}`;
  return picture;
}

function drawPlace(drawing: Drawing, place: Place): HTMLElement {
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
      h("div", { class: "who" }, h("strong", {}, name), suit && drawSuit(drawing, suit), ...parts.map(remark)),
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
function drawSuit(drawing: Drawing, suit: Face): HTMLElement {
  const word = "own suit";
  const shown = [drawSign(suit), h("span", { class: "unseen" }, `${word} ${suitInWords(suit)}`)];
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

/** The number of cards that a seat holds. */
export function handSize({ scene }: Table, seat: number): number {
  const groups = scene.places.find((place) => place.seat === seat)?.groups.filter(({ held }) => held) ?? [];
  return Math.max(0, ...groups.map(({ cards }) => cards.length));
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

function drawGroup(drawing: Drawing, group: Group): HTMLElement {
  const shown = group.cards.filter((card) => card !== null);
  const hidden = group.cards.length - shown.length;
  const name = plain(group.name);
  const isPile = group.layout === "pile";
  const caption = isGroup(group, "hand") ? null : h("span", { class: "caption", "aria-hidden": "true" }, name);
  const empty = group.cards.length === 0 && !isGroup(group, "hand") && group.layout === "row";
  const cards = h(
    "div",
    { class: "cards", "data-pile": isPile },
    ...shown.map((card) => keyed(drawing, card, drawShown(drawing, group, card))),
    hidden > 0 && (isPile ? drawPile(hidden) : drawBacks(hidden)),
    empty && h("span", { class: "card slot", role: "img", "aria-label": "no card" }),
  );
  const isHand = group.held && isGroup(group, "hand");
  if (isHand) {
    const most = Math.max(shown.length, drawing.options.most ?? 0);
    for (const [name, longest] of [
      ["wide", 12],
      ["narrow", 7],
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

function moveNamed({ table, options, placed }: Drawing, fits: (action: string) => boolean): Move | undefined {
  const move = options.moves && table.legal.find(({ name }) => fits(name));
  if (move) placed.add(move.id);
  return move;
}

function moveButton({ table, faces, options }: Drawing, move: Move, style: string, face: Node | string): HTMLElement {
  const words = actionInWords(move.name, faces);
  const number = table.legal.indexOf(move) + 1;
  const digit = options.digits !== false && number < 10 && number;
  return h(
    "button",
    {
      type: "button",
      class: `${style}${move.id === options.best ? " best" : ""}`,
      "aria-label": style === "playable" && words,
      "aria-keyshortcuts": digit,
      "data-digit": digit,
      "data-move": move.id,
      click: () => options.moves?.(move),
    },
    face,
  );
}

/** The meaning of a move, from the words of the game or else from here. */
function meaningOf({ name }: Move, { words }: TableOptions): string | undefined {
  return words?.[name] ?? MEANINGS[name.split(":")[0] ?? ""];
}

/** The moves that no card or cell stands for. Where cards are all that is played, there is no room for them. */
function drawMoves(drawing: Drawing): HTMLElement | null {
  const { faces, options, placed, table } = drawing;
  const rest = options.moves ? table.legal.filter(({ id }) => !placed.has(id)) : [];
  if (rest.length === 0)
    return table.scene.track.length > 0 || table.seat === null ? null : h("div", { class: "moves" });
  const meanings = rest.flatMap((move): [string, string][] => {
    const meaning = meaningOf(move, options);
    return meaning ? [[actionInWords(move.name, faces), meaning]] : [];
  });
  // Where there is no room for the meanings.
  const ask = h("button", { type: "button", class: "ask", "aria-label": "what these moves mean" }, "?");
  return h(
    "div",
    { class: "moves", role: "group", "aria-label": "other moves" },
    ...rest.map((move) => {
      const about = meaningOf(move, options);
      const words = h("span", {}, h("b", {}, actionInWords(move.name, faces)), about && h("small", {}, about));
      return moveButton(drawing, move, "move", words);
    }),
    rest.length > 1 && meanings.length > 0 && drawMeaning(ask, meanings),
  );
}
