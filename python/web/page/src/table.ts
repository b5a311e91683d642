import { boardOf, drawBoard } from "./board";
import { capital, plain } from "./cards";
import { h } from "./dom";
import { type Drawing, drawText, type TableOptions } from "./drawing";
import { drawFact } from "./facts";
import { drawMiddle } from "./middle";
import { drawMoves } from "./moves";
import { seatName, seatsOf } from "./names";
import { resultInWords } from "./outcome";
import { drawPlace } from "./place";
import type { Face, Table } from "./protocol";
import { drawTrack } from "./track";

/** The parts of a table: what all share, with the others around it, and the person's own cards and moves. */
interface TableParts {
  felt: HTMLElement;
  own: HTMLElement;
}

/** A state as one seat sees it. Legal moves are buttons: the cards themselves, and the other moves below. */
export function drawTable(table: Table, faces: Record<string, Face>, options: TableOptions): HTMLElement {
  const { felt, own } = drawParts(table, faces, options);
  const name = labelOf(table, options);
  return h("section", { class: `stier table${options.moves ? " choosing" : ""}`, "aria-label": name }, felt, own);
}

/** The name of a table. */
export function labelOf({ scene }: Table, { eyes, title }: TableOptions): string {
  return `${title ?? capital(plain(scene.title))}, ${eyes === null ? "all cards open" : "as you see it"}`;
}

/** The same in its parts. */
export function drawParts(table: Table, faces: Record<string, Face>, options: TableOptions): TableParts {
  const { scene } = table;
  const drawing: Drawing = { table, faces, options, placed: new Set(), explained: new Set(), drawn: new Map() };
  const board = boardOf(table);
  const seats = seatsOf(scene);
  const you = options.you ?? 0;
  const others = scene.places
    .filter(({ seat }) => seat !== null && seat !== options.you)
    .sort((a, b) => ((Number(a.seat) - you + seats) % seats) - ((Number(b.seat) - you + seats) % seats));
  const own = scene.places.find(({ seat }) => seat !== null && seat === options.you);
  // Where there is a board, they are its lines.
  const middle = board ? [] : scene.places.filter(({ seat }) => seat === null);
  const felt = h(
    "div",
    { class: "felt" },
    h("header", {}, options.title !== undefined && h("p", { class: "title" }, options.title), drawFacts(drawing)),
    others.length > 0 && h("div", { class: "others" }, ...others.map((place) => drawPlace(drawing, place))),
    scene.track.length > 0 && drawTrack(scene, faces),
    board && drawBoard(drawing, board),
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

function drawFacts(drawing: Drawing): HTMLElement {
  const { table, faces, options } = drawing;
  const facts = table.scene.facts.flatMap(([name, words]) => drawFact(table, name, words, faces, options.you) ?? []);
  return h(
    "dl",
    { class: "facts" },
    ...facts.map(({ name, value }) => h("div", {}, h("dt", {}, drawText(drawing, name)), h("dd", {}, ...value))),
  );
}
