import { capital, cardOf, drawCard, plain } from "./cards";
import { h } from "./dom";
import { factInWords } from "./facts";
import { seatInSentence } from "./names";
import type { Face, Sentence, Story } from "./protocol";
import type { Trick } from "./trick";

/** The reader of a story and the cards of the game. */
interface Telling {
  you: number;
  seats: number;
  faces: Record<string, Face>;
}

/** Moves in words, for "you" and for all others. */
export const VERBS: Record<string, [string, string]> = {
  attack: ["attack", "attacks"],
  flip: ["flip UP&DOWN", "flips UP&DOWN"],
  "rotate:1": ["rotate UP&DOWN", "rotates UP&DOWN"],
  "rotate:2": ["rotate UP&DOWN", "rotates UP&DOWN"],
  "rotate:3": ["rotate UP&DOWN", "rotates UP&DOWN"],
  roll: ["roll the dice", "rolls the dice"],
  "lead:self": ["keep the lead", "keeps the lead"],
  "lead:opponent": ["give the lead away", "gives the lead away"],
  push: ["push", "pushes"],
  knock: ["knock", "knocks"],
  keep: ["keep the hand", "keeps the hand"],
  swap: ["swap the hand", "swaps the hand"],
  swap_all: ["swap all three cards", "swaps all three cards"],
  take: ["take", "takes"],
  give: ["give", "gives"],
  // A card alone.
  "": ["play", "plays"],
};

/**
 * The news since the last action of the seat, without what can be seen on the table. `tricks` are those that were
 * finished in the meantime; null in a game without tricks, where nothing else shows an earlier move that is known now.
 */
export function drawNews(story: Story, telling: Telling, tricks: Trick[] | null): Node[] {
  const news = story.lines.slice(story.earlier);
  const isMove = (line: Sentence): boolean => line.mover !== null && line.event !== null;
  if (!tricks) {
    // The moves of the deal before are of no use any more.
    const deal = news.findLastIndex(({ said }) => said.kind === "dealt");
    const told = news.filter((line, index) =>
      line.mover === null ? line.about === null : isMove(line) && line.mover !== telling.you && index > deal,
    );
    return [...story.revealed.map((line) => drawSentence(line, telling)), ...drawMoves(told, telling)];
  }
  const told = news.filter((line) =>
    isMove(line) ? cardOf(line.event ?? "", telling.faces).card === null : line.said.kind === "fact",
  );
  return [...tricks.map((trick) => drawTaken(trick, telling)), ...told.map((line) => drawSentence(line, telling))];
}

/** Moves, where those of one player in a row are one sentence, such as "Left takes ♥7, gives ♠10." */
function drawMoves(lines: Sentence[], telling: Telling): HTMLElement[] {
  const goesOn = (index: number): boolean => {
    const [before, line] = [lines[index - 1], lines[index]];
    return line?.mover != null && before?.mover === line.mover && before.about === line.about;
  };
  return lines.map((line, index) => drawSentence(line, telling, goesOn(index), goesOn(index + 1)));
}

function drawTaken({ winner }: Trick, { you, seats }: Telling): HTMLElement {
  const words =
    winner === null
      ? "Nobody takes the trick yet"
      : winner === you
        ? "You take the trick"
        : `${capital(seatInSentence(winner, you, seats))} takes the trick`;
  return h("span", { class: "sentence" }, `${words}. `);
}

/** The whole story: an item for each event, with its consequences. */
export function drawLog({ lines }: Story, telling: Telling): HTMLElement[] {
  const items: HTMLElement[] = [];
  for (const sentence of lines) {
    if (!sentence.follows || items.length === 0) items.push(h("li", {}));
    items.at(-1)?.append(drawSentence(sentence, telling));
  }
  return items;
}

function drawSentence(sentence: Sentence, telling: Telling, goesOn = false, isUnfinished = false): HTMLElement {
  const { about, event, likely, forced, mover } = sentence;
  const { you, seats, faces } = telling;
  const { words: verb, card } = event === null ? { words: "", card: null } : cardOf(event, faces);
  const face = card === null ? undefined : faces[card];
  const name = about === null || goesOn ? "" : seatInSentence(about, you, seats);
  const told = (sentence.said.kind === "move" && VERBS[face ? verb : (event ?? "")]) || null;
  const said = told ? ` ${told[mover === you ? 0 : 1]}` : `${saidInWords(sentence, telling)}${verb && ` ${verb}`}`;
  // After a colon, or as the card that is played, it follows at once.
  const comma = face && (!told || verb === "") && sentence.said.kind !== "draw" ? "" : ",";
  const before = `${name}${said}${likely ? `${comma} most likely` : ""}`;
  const first = goesOn ? before.trimStart() : capital(before);
  const end = `${forced ? " (the only move)" : ""}${isUnfinished ? ", " : ". "}`;
  if (!face) return h("span", { class: "sentence" }, first, end);
  return h(
    "span",
    { class: "stier sentence" },
    `${first} `,
    h("span", { class: "ending" }, h("span", { class: "tiny" }, drawCard(face)), end),
  );
}

/** The words between the player and the event. */
function saidInWords({ about, event, said }: Sentence, { you, seats }: Telling): string {
  const ending = about === you ? "" : "s";
  switch (said.kind) {
    case "dealt":
      return "new cards are dealt";
    case "move":
      return ":";
    case "had_chosen":
      return " had chosen:";
    case "hidden_move":
      return " makes a hidden move";
    case "draw":
      return ` draw${ending}${event === null ? " a card" : ""}`;
    case "turned_up":
      return "turned up:";
    case "tricks":
      return ` win${ending} ${said.count === 1 ? "the trick" : `${said.count} tricks`}`;
    case "remark":
      return `: ${said.words}`;
    case "fact":
      return `${plain(said.name)}: ${factInWords(said, you, seats)}`;
  }
}
