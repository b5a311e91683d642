import { actionInWords, drawCard, faceInWords, suitInWords } from "./cards";
import { h } from "./dom";
import type { Face, Held, PublicNode } from "./protocol";
import { drawMix } from "./shares";
import { Suits } from "./suits";
import { inPercent, measured, percent } from "./words";

/** Cards as small pictures; what is not a card stays text. */
export function drawCards(cards: string[], faces: Record<string, Face>): HTMLElement {
  return h(
    "span",
    { class: "stier hand-of" },
    ...cards.map((card) => {
      const face = faces[card];
      return face ? h("span", { class: "tiny" }, drawCard(face)) : h("code", {}, card);
    }),
  );
}

/** The card that was turned up in an opening, with those for which it stands. */
export function drawTurned(card: string, faces: Record<string, Face>, suits: Suits): HTMLElement {
  const [own, ...others] = suits.turned(card).map((one) => drawCards([one], faces));
  return h("span", { class: "turned" }, own, ...others.flatMap((other) => [" or ", other]));
}

/** The action that is chosen most often. */
function mostFrequent(openings: PublicNode[]): string {
  const sums = new Map<string, number>();
  for (const { hands, seat, reach } of openings) {
    for (const { share, actions } of hands[seat ?? 0] ?? []) {
      for (const { name, probability } of actions) {
        sums.set(name, (sums.get(name) ?? 0) + reach * share * probability);
      }
    }
  }
  return [...sums].reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0] as [string, number])[0];
}

/** A hand of an opening with the number by which the opening knows it. */
interface Cell {
  held: Held;
  hand: number;
}

/**
 * The hands of the first player by the card that was turned up: the darker a cell, the more often the action. `choose`
 * opens a hand.
 */
export function drawGrid(
  openings: PublicNode[],
  faces: Record<string, Face>,
  choose: (opening: PublicNode, hand: number) => void,
): HTMLElement {
  const names = [
    ...new Set(
      openings.flatMap(({ hands, seat }) =>
        (hands[seat ?? 0] ?? []).flatMap(({ actions }) => actions.map(({ name }) => name)),
      ),
    ),
  ];
  let shown = names.includes("attack") ? "attack" : mostFrequent(openings);
  const suits = new Suits(openings, faces);
  // The hands that are alike, and the cells of the first of them.
  const rows = new Map<string, { alike: Map<string, string[]>; cells: (Cell | undefined)[] }>();
  for (const [column, { hands, seat }] of openings.entries()) {
    for (const [hand, held] of (hands[seat ?? 0] ?? []).entries()) {
      if (held.cards.length === 0) continue;
      const key = suits.keyOf(held.cards);
      const row = rows.get(key) ?? { alike: new Map(), cells: openings.map(() => undefined) };
      row.alike.set(held.cards.join(" "), held.cards);
      row.cells[column] ??= { held, hand };
      rows.set(key, row);
    }
  }
  const shareOf = ({ held }: Cell): number => held.actions.find(({ name }) => name === shown)?.probability ?? 0;
  const mean = (cells: (Cell | undefined)[]): number => {
    const shares = cells.flatMap((cell) => (cell ? shareOf(cell) : []));
    return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  };
  const body = h("tbody");
  const drawCell = (cell: Cell | undefined, column: number): HTMLElement => {
    const opening = openings[column];
    if (!cell || !opening) return h("td", {});
    const share = shareOf(cell);
    const words = cell.held.actions
      .filter(({ probability }) => probability > 0)
      .map(({ name, probability }) => `${actionInWords(name, faces)} ${percent(probability)}`)
      .join(", ");
    const button = h(
      "button",
      {
        type: "button",
        title: `${words}; value ${measured(cell.held.value ?? 0)}`,
        click: () => choose(opening, cell.hand),
      },
      h("span", {}, inPercent(share)),
      drawMix(cell.held.actions, faces),
    );
    button.style.setProperty("--share", share.toFixed(3));
    return h("td", {}, button);
  };
  const draw = (): void => {
    const sorted = [...rows.values()].sort((one, other) => mean(other.cells) - mean(one.cells));
    body.replaceChildren(
      ...sorted.map(({ alike, cells }) => h("tr", {}, drawHands([...alike.values()], faces), ...cells.map(drawCell))),
    );
  };
  const select = h(
    "select",
    {
      name: "shown",
      change: () => {
        shown = select.value;
        draw();
      },
    },
    ...names.map((name) => h("option", { value: name, selected: name === shown }, actionInWords(name, faces))),
  );
  draw();
  const heads = openings.map(({ opening }) =>
    h("th", { scope: "col" }, opening === null ? "first decision" : drawTurned(opening, faces, suits)),
  );
  const isTurned = openings.some(({ opening }) => opening !== null);
  const isFolded = [...rows.values()].some(({ alike }) => alike.size > 1);
  return h(
    "section",
    {},
    h("h3", {}, isTurned ? "Hands at the first lead, by the card turned up" : "Hands at the first decision"),
    suits.trump &&
      h(
        "p",
        { class: "muted" },
        `The suits are interchangeable. Trump is always shown as ${suitInWords(suits.trump)}.`,
        isFolded &&
          " Hands that differ only by the names of other suits share a row, which shows the first (×2: two hands).",
      ),
    h("label", { class: "field" }, "How often the equilibrium chooses this, in percent", select),
    h(
      "div",
      { class: "scroll tall", tabindex: 0 },
      h(
        "table",
        { class: "grid" },
        h("caption", { class: "unseen" }, "How often the action is chosen, by hand"),
        h("thead", {}, h("tr", {}, h("td", {}), ...heads)),
        body,
      ),
    ),
    h(
      "p",
      { class: "muted" },
      "Press a cell to follow the game from there. The stripe shows all actions, cards in the colours of their suits. ",
      "A cell is empty if the card turned up is in the hand.",
    ),
  );
}

/** The head of a row: a hand, and the number of hands that are alike. */
function drawHands(alike: string[][], faces: Record<string, Face>): HTMLElement {
  const inWords = (cards: string[]): string =>
    cards
      .flatMap((card) => faces[card] ?? [])
      .map(faceInWords)
      .join(", ");
  return h(
    "th",
    { scope: "row", title: alike.length > 1 && alike.map(inWords).join("; ") },
    drawCards(alike[0] ?? [], faces),
    alike.length > 1 && h("span", { class: "muted" }, ` ×${alike.length}`),
  );
}
