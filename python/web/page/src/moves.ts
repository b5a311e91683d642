import { actionInWords } from "./cards";
import { h } from "./dom";
import { type Drawing, drawMeaning, type TableOptions } from "./drawing";
import type { Move } from "./protocol";

/** Moves that no game explains among its words. */
export const MEANINGS: Record<string, string> = {
  flip: "UP becomes DOWN, or DOWN becomes UP",
  rotate: "every player gets another own suit",
  roll: "the trump value changes",
  swap_all: "your hand for the cards on the table",
};

export function moveNamed({ table, options, placed }: Drawing, fits: (action: string) => boolean): Move | undefined {
  const move = options.moves && table.legal.find(({ name }) => fits(name));
  if (move) placed.add(move.id);
  return move;
}

export function moveButton(
  { table, faces, options }: Drawing,
  move: Move,
  style: string,
  face: Node | string,
): HTMLElement {
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
export function drawMoves(drawing: Drawing): HTMLElement | null {
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
