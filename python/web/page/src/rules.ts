import { drawCard } from "./cards";
import { h } from "./dom";
import { isIn } from "./drawing";
import type { Face, Table } from "./protocol";

/** The rules of a game, made from `stier/rules` when the page is built. */
interface Rulebook {
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

/** The goal of each game, in a line. */
const GOALS: Record<string, string> = {
  schwinget: "Win more tricks than the opponent, or every trick after an attack.",
  up_and_down: "Take the most tricks: only your own suit and trumps win.",
  schweins_galopp: "Move pigs into the lead for food. Your last card decides whether you keep it.",
  schwimmen: "Collect three cards of one suit, or three alike: the lowest hand loses.",
};

/** The goal of a game, as HTML. */
export function goalOf(game: string): string {
  return GOALS[game] ?? rulebook(game).summary;
}

export function rulebook(game: string): Rulebook {
  return BOOKS[`../../../stier/rules/${game}.md`] ?? { title: game, summary: "", html: "", words: [] };
}

/** The rules as a page beside the table. */
export function drawRules(game: string, faces: Record<string, Face>): HTMLElement {
  const text = h("div", {});
  // Trusted: it is made from files of the project when the page is built.
  text.innerHTML = rulebook(game).html;
  return h(
    "div",
    { class: "rulebook", tabindex: 0, role: "region", "aria-label": "rules" },
    ...(EXAMPLES[game] ?? []).flatMap((example) => drawExample(example, faces) ?? []),
    text,
  );
}

/** A trick in pictures: the cards with their players, the one that wins, and the reason. */
interface Example {
  cards: [string, string][];
  wins: string;
  because: string;
}

const EXAMPLES: Record<string, Example[]> = {
  schwinget: [
    {
      cards: [
        ["You lead", "G4"],
        ["Opponent", "G6"],
      ],
      wins: "G6",
      because: "Green was led and must be followed: the higher green card wins.",
    },
    {
      cards: [
        ["Opponent leads", "B5"],
        ["You", "R2"],
      ],
      wins: "R2",
      because: "If red is trump, the lowest red card beats every blue one.",
    },
    {
      cards: [
        ["You lead", "G4"],
        ["Opponent", "Y6"],
      ],
      wins: "G4",
      because: "The opponent has no green card, and yellow is not trump: the card that was led wins.",
    },
  ],
  up_and_down: [
    {
      cards: [
        ["You", "H9"],
        ["Left", "SJ"],
        ["Across", "D9"],
        ["Right", "C4"],
      ],
      wins: "SJ",
      because:
        "UP: high wins. The two nines cancel each other. The jack wins: spades are Left's own suit. Right's own suit is diamonds, so the four of clubs cannot win.",
    },
  ],
};

function drawExample({ cards, wins, because }: Example, faces: Record<string, Face>): HTMLElement | null {
  const drawn = cards.flatMap(([name, card]) => {
    const face = faces[card];
    return face
      ? [
          h(
            "div",
            { class: `slot${card === wins ? " won" : ""}` },
            drawCard(face),
            h("span", { class: "caption" }, card === wins ? `${name}: wins` : name),
          ),
        ]
      : [];
  });
  // Not all cards are in smaller decks.
  if (drawn.length < cards.length) return null;
  return h("figure", { class: "stier example" }, h("div", { class: "trick" }, ...drawn), h("figcaption", {}, because));
}

/** The words of the game that can be read on a table, with their meaning. */
export function wordsOn(game: string, { scene, legal }: Table): [string, string][] {
  const places = scene.places.flatMap(({ groups, remarks, suit }) => [
    suit === null ? "" : "own suit",
    ...remarks,
    ...groups.flatMap(({ name, cards }) => [name, ...cards.filter((card) => card !== null)]),
  ]);
  const text = [scene.next, ...scene.facts.flat(), ...legal.map(({ name }) => name), ...places].join(" ");
  return [...rulebook(game).words, ...COMMON].filter(([words]) => isIn(words, text));
}
