// Grades, accuracy and mistakes of a review.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accuracyOf, costInWords, gradeOf, mistakesOf, verdictInWords } from "../src/grade";
import type { Judged } from "../src/protocol";

const MOVES = [
  { id: 0, name: "R1" },
  { id: 1, name: "attack" },
  { id: 2, name: "G4" },
];

/** A decision between three moves of these values, in which the first was chosen. */
function decision(values: (number | null)[], best: number, cost: number | null, ci95: number | null): Judged {
  const bars = values.map((value, id) => ({ ...MOVES[id], value, ci95, chosen: id === best ? 0.8 : 0.1 }));
  return {
    action: MOVES[0],
    best: MOVES[best],
    cost,
    ci95,
    analysis: { searches: 10, bars },
  } as Judged;
}

const BEST = decision([1, 0, -1], 0, 0.2, 0.3);
const MISTAKE = decision([0, 1, -1], 1, 1, 0.4);
const SMALLER = decision([0.5, 1, 0], 1, 0.5, 0.1);
const CLOSE = decision([0.9, 1, 0], 1, 0.1, 0.3);
const UNKNOWN = decision([null, 1, 0], 1, null, null);
const FORCED = { ...decision([], 0, 0, null), analysis: { searches: 0, bars: [] } };

test("a choice is a mistake only if its cost is above 0 in the whole interval", () => {
  const all = [BEST, MISTAKE, CLOSE, UNKNOWN, FORCED];
  assert.deepEqual(all.map(gradeOf), ["best", "mistake", "close", "unknown", "forced"]);
  assert.deepEqual(all.map(costInWords), [
    "best choice",
    "cost +1.00 ± 0.40",
    "cost +0.10 ± 0.30",
    "cost not known",
    "the only legal action",
  ]);
  // With fewer than three searches there are no intervals.
  assert.equal(gradeOf(decision([0, 1, -1], 1, 1, null)), "mistake");
  assert.equal(gradeOf(decision([0, 1, -1], 1, -0.1, null)), "close");
});

test("the most expensive mistake is the first", () => {
  assert.deepEqual(mistakesOf([BEST, SMALLER, FORCED, MISTAKE, CLOSE]), [3, 1]);
  assert.deepEqual(mistakesOf([BEST, FORCED]), []);
});

test("the accuracy is the share of the stakes that the choices kept", () => {
  assert.equal(accuracyOf([]), null);
  assert.equal(accuracyOf([FORCED, UNKNOWN]), null);
  assert.deepEqual(accuracyOf([BEST]), { share: 1, low: 1, high: 1 });
  // Stakes of 2, 2 and 1; costs of 0, 1 ± 0.4 and 0.5 ± 0.1.
  const { share, low, high } = accuracyOf([BEST, MISTAKE, SMALLER, FORCED]) ?? { share: 0, low: 0, high: 0 };
  assert.ok(Math.abs(share - 0.7) < 1e-12);
  const half = Math.hypot(0.4, 0.1) / 5;
  assert.ok(Math.abs((low ?? 0) - (0.7 - half)) < 1e-12 && Math.abs((high ?? 0) - (0.7 + half)) < 1e-12);
  // Never outside of 0 to 1, although costs can be negative by chance.
  assert.deepEqual(accuracyOf([decision([0, 1, 0.5], 1, -0.5, 0.1)]), { share: 1, low: 1, high: 1 });
  assert.deepEqual(accuracyOf([decision([0, 1, 0.5], 1, 1, null)]), { share: 0, low: null, high: null });
});

test("a verdict says what was played and what is better", () => {
  const faces = { R1: { rank: "1", sign: "cross", hue: "red" } } as const;
  assert.equal(
    verdictInWords(MISTAKE, faces),
    "You played red 1. Better is attack (8 of 10 searches): it is worth +1.00 ± 0.40 points more.",
  );
  assert.equal(verdictInWords(BEST, faces), "You played red 1, the best choice (8 of 10 searches).");
  assert.match(verdictInWords(CLOSE, faces), /may be chance/);
  assert.match(verdictInWords(UNKNOWN, faces), /not every search tried your choice/);
  assert.equal(verdictInWords(FORCED, faces), "You played red 1, the only legal action.");
});
