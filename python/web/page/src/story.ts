import { cardOf, drawFace, faceInWords } from "./cards";
import { h } from "./dom";
import type { Face, Sentence, Story } from "./protocol";

/**
 * What happened since the last action of the seat, that action included. If a trick has left the table, all of its
 * cards are told, also those that were played before. Those that were played face down are among the revealed ones.
 */
export function drawNews(story: Story, seat: number, faces: Record<string, Face>): HTMLElement[] {
  const { lines, earlier, revealed } = story;
  const isDone = revealed.length === 0 && lines.slice(earlier).some(({ follows }) => follows);
  const last = lines.slice(0, earlier).findLastIndex(({ mover, follows }) => follows || mover === seat);
  const news = lines.slice(isDone ? last + 1 : earlier);
  return [...revealed, ...news].map((sentence) => drawSentence(sentence, faces));
}

/** The whole story: an item for each event, with its consequences. */
export function drawLog({ lines }: Story, faces: Record<string, Face>): HTMLElement[] {
  const items: HTMLElement[] = [];
  for (const sentence of lines) {
    if (!sentence.follows || items.length === 0) items.push(h("li", {}));
    items.at(-1)?.append(drawSentence(sentence, faces));
  }
  return items;
}

function drawSentence({ words, event, likely, forced }: Sentence, faces: Record<string, Face>): HTMLElement {
  const { words: verb, card } = event === null ? { words: "", card: null } : cardOf(event, faces);
  const face = card === null ? undefined : faces[card];
  const doubt = likely ? "most likely" : "";
  const before = [`${words.charAt(0).toUpperCase()}${words.slice(1)}`, doubt, verb].filter(Boolean).join(" ");
  const end = forced ? " (the only move). " : ". ";
  if (!face) return h("span", { class: "sentence" }, before, end);
  const picture = h("span", { class: "tiny" }, drawFace(face));
  return h("span", { class: "stier sentence" }, `${before} `, picture, ` ${faceInWords(face)}`, end);
}
