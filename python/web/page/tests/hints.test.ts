// Hints: the better move and by how much, or that it is close.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Adviser, hintInWords } from "../src/advice";
import type { EngineClient } from "../src/engine";
import type { Match } from "../src/match";
import type { Judged, Rules } from "../src/protocol";
import type { Running } from "../src/running";

const MOVES = [
  { id: 0, name: "attack" },
  { id: 1, name: "push" },
  { id: 2, name: "knock" },
];
const RULES = { game: "schwinget", rules: "", faces: {} } as unknown as Rules;
const VALUES = [0.1, 0.9, 0.5];

/** The judgement of one of these moves. The second is chosen by 4 of 5 searches. */
function judged(action: number, cost: number | null, ci95: number | null): Judged {
  const bars = MOVES.map((move, id) => ({ ...move, value: VALUES[id], ci95: 0.1, chosen: id === 1 ? 0.8 : 0.1 }));
  return { action: MOVES[action], best: MOVES[1], cost, ci95, analysis: { searches: 5, bars } } as Judged;
}

test("a hint tells by how much a move is better, or that it is close", () => {
  const told = (cost: number | null, ci95: number | null): string =>
    hintInWords(judged(2, cost, ci95), RULES, judged(2, cost, ci95).best);
  assert.equal(
    told(0.4, 0.12),
    "Hint: push is better than knock, by 0.40 points (95 % interval 0.28 to 0.52); 4 of 5 searches chose it.",
  );
  const close = "Hint: push or knock. The searches found no clear difference; 4 of 5 searches chose push.";
  assert.equal(told(0.1, 0.2), close);
  // Nobody is advised to lose something.
  assert.equal(told(-0.3, 0.2), close);
  assert.equal(told(null, null), "Hint: push (4 of 5 searches). Not every search tried the other choices.");
});

test("a hint never compares a choice with itself", () => {
  // In a tie the choice that is asked about counts as the best.
  const tie = { ...judged(2, 0, 0.1), best: MOVES[2] } as Judged;
  assert.match(
    hintInWords(tie, RULES, MOVES[1] as Judged["best"]),
    /^Hint: push or knock\. The searches found no clear difference; . of 5 searches chose push\.$/,
  );
});

test("a hint compares the best choice with the next best", async () => {
  const [asked, answers]: [number[], string[]] = [[], []];
  const engine = {
    ask: async (_: AbortSignal, __: string, ___: object, action: number) => {
      asked.push(action);
      return judged(action, 0.9 - (VALUES[action] ?? 0), 0.12);
    },
  } as unknown as EngineClient;
  const running = { run: (signal: AbortSignal, work: (signal: AbortSignal) => unknown) => work(signal) };
  const adviser = new Adviser(engine, running as Running, (text) => answers.push(text));
  const match = (count: number) =>
    ({ playing: { position: {} }, rules: RULES, table: { legal: MOVES.slice(0, count) } }) as unknown as Match;
  const { signal } = new AbortController();
  const hint = await adviser.hint(match(3), signal);
  assert.deepEqual(hint, {
    text: "Hint: push is better than knock, by 0.40 points (95 % interval 0.28 to 0.52); 4 of 5 searches chose it.",
    best: 1,
  });
  assert.deepEqual(asked, [0, 2]);
  assert.deepEqual(answers, ["The search thinks about a hint."]);
  assert.deepEqual(await adviser.hint(match(1), signal), { text: "There is only one choice: attack.", best: 0 });
});
