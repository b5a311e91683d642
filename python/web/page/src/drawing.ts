import { drawCard } from "./cards";
import { h } from "./dom";
import type { Face, Move, Table } from "./protocol";
import type { Trick } from "./trick";

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
  last?: Trick | null | undefined;
  /** The move that is recommended, by id. */
  best?: number | undefined;
  /** The cards that the person has just drawn. */
  fresh?: string[];
  /** The number of cards for which the person's hand has room, if it had more before. */
  most?: number;
}

/** The things that all parts of one table share. */
export interface Drawing {
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

/** A text. The first word of the game in it that is not explained yet is a button that opens its meaning. */
export function drawText(drawing: Drawing, text: string): Node | string {
  const { options, explained } = drawing;
  const words = Object.keys(options.words ?? {}).find((one) => !explained.has(one) && isIn(one, text));
  return words === undefined ? text : drawWord(drawing, words, text);
}

/** A text or a picture as a button that opens the meaning of words of the game: the first of them is for people. */
export function drawWord({ options, explained }: Drawing, words: string, ...shown: (Node | string)[]): Node {
  explained.add(words);
  const [word = words] = words.split(", ");
  return drawMeaning(h("button", { type: "button", class: "word" }, ...shown), [[word, options.words?.[words] ?? ""]]);
}

/** A button that opens the meaning of some words. All explanations open in this way: by mouse, by touch and by keys. */
export function drawMeaning(button: HTMLButtonElement, meanings: [string, string][]): HTMLElement {
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

export function drawKnown({ faces }: Drawing, card: string): HTMLElement {
  const face = faces[card];
  return face ? drawCard(face) : h("span", {}, card);
}

/** Marks the picture of a card with its name, and a number if there are several like it, so that it can be followed. */
export function keyed({ drawn }: Drawing, card: string, picture: HTMLElement): HTMLElement {
  const count = drawn.get(card) ?? 0;
  drawn.set(card, count + 1);
  picture.dataset["card"] = card;
  picture.dataset["key"] = `${card} ${count}`;
  return picture;
}
