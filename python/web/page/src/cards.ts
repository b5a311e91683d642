import { h, s } from "./dom";
import type { Face } from "./protocol";
import { counted } from "./words";

/** The signs of the cards, each in a square of 24 by 24. Holes are cut out by the even-odd rule. */
const SIGNS: Record<string, string> = {
  diamond: "M12 1.5 20 12 12 22.5 4 12Z",
  heart: "M12 21.5C5 15.5 1.5 12 1.5 8A5.4 5.4 0 0 1 12 5.6 5.4 5.4 0 0 1 22.5 8C22.5 12 19 15.5 12 21.5Z",
  spade:
    "M12 1.5C15 7 21.5 10 21.5 14.6A4.7 4.7 0 0 1 13.4 17.6L15.3 22.5H8.7L10.6 17.6A4.7 4.7 0 0 1 2.5 14.6" +
    "C2.5 10 9 7 12 1.5Z",
  club:
    "M12 1.5A4.9 4.9 0 0 1 16 9.2 4.9 4.9 0 1 1 13.3 16.6L15.2 22.5H8.8L10.7 16.6A4.9 4.9 0 1 1 8 9.2" +
    "A4.9 4.9 0 0 1 12 1.5Z",
  leaf: "M12 1.5C21 6 21 14.5 12.9 18.6V22.5H11.1V18.6C3 14.5 3 6 12 1.5ZM11.4 7V16.5H12.6V7Z",
  cross: "M8.7 2.5H15.3V8.7H21.5V15.3H15.3V21.5H8.7V15.3H2.5V8.7H8.7Z",
  drop:
    "M12 1.5C16 8 19.5 11.5 19.5 15.2A7.5 7.5 0 0 1 4.5 15.2C4.5 11.5 8 8 12 1.5Z" +
    "M7.2 15A4.8 4.8 0 0 0 12 20V18.4A3.3 3.3 0 0 1 8.8 15Z",
  sun: sun(),
  whistle: "M1.5 7H22.5V11H15.2A6.9 6.9 0 1 1 1.5 13.5ZM5.6 13.8A2.6 2.6 0 1 0 10.8 13.8 2.6 2.6 0 1 0 5.6 13.8Z",
  bolt: "M13.5 1.5 4 13.6H11L8.6 22.5 20 9.4H12.6Z",
  pig:
    "M3.6 2.6 9.2 4.9A9.6 9.6 0 0 1 14.8 4.9L20.4 2.6 19.8 8.5A8.6 8.6 0 0 1 12 22 8.6 8.6 0 0 1 4.2 8.5Z" +
    "M7.4 14.6A1.6 2.3 0 1 0 10.6 14.6 1.6 2.3 0 1 0 7.4 14.6Z" +
    "M13.4 14.6A1.6 2.3 0 1 0 16.6 14.6 1.6 2.3 0 1 0 13.4 14.6Z",
};

/** Signs that are called by their own name, and how a card with such a sign is called. */
const CALLED: Record<string, (face: Face) => string> = {
  diamond: inSuit,
  heart: inSuit,
  spade: inSuit,
  club: inSuit,
  pig: ({ hue }) => `${hue} pig`,
  whistle: () => "referee",
  bolt: () => "counter",
};

/** True for a card that has a name instead of a suit and a rank: its rank would be letters that nobody knows. */
function isNamed({ sign }: Face): boolean {
  return sign === "whistle" || sign === "bolt";
}

const RANKS: Record<string, string> = { J: "jack", Q: "queen", K: "king", A: "ace" };

/** A star of twelve rays. */
function sun(): string {
  const points = Array.from({ length: 24 }, (_, corner) => {
    const radius = corner % 2 === 0 ? 10.5 : 6.3;
    const angle = (Math.PI * corner) / 12;
    return `${(12 + radius * Math.sin(angle)).toFixed(1)} ${(12 - radius * Math.cos(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

function inSuit({ rank, sign }: Face): string {
  return `${RANKS[rank] ?? rank} of ${sign}s`;
}

/** A card in words, such as "green 4" or "ace of hearts". */
export function faceInWords(face: Face): string {
  return CALLED[face.sign]?.(face) ?? `${face.hue} ${face.rank}`;
}

/** The suit of a card in words: its colour or the name of its sign. */
export function suitInWords({ sign, hue }: Face): string {
  return CALLED[sign] === inSuit ? `${sign}s` : sign in CALLED ? sign : hue;
}

/** The card that an action names, and the words before it. */
export function cardOf(action: string, faces: Record<string, Face>): { words: string; card: string | null } {
  const mark = action.lastIndexOf(":");
  const card = action.slice(mark + 1);
  if (card in faces) return { words: plain(action.slice(0, Math.max(mark, 0))), card };
  return { words: plain(action), card: null };
}

/** An action in words. */
export function actionInWords(action: string, faces: Record<string, Face>): string {
  const { words, card } = cardOf(action, faces);
  const face = card === null ? undefined : faces[card];
  return [words, face && faceInWords(face)].filter(Boolean).join(" ");
}

/** Actions whose name does not tell enough, as they are called on buttons. */
export const CHOICES: Record<string, string> = {
  "rotate:1": "rotate ¼",
  "rotate:2": "rotate ½",
  "rotate:3": "rotate ¾",
  "lead:self": "keep the lead",
  "lead:opponent": "give the lead away",
  swap_all: "swap all three cards",
};

/** The name of an action, a fact or a remark, in words. */
export function plain(name: string): string {
  const [, count, face] = /^(\d+)x(\d+)$/.exec(name) ?? [];
  // A bid in Liar's Dice.
  if (count !== undefined) return `${count} × ${face}`;
  return CHOICES[name] ?? name.replace(/_/g, " ").replace(/:(?=\S)/g, " ");
}

/** A text with a capital letter. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A sign alone. It is decoration: the words stand elsewhere. */
export function drawSign({ sign, hue }: Face): SVGElement {
  const path = s("path", { d: SIGNS[sign] ?? "", "fill-rule": "evenodd" });
  return s("svg", { class: `sign hue-${hue}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

/** The mark of a card within its suit: its rank, or the sign of a card that has a name instead. */
export function drawRank(face: Face): Node | string {
  return isNamed(face) ? drawSign(face) : face.rank;
}

/** The printed side of a card without a name of its own, for buttons and pictures. */
export function drawFace(face: Face): HTMLElement {
  return h(
    "span",
    { class: `card hue-${face.hue}`, "aria-hidden": "true" },
    !isNamed(face) && h("span", { class: "rank" }, face.rank),
    drawSign(face),
    isNamed(face) && h("span", { class: "called" }, faceInWords(face)),
  );
}

/** A card, face up, as a picture. */
export function drawCard(face: Face): HTMLElement {
  return h("span", { role: "img", "aria-label": faceInWords(face) }, drawFace(face));
}

/** Cards, face down, one over the other. */
export function drawBacks(count: number): HTMLElement {
  const backs = Array.from({ length: count }, () => h("span", { class: "card back" }));
  const style = count > 6 ? "backs many" : "backs";
  return h("span", { class: style, role: "img", "aria-label": counted(count, "hidden card") }, ...backs);
}

/** A pile of cards, face down, with their number. */
export function drawPile(count: number): HTMLElement {
  return h(
    "span",
    { class: "pile", role: "img", "aria-label": counted(count, "hidden card") },
    h("span", { class: "card back" }, h("span", { class: "count" }, count)),
  );
}

/** An action, with its card as a small card. */
export function drawAction(action: string, faces: Record<string, Face>): HTMLElement {
  const { words, card } = cardOf(action, faces);
  const face = card === null ? undefined : faces[card];
  return h("span", { class: "action" }, words, face && h("span", { class: "tiny" }, drawCard(face)));
}
