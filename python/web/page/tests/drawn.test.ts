// News, the moves so far and the loss curve as they are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawLosses } from "../src/chart";
import type { Face, Said, Sentence, Story } from "../src/protocol";
import { drawLog, drawNews } from "../src/story";
import type { Trick } from "../src/trick";
import { known } from "./document";

const faces: Record<string, Face> = {
  G1: { rank: "1", sign: "leaf", hue: "green" },
  B3: { rank: "3", sign: "drop", hue: "blue" },
};
const telling = { you: 0, seats: 3, faces };
const stakes: Said = { kind: "remark", words: "2 stakes" };

function says(said: Said, change: Partial<Sentence> = {}): Sentence {
  return { said, mover: null, about: null, event: null, likely: false, forced: false, follows: false, ...change };
}

function moves(mover: number, event: string, change: Partial<Sentence> = {}): Sentence {
  return says({ kind: "move" }, { mover, about: mover, event, ...change });
}

function fact(name: string, value: number, words = String(value)): Sentence {
  return says({ kind: "fact", name, value, words }, { follows: true });
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
    says(stakes, { about: 1, follows: true }),
  ];
  const all = "Left knocks (the only move). Right takes, most likely green 1, gives blue 3.";
  assert.equal(told(drawNews(story(lines), telling, null)), all);
  assert.equal(told(drawNews(story(lines, { earlier: 3 }), telling, null)), "Right gives blue 3.");
  // An earlier move that is known now comes first.
  const revealed = [moves(1, "B3", { said: { kind: "had_chosen" } })];
  assert.match(told(drawNews(story(lines, { revealed, earlier: 4 }), telling, null)), /^Left had chosen: blue 3\.$/);
});

test("a new deal takes the place of the moves before it", () => {
  const lines = [moves(1, "knock"), fact("deal", 2), says({ kind: "dealt" }), moves(2, "push")];
  assert.equal(told(drawNews(story(lines), telling, null)), "Deal: 2. New cards are dealt. Right pushes.");
});

test("in a game with tricks the news leave out the cards, which lie on the table", () => {
  const lines = [moves(0, "G1"), moves(1, "B3"), moves(1, "attack"), fact("pile", 0, "0 cards")];
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
    says(stakes, { about: 1, follows: true }),
    moves(1, "knock"),
    fact("bout", 2, "2 of 4"),
  ];
  const items = drawLog(story(lines, { earlier: 3 }), telling).map((item) => known(item));
  assert.deepEqual(
    items.map(({ tag, words }) => `${tag}: ${words.trim()}`),
    ["li: You play green 1. Left: 2 stakes.", "li: Left knocks. Bout: 2 of 4."],
  );
  assert.deepEqual(drawLog(story([]), telling), []);
});

test("every kind of sentence has words, for the person and for others", () => {
  const all = (sentence: Sentence): string => told(drawLog(story([sentence]), telling));
  const both = (said: Said, event: string | null = null): string[] =>
    [0, 1].map((about) => all(says(said, { about, event })));
  assert.equal(all(says({ kind: "dealt" })), "New cards are dealt.");
  assert.equal(all(says({ kind: "turned_up" }, { event: "G1" })), "Turned up: green 1.");
  assert.equal(both({ kind: "hidden_move" })[1], "Left makes a hidden move.");
  assert.deepEqual(both({ kind: "draw" }), ["You draw a card.", "Left draws a card."]);
  assert.deepEqual(both({ kind: "draw" }, "G1"), ["You draw green 1.", "Left draws green 1."]);
  assert.deepEqual(both({ kind: "tricks", count: 1 }), ["You win the trick.", "Left wins the trick."]);
  assert.deepEqual(both({ kind: "tricks", count: 2 }), ["You win 2 tricks.", "Left wins 2 tricks."]);
  assert.deepEqual(both(stakes), ["You: 2 stakes.", "Left: 2 stakes."]);
  assert.equal(all(fact("winner", 1)), "Winner: Left.");
  assert.equal(all(moves(1, "G1", { likely: true })), "Left plays most likely green 1.");
  assert.equal(all(moves(1, "pass", { likely: true })), "Left: pass, most likely.");
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
