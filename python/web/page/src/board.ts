import { h } from "./dom";
import type { Drawing } from "./drawing";
import { factOf } from "./facts";
import { moveButton, moveNamed } from "./moves";
import { seatInSentence, seatsOf } from "./names";
import type { Table, Value } from "./protocol";

/** The rows of a board: for each cell the seat whose stone is on it, or null. Null in games without a board. */
export function boardOf(table: Table): Value[][] | null {
  const rows = factOf(table, "board");
  return Array.isArray(rows) && rows.every((row) => Array.isArray(row)) ? rows : null;
}

/** A board of cells, with the names of columns above it and the number of each row before it. */
export function drawBoard(drawing: Drawing, rows: Value[][]): HTMLElement {
  const columns = (rows[0] ?? []).map((_, column) => String.fromCharCode("a".charCodeAt(0) + column));
  return h(
    "div",
    { class: "board", role: "group", "aria-label": "board" },
    h(
      "div",
      { class: "line", "aria-hidden": "true" },
      ...columns.map((name) => h("span", { class: "cell name" }, name)),
    ),
    ...rows.map((stones, row) => drawLine(drawing, columns, row, stones)),
  );
}

/** A row of the board. Each is half a cell further to the right than the one above. */
function drawLine(drawing: Drawing, columns: string[], row: number, stones: Value[]): HTMLElement {
  const line = h(
    "div",
    { class: "line" },
    h("span", { class: "cell name", "aria-hidden": "true" }, row + 1),
    ...stones.map((stone, column) => drawCell(drawing, `${columns[column]}${row + 1}`, stone)),
  );
  line.style.setProperty("--shift", String(row));
  return line;
}

function drawCell(drawing: Drawing, name: string, stone: Value): HTMLElement {
  const move = moveNamed(drawing, (action) => action === name);
  if (move) return moveButton(drawing, move, "cell", name);
  const { options, table } = drawing;
  if (typeof stone !== "number")
    return h("span", { class: "cell stone-none", role: "img", "aria-label": `${name}: empty, as far as known` });
  const words = `${name}: stone of ${seatInSentence(stone, options.you, seatsOf(table.scene))}`;
  const side = options.you == null ? stone : stone === options.you ? 0 : 1;
  return h("span", { class: `cell stone-${side}`, role: "img", "aria-label": words }, options.you == null && stone);
}
