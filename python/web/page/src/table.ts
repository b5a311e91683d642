import {
  actionInWords, cardOf, cardsInWords, drawBacks, drawCard, drawFace, drawPile, drawSign, faceInWords, plain,
  suitInWords,
} from "./cards";
import { h, s } from "./dom";
import type { Face, Group, Move, Place, Scene, Table } from "./protocol";

export interface TableOptions {
  /** The seat whose view this is; null if all cards are open. */
  eyes: number | null;
  /** The seat of the person, called "you". */
  you?: number | null;
  /** Called with the chosen move. Without it, nothing can be clicked. */
  moves?: (move: Move) => void;
  title?: string;
  /** The meaning of words of the game: shown with the moves and cards that they name, and where they are touched. */
  words?: Record<string, string>;
  /** False if digits are not keys for the moves. */
  digits?: boolean;
  /** False if the result of the game stands elsewhere. */
  result?: boolean;
}

/** What all parts of one table share. */
interface Drawing {
  table: Table;
  faces: Record<string, Face>;
  options: TableOptions;
  /** The moves that a card or a cell of the table stands for, by id. */
  placed: Set<number>;
  /** The words that are explained on it. */
  explained: Set<string>;
}

/** A state as one seat sees it. Legal moves are buttons: the cards themselves, and the other moves below. */
export function drawTable(table: Table, faces: Record<string, Face>, options: TableOptions): HTMLElement {
  const { scene } = table;
  const drawing: Drawing = { table, faces, options, placed: new Set(), explained: new Set() };
  const title = options.title ?? scene.title;
  const board = scene.places.filter(isBoard);
  const places = scene.places.filter((place) => !isBoard(place));
  const own = (place: Place): number => Number(place.seat !== null && place.seat === options.you);
  places.sort((a, b) => own(a) - own(b));
  const eyes = options.eyes === null ? "all cards open" : `as seat ${options.eyes} sees it`;
  return h(
    "section", { class: `stier table${options.moves ? " choosing" : ""}`, "aria-label": `${title}, ${eyes}` },
    h("header", {}, h("p", { class: "title" }, title), drawFacts(drawing)),
    scene.track.length > 0 && drawTrack(scene, faces),
    board.length > 0 && drawBoard(drawing, board.flatMap((place) => place.remarks)),
    ...places.map((place) => drawPlace(drawing, place)),
    drawNext(drawing),
    options.moves && drawMoves(drawing),
  );
}

/** The next event, or the result. */
function drawNext({ table: { scene, returns }, faces, options: { you, result } }: Drawing): HTMLElement | null {
  const next = cardsInWords(scene.next, faces).replace(`seat ${you} `, `seat ${you} (you) `);
  if (!returns) return h("p", { class: "next" }, next);
  return result === false ? null : h("p", { class: "result" }, resultInWords(returns, you));
}

/** The result of a game, such as "You win: you +3, seat 1 −3." */
export function resultInWords(returns: number[], you: number | null | undefined): string {
  const best = Math.max(...returns);
  const own = returns[you ?? -1];
  const verdict = own === undefined ? "The game is over"
    : own < best ? "You lose" : returns.every((value) => value === best) ? "A draw" : "You win";
  const all = returns.map((value, seat) => `${seat === you ? "you" : `seat ${seat}`} ${signed(value)}`);
  return `${verdict}: ${all.join(", ")}.`;
}

/** Words with "you" for the person's own seat. */
function forYou(words: string, { you }: TableOptions): string {
  return words.replace(`seat ${you} `, "you ");
}

/** A value with its sign, with this number of decimal places or at most three. */
export function signed(value: number, places?: number): string {
  const size = places === undefined ? String(Number(Math.abs(value).toFixed(3))) : Math.abs(value).toFixed(places);
  return `${Number(size) === 0 ? "" : value < 0 ? "−" : "+"}${size}`;
}

/** What a place is called. */
export function seatInWords(seat: number, you: number | null | undefined): string {
  return seat === you ? `You (seat ${seat})` : `Seat ${seat}`;
}

function drawFacts(drawing: Drawing): HTMLElement {
  const facts = drawing.table.scene.facts.map(([name, value]) =>
    h("div", {}, h("dt", {}, drawText(drawing, plain(name))), h("dd", {}, cardsInWords(value, drawing.faces))));
  return h("dl", { class: "facts" }, ...facts);
}

/** A text. The first word of the game in it that is not explained yet is a button that opens its meaning. */
function drawText({ options, explained }: Drawing, text: string): Node | string {
  const entries = Object.entries(options.words ?? {});
  const [words, about] = entries.find(([words]) => !explained.has(words) && isIn(words, text)) ?? [];
  if (words === undefined) return text;
  explained.add(words);
  const meaning = h("span", { class: "meaning", popover: "auto" }, h("b", {}, words), ` ${about}`);
  const button = h("button", { type: "button", class: "word" }, text);
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

/** Lines of text in the middle of the table. The first names the columns by single letters. */
function isBoard(place: Place): boolean {
  return place.seat === null && place.groups.length === 0 && /^\s*\w( +\w)*$|^\d+ /.test(place.remarks[0] ?? "");
}

/** A board of cells: a line of column names, then a line for each row that begins with its number. */
function drawBoard(drawing: Drawing, lines: string[]): HTMLElement {
  const columns = (lines[0] ?? "").trim().split(/\s+/);
  const rows = lines.slice(1).map((line) => line.trim().split(/\s+/));
  return h(
    "div", { class: "board", role: "group", "aria-label": "board" },
    h(
      "div", { class: "line", "aria-hidden": "true" },
      ...columns.map((name) => h("span", { class: "cell name" }, name)),
    ),
    ...rows.map(([row = "", ...stones], index) => drawLine(drawing, columns, row, stones, index)),
  );
}

/** A row of the board. Each is half a cell further to the right than the one above. */
function drawLine(drawing: Drawing, columns: string[], row: string, stones: string[], shift: number): HTMLElement {
  const line = h(
    "div", { class: "line" },
    h("span", { class: "cell name", "aria-hidden": "true" }, row),
    ...stones.map((stone, column) => drawCell(drawing, `${columns[column]}${row}`, stone)),
  );
  line.style.setProperty("--shift", String(shift));
  return line;
}

function drawCell(drawing: Drawing, name: string, stone: string): HTMLElement {
  const move = moveNamed(drawing, (action) => action === name);
  if (move) return moveButton(drawing, move, "cell", name);
  const words = stone === "." ? `${name}: empty, as far as known` : `${name}: stone of seat ${stone}`;
  return h("span", { class: `cell stone-${stone === "." ? "none" : stone}`, role: "img", "aria-label": words }, stone);
}

function drawPlace(drawing: Drawing, place: Place): HTMLElement {
  const { faces, options, table } = drawing;
  const suit = place.suit === null ? undefined : faces[place.suit];
  const acts = place.seat !== null && place.seat === table.seat;
  const isOver = table.seat === null;
  const groups = place.groups.filter(({ cards, layout }) => cards.length > 0 || (layout === "row" && !isOver));
  const name = place.seat === null ? "Table" : seatInWords(place.seat, options.you);
  return h(
    "div", { class: `place${acts ? " acts" : ""}${place.seat === null ? " middle" : ""}`, role: "group",
      "aria-label": acts ? `${name}, to move` : name },
    h(
      "div", { class: "label" },
      h("strong", {}, name),
      suit && h("span", { class: "suit" }, "own suit ", drawSign(suit), suitInWords(suit)),
      ...place.remarks.map((remark) =>
        h("span", { class: "remark" }, drawText(drawing, plain(remark.replace(": ", " "))))),
    ),
    h("div", { class: "groups" }, ...groups.map((group) => drawGroup(drawing, group)), ...drawNotes(drawing, place)),
  );
}

/** The meaning of the cards of a place that have a name of their own. */
function drawNotes({ options, explained }: Drawing, { groups }: Place): HTMLElement[] {
  const shown = new Set(groups.flatMap(({ cards }) => cards));
  const entries = Object.entries(options.words ?? {}).filter(([words]) =>
    !explained.has(words) && words.split(", ").some((word) => shown.has(word)));
  return entries.map(([words, about]) => {
    explained.add(words);
    return h("p", { class: "note" }, h("b", {}, words), ` ${about}`);
  });
}

function drawGroup(drawing: Drawing, group: Group): HTMLElement {
  const { faces } = drawing;
  const shown = group.cards.filter((card) => card !== null);
  const hidden = group.cards.length - shown.length;
  const name = forYou(plain(group.name), drawing.options);
  const caption = group.name === "hand" ? null : h("span", { class: "caption", "aria-hidden": "true" }, name);
  const empty = group.cards.length === 0 && group.name !== "hand" && group.layout === "row";
  const many = shown.length > 7 ? " many" : "";
  return h(
    "div", { class: `group ${group.layout}${group.held ? " held" : ""}${many}`, role: "group", "aria-label": name },
    caption,
    h(
      "div", { class: "cards" },
      ...shown.map((card) => drawShown(drawing, group, card, faces[card])),
      hidden > 0 && (group.layout === "pile" ? drawPile(hidden) : drawBacks(hidden)),
      empty && h("span", { class: "card slot", role: "img", "aria-label": "no card" }),
    ),
  );
}

/** A card that is seen: a button if a legal move names it. */
function drawShown(drawing: Drawing, group: Group, card: string, face: Face | undefined): HTMLElement {
  if (!face) return h("span", {}, card);
  const move = moveNamed(drawing, (action) => {
    const named = cardOf(action, drawing.faces);
    // A move with words, such as "take", may mean a card in the middle; a bare card is played from the hand.
    return named.card === card && (named.words !== "" || group.held);
  });
  const picture = move ? moveButton(drawing, move, "playable", drawFace(face)) : drawCard(face);
  picture.dataset["card"] = card;
  return picture;
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
    "button", { type: "button", class: style, "aria-label": style === "playable" && words, title: words,
      "aria-keyshortcuts": digit, "data-digit": digit,
      "data-move": move.id, click: () => options.moves?.(move) },
    face,
  );
}

/** The moves that no card or cell stands for. */
function drawMoves(drawing: Drawing): HTMLElement | null {
  const { faces, options, placed, table } = drawing;
  const rest = table.legal.filter(({ id }) => !placed.has(id));
  if (rest.length === 0) return null;
  return h(
    "div", { class: "moves", role: "group", "aria-label": "other moves" },
    ...rest.map((move) => {
      const about = options.words?.[move.name];
      const words = h("span", {}, h("b", {}, actionInWords(move.name, faces)), about && h("small", {}, about));
      return moveButton(drawing, move, "move", words);
    }),
  );
}

/** A closed track: spaces along an oval, from the upper left, clockwise. */
function drawTrack(scene: Scene, faces: Record<string, Face>): HTMLElement {
  const pitch = 35;
  const around = pitch * scene.track.length;
  const radius = Math.min(46, around / (2 * Math.PI));
  const straight = around / 2 - Math.PI * radius;
  const spaces = scene.track.map(({ piece, food }, index) => {
    const [x, y] = onOval(pitch * index, straight, radius);
    const face = piece === null ? undefined : faces[piece];
    const inside = face
      ? [s("circle", { r: 15.5 }), s("text", { y: 5 }, face.rank)]
      : [s("circle", { r: 14 }), food ? s("circle", { r: 6, class: "food" }) : s("text", { y: 4 }, index)];
    const style = face ? `space hue-${face.hue}` : "space free";
    return s("g", { class: style, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, ...inside);
  });
  const box = `${-radius - 20} -20 ${straight + 2 * radius + 40} ${2 * radius + 40}`;
  const picture = s("svg", { viewBox: box, role: "img", "aria-label": trackInWords(scene, faces) }, ...spaces);
  // On a narrow screen it scrolls.
  return h("div", { class: "way", tabindex: 0, role: "group", "aria-label": "track" }, picture);
}

function trackInWords({ track }: Scene, faces: Record<string, Face>): string {
  const pieces = track.flatMap(({ piece }, index) => {
    const face = piece === null ? undefined : faces[piece];
    return face ? [`${faceInWords(face)} on ${index}`] : [];
  });
  const food = track.flatMap((space, index) => (space.food ? [index] : []));
  const tail = food.length > 0 ? `; food on ${food.join(", ")}` : "";
  return `Track of ${track.length} spaces: ${pieces.join(", ")}${tail}`;
}

/** A point of an oval, at this distance from the upper left end of its straight, clockwise. */
function onOval(way: number, straight: number, radius: number): [number, number] {
  const bend = Math.PI * radius;
  if (way < straight) return [way, 0];
  if (way < straight + bend) {
    const angle = (way - straight) / radius;
    return [straight + radius * Math.sin(angle), radius - radius * Math.cos(angle)];
  }
  if (way < 2 * straight + bend) return [2 * straight + bend - way, 2 * radius];
  const angle = (way - 2 * straight - bend) / radius;
  return [-radius * Math.sin(angle), radius + radius * Math.cos(angle)];
}
