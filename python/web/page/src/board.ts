import { h } from "./dom";
import type { Drawing } from "./drawing";
import { moveButton, moveNamed } from "./moves";
import { seatInSentence, seatsOf } from "./names";
import type { Place, Scene } from "./protocol";

/** Several places without a seat are the lines of a board. */
export function isBoard({ places }: Scene, { seat }: Place): boolean {
  return seat === null && places.filter((place) => place.seat === null).length > 1;
}

/** A board of cells: a line of column names, then a line for each row that begins with its number. */
export function drawBoard(drawing: Drawing, lines: string[]): HTMLElement {
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
