import { drawRank, drawSign, faceInWords, suitInWords } from "./cards";
import { h } from "./dom";
import type { Beliefs, Face } from "./protocol";
import { counted, inPercent } from "./words";

interface BeliefsOptions {
  /** The seats whose hands are drawn. */
  seats: number[];
  /** The names of these seats. */
  labels: string[];
  /** The caption that screen readers read. */
  caption: string;
}

/** The expected number of copies of each card in the hands of some seats: a small table for each seat. */
export function drawBeliefs(beliefs: Beliefs, faces: Record<string, Face>, options: BeliefsOptions): HTMLElement {
  const highest = Math.max(1, ...beliefs.expected);
  const maps = options.seats.map((seat, index) => {
    const label = options.labels[index] ?? `Seat ${seat}`;
    return drawHand(beliefs, faces, seat, highest, label, `${options.caption}: ${label}`);
  });
  return h("div", { class: "stier beliefs", role: "group", "aria-label": options.caption }, ...maps);
}

/** The unit of the numbers. */
export function unitInWords({ expected }: Beliefs): string {
  return Math.max(...expected) > 1 ? "How many of each card, on average." : "The chance of each card, in percent.";
}

/** The source of beliefs, in words. */
export function basisInWords({ basis, worlds }: Beliefs): string {
  const count = counted(worlds, "possible deal");
  return {
    enumerated: `Exact: all ${count}.`,
    estimated: `Estimated: all ${count}, weighted by how well they explain the play.`,
    sampled: `Estimated from ${count} drawn at random.`,
    particles: `Estimated from ${count}, weighted by how well they explain the play.`,
    chance: `Estimated from ${count}. What the others did does not count here.`,
  }[basis];
}

/** The cards by suit; in one row if no suit has two. */
function suits(cards: string[], faces: Record<string, Face>): string[][] {
  const rows = new Map<string, string[]>();
  for (const card of cards) {
    const key = `${faces[card]?.sign} ${faces[card]?.hue}`;
    rows.set(key, [...(rows.get(key) ?? []), card]);
  }
  const bySuit = [...rows.values()];
  if (bySuit.every((row) => row.length === 1)) return [cards];
  // Cards without a suit of their own share the last row.
  const single = bySuit.filter((row) => row.length === 1).flat();
  return [...bySuit.filter((row) => row.length > 1), ...(single.length > 0 ? [single] : [])];
}

function drawHand(
  beliefs: Beliefs,
  faces: Record<string, Face>,
  seat: number,
  highest: number,
  label: string,
  caption: string,
): HTMLElement {
  const { cards, seats, expected } = beliefs;
  const chances = new Map(cards.map((card, index) => [card, expected[index * seats + seat] ?? 0]));
  const rows = suits(cards, faces);
  const rank = (card: string): string => faces[card]?.rank ?? card;
  const ranks = rows.reduce((longest, row) => (row.length > longest.length ? row : longest), []).map(rank);
  return h(
    "div",
    {},
    h("p", { class: "owner" }, label),
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, h("td", {}), ...ranks.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...rows.map((row) => {
          // Cards that do not fit under the ranks above carry their own.
          const isSuit = rows.length > 1 && row.every((card, index) => rank(card) === ranks[index]);
          const face = faces[row[0] ?? ""];
          const head =
            isSuit && face
              ? h("th", { scope: "row" }, drawSign(face), h("span", { class: "unseen" }, suitInWords(face)))
              : h("td", {});
          const ownRanks = !isSuit && rows.length > 1;
          const cells = row.map((card) => drawChance(faces[card], chances.get(card) ?? 0, highest, ownRanks));
          return h("tr", {}, head, ...cells);
        }),
      ),
    ),
  );
}

function drawChance(face: Face | undefined, expected: number, highest: number, ownRank: boolean): HTMLElement {
  const percent = inPercent(expected);
  const figure = percent === "0" ? "–" : highest > 1 ? expected.toFixed(1) : percent;
  const cell = h(
    "td",
    {
      class: `chance${figure === "100" ? " certain" : ""}`,
      title: face && `${faceInWords(face)}: ${figure}${figure === percent ? " %" : ""}`,
    },
    ownRank && face && h("span", { class: "rank" }, drawRank(face), " "),
    figure,
  );
  cell.style.setProperty("--share", (expected / highest).toFixed(3));
  return cell;
}
