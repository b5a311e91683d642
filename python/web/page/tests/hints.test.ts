// Hints: the better move and by how much, or that it is close.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Adviser, hintInWords } from "../src/advice";
import type { EngineClient } from "../src/engine";
import type { Match } from "../src/match";
import type { Judged, Rules } from "../src/protocol";
import type { Running } from "../src/running";
import { skip, start } from "./engine";

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
  const told = (cost: number | null, ci95: number | null): string => hintInWords(judged(2, cost, ci95), RULES);
  const more = "worth 0.40 points more (95 % interval 0.28 to 0.52) than knock.";
  // The cost is that of what each search chose.
  assert.equal(told(0.4, 0.12), `Hint: push (4 of 5 searches). Their choices are ${more}`);
  const all = judged(2, 0.4, 0.12);
  for (const bar of all.analysis.bars) bar.chosen = bar.id === 1 ? 1 : 0;
  assert.equal(hintInWords(all, RULES), `Hint: push, ${more}`);
  const close = "Hint: push or knock. The searches found no clear difference.";
  assert.equal(told(0.1, 0.2), close);
  // Nobody is advised to lose something.
  assert.equal(told(-0.3, 0.2), close);
  assert.equal(told(0, 0), close);
  assert.equal(told(null, null), "Hint: push (4 of 5 searches). Not every search tried the other choices.");
});

test("a hint is asked for once, and not where there is one choice", async () => {
  const [asked, answers]: [string[], string[]] = [[], []];
  const engine = {
    ask: async (_: AbortSignal, method: string) => {
      asked.push(method);
      return judged(2, 0.4, 0.12);
    },
  } as unknown as EngineClient;
  const running = { run: (signal: AbortSignal, work: (signal: AbortSignal) => unknown) => work(signal) };
  const adviser = new Adviser(engine, running as Running, (text) => answers.push(text));
  const match = (count: number) =>
    ({ playing: { position: {} }, rules: RULES, table: { legal: MOVES.slice(0, count) } }) as unknown as Match;
  const { signal } = new AbortController();
  assert.deepEqual(await adviser.hint(match(3), signal), {
    text: hintInWords(judged(2, 0.4, 0.12), RULES),
    best: 1,
  });
  assert.deepEqual([asked, answers], [["hint"], ["The search thinks about a hint."]]);
  assert.deepEqual(await adviser.hint(match(1), signal), { text: "There is only one choice: attack.", best: 0 });
});

test("a hint compares the best choice with the second best, like a review", { skip }, async () => {
  const ask = await start();
  for (const seed of ["1", "2", "3", "4"]) {
    const position = { game: "schwinget", rules: "", seed, moves: [] };
    const spec = "ismcts:iterations=300";
    const { best, action, cost, ci95, analysis } = ask("hint", position, spec, 5);
    const { legal } = ask("table", position, 0);
    const shares = analysis.bars.map(({ chosen }) => chosen);
    const chosen = (id: number): number => analysis.bars.find((bar) => bar.id === id)?.chosen ?? 0;
    assert.equal(chosen(best.id), Math.max(...shares));
    const others = analysis.bars.filter(({ id }) => id !== best.id);
    assert.equal(others.length, legal.length - 1);
    assert.equal(others.find(({ id }) => id === action.id)?.value, Math.max(...others.map(({ value }) => value ?? -9)));
    const judged = ask("judge", position, action.id, spec, 5);
    assert.deepEqual(judged.analysis, analysis);
    const isTie = judged.best.id === action.id;
    assert.deepEqual([cost, ci95], isTie ? [0, 0] : [judged.cost, judged.ci95]);
  }
});
