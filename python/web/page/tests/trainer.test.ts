// Rounds of the attack trainer, and what comes again.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verdictOf } from "../src/attack";
import { drawInterval } from "../src/chart";
import { pointsByCard } from "../src/count";
import { drawn, isClose, isRight, QUESTIONS, type Question } from "../src/questions";
import { Repetition } from "../src/repetition";
import { ROUND, Round } from "../src/round";
import { Kept } from "../src/storage";
import { STUDY } from "../src/study";
import { known } from "./document";

function storage(): Storage {
  const texts = new Map<string, string>();
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  } as Storage;
}

const DAY = 24 * 60 * 60 * 1000;

/** Answers the next question of a round right or wrong. */
function answer(round: Round, right: boolean): Question {
  const question = round.question as Question;
  const attack = question.worth > 0;
  round.answer(right || isClose(question) ? attack : !attack);
  return question;
}

test("positions have names of their own", () => {
  assert.equal(new Set(QUESTIONS.map(({ id }) => id)).size, 150);
  assert.deepEqual(
    drawn(5, ROUND).map(({ id }) => id),
    drawn(5, ROUND).map(({ id }) => id),
  );
  assert.notDeepEqual(drawn(5, ROUND), drawn(6, ROUND));
});

test("what was wrong comes again in the round, until it is right", () => {
  const kept = storage();
  const round = new Round(new Kept(() => kept), 5);
  assert.equal(round.length, ROUND);
  const asked = drawn(5, ROUND);
  let place = 0;
  while (isClose(round.question as Question)) {
    answer(round, true);
    place++;
  }
  const wrong = answer(round, false);
  assert.equal(round.length, ROUND + 1);
  const later: Question[] = [];
  for (let count = 0; count < 3; count++) later.push(answer(round, true));
  assert.deepEqual(later, asked.slice(place + 1, place + 4));
  assert.ok(round.isAgain);
  assert.equal(answer(round, false), wrong);
  while (round.question) answer(round, true);
  assert.equal(round.done, ROUND + 2);
  assert.deepEqual(
    round.answers.filter(({ isAgain }) => isAgain).map(({ question }) => question.id),
    [wrong.id, wrong.id],
  );
  assert.deepEqual(
    round.answers.filter(({ isAgain }) => !isAgain).map(({ question }) => question.id),
    asked.map(({ id }) => id),
  );
  round.restart();
  assert.deepEqual([round.done, round.length], [0, ROUND]);
});

test("a round ends however often an answer is wrong", () => {
  const kept = storage();
  const round = new Round(new Kept(() => kept), 5);
  const times = new Map<string, number>();
  while (round.question) {
    const { id } = answer(round, false);
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  assert.equal(Math.max(...times.values()), 3);
});

test("a reload goes on with the round", () => {
  const kept = storage();
  const due = QUESTIONS.slice(140, 143).map(({ id }) => id);
  const round = new Round(new Kept(() => kept), 9, due);
  assert.deepEqual(
    [0, 1, 2].map(() => answer(round, true).id),
    due,
  );
  answer(round, false);
  const again = new Round(new Kept(() => kept), 9);
  assert.deepEqual([round.isShared, again.isShared, new Round(new Kept(storage), 9).isShared], [false, false, true]);
  assert.deepEqual([again.done, again.length, again.question], [round.done, round.length, round.question]);
  // A text of another version is not a round.
  kept.setItem("stier-trainer-9", "awwa");
  assert.deepEqual(new Round(new Kept(() => kept), 9).done, 0);
  assert.equal(new Round(new Kept(storage), 9, [...due, "no.such"]).length, ROUND);
});

test("a reload before the first answer asks the same positions, also those that are due", () => {
  const kept = storage();
  const due = QUESTIONS.slice(140, 143).map(({ id }) => id);
  const first = new Round(new Kept(() => kept), 9, due);
  // The reload finds the seed in the address, like a link that brings nothing of one's own.
  const again = new Round(new Kept(() => kept), 9);
  assert.deepEqual([again.done, again.isShared], [0, false]);
  while (first.question) assert.equal(answer(again, true), answer(first, true));
  assert.equal(again.question, null);
});

test("a wrong position comes again after longer and longer pauses", () => {
  const kept = storage();
  let now = 1000 * DAY;
  const memory = (): Repetition => new Repetition(new Kept(() => kept), () => now);
  memory().note("a", true);
  assert.deepEqual(memory().due(), []);
  memory().note("a", false);
  now += 1;
  memory().note("b", false);
  assert.deepEqual(memory().due(), ["a", "b"]);
  const pauses: number[] = [];
  for (let times = 0; times < 4; times++) {
    memory().note("a", true);
    let days = 0;
    while (!memory().due().includes("a")) {
      now += DAY;
      days++;
    }
    pauses.push(days);
  }
  assert.deepEqual(pauses, [1, 3, 7, 21]);
  memory().note("a", true);
  now += 1000 * DAY;
  assert.deepEqual(memory().due(), ["b"]);
  assert.equal(memory().waiting, 1);
  // From the beginning after another mistake.
  memory().note("b", true);
  memory().note("b", false);
  assert.deepEqual(memory().due(), ["b"]);
  kept.setItem("stier-trainer-wrong", "{damaged");
  assert.deepEqual(memory().due(), []);
});

test("a question that is answered right many times a day comes again as after one right answer", () => {
  const kept = storage();
  let now = 1000 * DAY;
  const memory = new Repetition(new Kept(() => kept), () => now);
  memory.note("a", false);
  for (const pause of [1, 3, 7, 21]) {
    for (let times = 0; times < 5; times++) memory.note("a", true);
    // Nor does a right answer count before the question is due.
    now += (pause - 1) * DAY;
    memory.note("a", true);
    assert.deepEqual(memory.due(), []);
    now += DAY;
    assert.deepEqual(memory.due(), ["a"]);
  }
  memory.note("a", true);
  assert.equal(memory.waiting, 0);
});

test("right answers in a row make a streak", () => {
  const kept = storage();
  const memory = new Repetition(new Kept(() => kept));
  for (const isRight of [true, true, true, false, true]) memory.note("a", isRight);
  assert.deepEqual(memory.streak(), { now: 1, best: 3 });
});

test("close calls are right either way", () => {
  const close = QUESTIONS.filter(isClose);
  assert.ok(close.length > 0);
  assert.ok(close.every((question) => isRight(question, true) && isRight(question, false)));
});

test("a verdict names the better choice and tells whether the rule of thumb does", () => {
  const verdict = (worth: number, rule: boolean, attack: boolean, ci95 = 0.1): string => {
    const { verdict, reason } = verdictOf({ worth, ci95, rule } as Question, attack);
    return `${verdict} ${reason}`;
  };
  const says = "The rule of thumb says";
  assert.equal(verdict(1, true, true), `Right: attacking is better here. ${says} attack, too.`);
  assert.equal(verdict(-1, false, false), `Right: waiting is better here. ${says} wait, too.`);
  assert.equal(verdict(-1, true, false), `Right: waiting is better here. ${says} attack, but is wrong with this hand.`);
  assert.equal(verdict(1, true, false), `Wrong: attacking is better here. ${says} attack, and is right.`);
  assert.equal(
    verdict(-1, true, true),
    `Wrong: waiting is better here. ${says} attack, too, but is wrong with this hand.`,
  );
  const close = `Too close to call: either choice counts as right. ${says} attack.`;
  assert.deepEqual([verdict(0.1, true, true, 0.2), verdict(-0.1, true, false, 0.2)], [close, close]);
});

test("the worth stands as a number at its place on the scale", () => {
  const scale = (value: number, ci95: number): { words: string; x: number } => {
    const [text] = known(drawInterval(value, ci95, 2, "points", ["low", "high"])).all("text");
    return { words: text?.textContent ?? "", x: Number(text?.attributes["x"]) };
  };
  assert.deepEqual(scale(0, 0.06), { words: "0.00 ± 0.06 points", x: 160 });
  assert.equal(scale(1.1, 0).words, "+1.10 points");
  assert.ok(scale(-2, 0).x >= 60 && scale(2, 0).x <= 260);
});

test("the points on the cards add up to the count", () => {
  const parts = [
    { words: "", cards: ["R1", "R2"], points: 4 },
    { words: "", cards: ["R2"], points: -1 },
    { words: "", cards: ["G1", "G2", "G3"], points: 3 },
  ];
  const points = pointsByCard(parts);
  assert.deepEqual(
    [...points],
    [
      ["R1", 2],
      ["R2", 1],
      ["G1", 1],
      ["G2", 1],
      ["G3", 1],
    ],
  );
});

test("the figures of the trainer are those of the study", () => {
  const guide = readFileSync(new URL("../../../docs/guides/attack_timing.md", import.meta.url), "utf-8").replace(
    /\s+/g,
    " ",
  );
  const { gain, waits, loss, wrong } = STUDY;
  for (const words of [
    "Attack at the first chance, with nearly every hand",
    `that gains ${gain} points per bout over waiting`,
    `Waiting is better with ${waits} of the hands: by ${loss} with exactly one trump and no two other cards of the same suit`,
    `the rule loses ${wrong}`,
  ])
    assert.ok(guide.includes(words), words);
});
