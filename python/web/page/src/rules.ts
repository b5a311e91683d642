import { h } from "./dom";
import type { Table } from "./protocol";
import { isIn } from "./table";

/** The rules of a game, made from `stier/rules` when the page is built. */
export interface Rulebook {
  /** The name of the game for people. */
  title: string;
  /** The first sentence as HTML. */
  summary: string;
  /** All of it as HTML, without the title. */
  html: string;
  /** Words of the game with their meaning. */
  words: [string, string][];
}

const BOOKS = import.meta.glob<Rulebook>("../../../stier/rules/*.md", { eager: true, import: "default" });

/** Words that the rules take for granted. */
const COMMON: [string, string][] = [
  ["lead", "play the first card of a trick"],
  ["pile", "the cards to draw from, face down"],
];

export function rulebook(game: string): Rulebook {
  return BOOKS[`../../../stier/rules/${game}.md`] ?? { title: game, summary: "", html: "", words: [] };
}

/** The rules as a page beside the table. */
export function drawRules(game: string): HTMLElement {
  const box = h("div", { class: "rulebook", tabindex: 0, role: "region", "aria-label": "rules" });
  // Trusted: it is made from files of the project when the page is built.
  box.innerHTML = rulebook(game).html;
  return box;
}

/** The words of the game that can be read on a table, with their meaning. */
export function wordsOn(game: string, { scene, legal }: Table): [string, string][] {
  const places = scene.places.flatMap(({ groups, remarks }) => [
    ...remarks, ...groups.flatMap(({ name, cards }) => [name, ...cards.filter((card) => card !== null)]),
  ]);
  const text = [scene.next, ...scene.facts.flat(), ...legal.map(({ name }) => name), ...places].join(" ");
  return [...rulebook(game).words, ...COMMON].filter(([words]) => isIn(words, text));
}
