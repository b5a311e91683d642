// Grades, accuracy and mistakes of a review.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Accuracy,
  accuracyOf,
  type Grade,
  gradeOf,
  lossInWords,
  mistakesOf,
  sumOf,
  verdictInWords,
} from "../src/grade";
import type { Judged, Reviewed, Rules } from "../src/protocol";
import { drawAccuracy, drawLegend, summaryInWords } from "../src/summary";
import { known } from "./document";

const MOVES = [
  { id: 0, name: "R1" },
  { id: 1, name: "attack" },
  { id: 2, name: "G4" },
];

const RULES = {
  game: "schwinget",
  rules: "",
  faces: { R1: { rank: "1", sign: "cross", hue: "red" } },
} as unknown as Rules;

/** A decision between three moves of these values, in which the first was chosen. A share of the searches agrees. */
function decision(
  values: (number | null)[],
  best: number,
  cost: number | null,
  ci95: number | null,
  agreed = 0.8,
): Judged {
  const bars = values.map((value, id) => ({
    ...MOVES[id],
    value,
    ci95,
    chosen: id === best ? agreed : (1 - agreed) / 2,
  }));
  return {
    action: MOVES[0],
    best: MOVES[best],
    cost,
    ci95,
    analysis: { searches: 10, bars },
  } as Judged;
}

const BEST = decision([1, 0, -1], 0, 0.2, 0.3);
const AGREED = decision([1, 0, -1], 0, 0, 0, 1);
const MISTAKE = decision([0, 1, -1], 1, 1, 0.4);
const SMALLER = decision([0.5, 1, 0], 1, 0.5, 0.1);
const CLOSE = decision([0.9, 1, 0], 1, 0.1, 0.3);
const UNKNOWN = decision([null, 1, 0], 1, null, null);
const FORCED = { ...decision([], 0, 0, null), analysis: { searches: 0, bars: [] } };

test("a choice is a mistake only if its cost is above 0 in the whole interval", () => {
  const all = [BEST, MISTAKE, CLOSE, UNKNOWN, FORCED];
  assert.deepEqual(all.map(gradeOf), ["best", "mistake", "close", "unknown", "forced"]);
  assert.equal(gradeOf(decision([0, 1, -1], 1, -0.5, 0.1)), "close");
  // With fewer than three searches there are no intervals.
  assert.equal(gradeOf(decision([0, 1, -1], 1, 1, null)), "unknown");
});

test("the most expensive mistake is the first", () => {
  assert.deepEqual(mistakesOf([BEST, SMALLER, FORCED, MISTAKE, CLOSE]), [3, 1]);
  assert.deepEqual(mistakesOf([BEST, FORCED]), []);
});

test("the accuracy is the share of the stakes that the choices kept", () => {
  assert.equal(accuracyOf([]), null);
  assert.equal(accuracyOf([FORCED, UNKNOWN]), null);
  // Stakes of 2, 2 and 1; costs of 0, 1 ± 0.4 and 0.5 ± 0.1.
  const { share, interval } = accuracyOf([AGREED, MISTAKE, SMALLER, FORCED]) as Accuracy;
  const [low, high] = interval as [number, number];
  assert.ok(Math.abs(share - 0.7) < 1e-12);
  const half = Math.hypot(0.4, 0.1) / 5;
  assert.ok(Math.abs(low - (0.7 - half)) < 1e-12 && Math.abs(high - (0.7 + half)) < 1e-12);
  // Never outside of 0 to 1, although costs can be negative by chance.
  assert.deepEqual(accuracyOf([decision([0, 1, 0.5], 1, -0.5, 0.1)]), { share: 1, interval: [1, 1] });
  assert.deepEqual(accuracyOf([decision([0, 1, 0.5], 1, 2, 0.1)]), { share: 0, interval: [0, 0] });
});

test("the accuracy of the judge's own choices has an interval where some searches choose otherwise", () => {
  assert.deepEqual(accuracyOf([AGREED]), { share: 1, interval: null });
  // Of a stake of 2, the choice of most searches may cost 0.2 + 0.3.
  assert.deepEqual(accuracyOf([BEST]), { share: 1, interval: [0.75, 1] });
  // The other choices are no better.
  assert.deepEqual(accuracyOf([decision([1, 0, -1], 0, -0.4, 0.3)]), { share: 1, interval: [1, 1] });
  // A cost that is not known may be all that is at stake.
  assert.deepEqual(accuracyOf([decision([1, 0, -1], 0, null, null)]), { share: 1, interval: [0, 1] });
  const { share, interval } = accuracyOf([BEST, MISTAKE]) as Accuracy;
  assert.equal(share, 0.75);
  assert.deepEqual(interval, [0.75 - Math.hypot(0.5, 0.4) / 4, 0.75 + 0.4 / 4]);
});

test("a review is told in a line", () => {
  const line = (...decisions: Judged[]): string => summaryInWords(decisions as Reviewed[]);
  assert.equal(line(AGREED, MISTAKE, SMALLER), "Accuracy 70 % · 2 mistakes");
  assert.equal(line(BEST, MISTAKE), "Accuracy 75 % · 1 mistake");
  assert.equal(line(BEST), "Accuracy 100 % · no mistake");
  assert.equal(line(FORCED), "No accuracy · no mistake");
});

test("the legend names the marks that are there", () => {
  const words = (...grades: Grade[]): string[] =>
    drawLegend(grades)
      .flatMap((one) => known(one).all("li"))
      .map((one) => one.textContent);
  assert.deepEqual(words("mistake", "best", "best"), ["best choice", "mistake"]);
  assert.deepEqual(words("unknown"), ["close or not known"]);
  assert.deepEqual(words(), []);
});

test("the interval of the accuracy is told, or that there is none", () => {
  const told = (...decisions: Judged[]): string => known(drawAccuracy(decisions as Reviewed[])).textContent;
  assert.match(told(BEST), /^Accuracy 100 % \(95 % interval 75 % to 100 %\): /);
  assert.match(told(AGREED), /^Accuracy 100 % \(no interval, because all searches agree\): /);
  assert.match(told(SMALLER, CLOSE, MISTAKE), /^Accuracy \d+ % \(95 % interval \d+ % to \d+ %\): /);
  assert.match(told(decision([0, 1, 0], 1, 0.5, 0.001)), /^Accuracy 50 % \(95 % interval less than 1 % wide\): /);
});

test("a verdict says what is better only if that is shown, and by how much", () => {
  const verdict = (one: Judged): string => verdictInWords(one, RULES);
  const better = "by 1.00 points (95 % interval 0.60 to 1.40).";
  assert.equal(verdict(decision([0, 1, -1], 1, 1, 0.4, 1)), `You played red 1. Better: attack, ${better}`);
  // The cost is that of the choices of all searches, not only of those that agree.
  assert.equal(verdict(MISTAKE), `You played red 1. Most searches prefer attack, ${better}`);
  assert.equal(verdict(CLOSE), "You played red 1. No difference shown: it is close.");
  assert.equal(verdict(decision([0, 1, -1], 1, -0.1, 0.3)), "You played red 1. No difference shown: it is close.");
  assert.equal(verdict(decision([0, 1, -1], 1, -0.5, 0.1)), "You played red 1. Nothing better was found.");
  assert.equal(verdict(decision([1, 0, -1], 0, 0, 0, 1)), "You played red 1, the best choice.");
  assert.equal(verdict(BEST), "You played red 1, as 8 of 10 searches would.");
  assert.match(verdict(UNKNOWN), /not every search tried it/);
  assert.equal(verdict(FORCED), "You played red 1, the only legal action.");
});

test("a loss has the unit of its game, and an interval that leaves out 0", () => {
  const loss = { cost: 0.4, ci95: 0.3 };
  const of = (game: string, rules = ""): string | null => lossInWords(loss, { ...RULES, game, rules });
  assert.equal(of("up_and_down"), "0.40 tricks (95 % interval 0.10 to 0.70)");
  assert.equal(of("schweins_galopp", "players=3"), "0.40 food (95 % interval 0.10 to 0.70)");
  assert.equal(of("schweins_galopp", "utility=win"), "0.40 points (95 % interval 0.10 to 0.70)");
  assert.equal(lossInWords({ cost: 0.0041, ci95: 0.003 }, RULES), "0.004 points (95 % interval 0.001 to 0.007)");
  assert.equal(lossInWords({ cost: 0.1, ci95: 0.1 }, RULES), null);
  assert.deepEqual(sumOf([loss, { cost: -0.2, ci95: 0.4 }]), { cost: 0.2, ci95: 0.5 });
});
