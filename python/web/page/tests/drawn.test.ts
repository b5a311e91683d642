// News, the moves so far and the loss curve as they are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawLosses } from "../src/chart";
import type { Face, Sentence, Story } from "../src/protocol";
import { drawLog, drawNews } from "../src/story";
import type { Trick } from "../src/trick";
import { known } from "./document";

const faces: Record<string, Face> = {
  G1: { rank: "1", sign: "leaf", hue: "green" },
  B3: { rank: "3", sign: "drop", hue: "blue" },
};
const telling = { you: 0, seats: 3, faces };
const base = { mover: null, about: null, words: "", event: null, likely: false, forced: false, follows: false };

function moves(mover: number, event: string, change: Partial<Sentence> = {}): Sentence {
  return { ...base, mover, about: mover, words: ":", event, ...change };
}

function story(lines: Sentence[], change: Partial<Story> = {}): Story {
  return { lines, earlier: 0, revealed: [], ...change } as Story;
}

function told(nodes: Node[]): string {
  return nodes
    .map((node) => known(node).words)
    .join("")
    .trim();
}

test("the news are the moves of the others since the own one", () => {
  const lines = [
    moves(0, "push"),
    moves(1, "knock", { forced: true }),
    moves(2, "take:G1", { likely: true }),
    moves(2, "give:B3"),
    { ...base, about: 1, words: ": 2 stakes", follows: true },
  ];
  const all = "Left knocks (the only move). Right takes, most likely green 1, gives blue 3.";
  assert.equal(told(drawNews(story(lines), telling, null)), all);
  assert.equal(told(drawNews(story(lines, { earlier: 3 }), telling, null)), "Right gives blue 3.");
  // An earlier move that is known now comes first.
  const revealed = [moves(1, "B3", { words: " had chosen:" })];
  assert.match(told(drawNews(story(lines, { revealed, earlier: 4 }), telling, null)), /^Left had chosen: blue 3\.$/);
});

test("a new deal takes the place of the moves before it", () => {
  const lines = [
    moves(1, "knock"),
    { ...base, words: "deal: 2", follows: true },
    { ...base, words: "new cards are dealt" },
    moves(2, "push"),
  ];
  assert.equal(told(drawNews(story(lines), telling, null)), "Deal: 2. New cards are dealt. Right pushes.");
});

test("in a game with tricks the news leave out the cards, which lie on the table", () => {
  const lines = [
    moves(0, "G1"),
    moves(1, "B3"),
    moves(1, "attack"),
    { ...base, words: "pile: 0 cards", follows: true },
  ];
  const trick = (winner: number | null): Trick => ({ slots: [], leader: 0, winner });
  const news = (tricks: Trick[]): string => told(drawNews(story(lines), { ...telling, seats: 2 }, tricks));
  assert.equal(news([trick(0)]), "You take the trick. The opponent attacks. Pile: 0 cards.");
  assert.match(news([trick(1)]), /^The opponent takes the trick\./);
  assert.match(news([trick(null)]), /^Nobody takes the trick yet\./);
  assert.match(news([]), /^The opponent attacks\./);
});

test("the moves so far have an item for each event, with its consequences", () => {
  const lines = [
    moves(0, "G1"),
    { ...base, about: 1, words: ": 2 stakes", follows: true },
    moves(1, "knock"),
    { ...base, words: "bout: 2 of 4", follows: true },
  ];
  const items = drawLog(story(lines, { earlier: 3 }), telling).map((item) => known(item));
  assert.deepEqual(
    items.map(({ tag, words }) => `${tag}: ${words.trim()}`),
    ["li: You: green 1. Left: 2 stakes.", "li: Left knocks. Bout: 2 of 4."],
  );
  assert.deepEqual(drawLog(story([]), telling), []);
});

test("the loss curve tells its sum", () => {
  const losses = [
    { label: "1", cost: 0.2, ci95: 0.3 },
    { label: "2", cost: 0.3, ci95: 0.4 },
  ];
  const chart = known(drawLosses(losses));
  const [picture] = chart.all("svg");
  assert.equal(
    picture?.attributes["aria-label"],
    "Sum of the costs after each of 2 decisions: +0.50 ± 0.50 at the end.",
  );
  // A curve has no end outside the picture.
  const points = chart
    .all("polyline")
    .concat(chart.all("polygon"))
    .map(({ attributes }) => attributes["points"] ?? "");
  assert.ok(points.length > 0);
  for (const [x = NaN, y = NaN] of points
    .join(" ")
    .trim()
    .split(" ")
    .map((point) => point.split(",").map(Number))) {
    assert.ok(x >= 0 && x <= 640 && y >= 0 && y <= 260, points.join());
  }
});
