// The parts of the page that need no browser. python/tests/test_web_parts.py runs them.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { cumulated, interval, measured } from "../src/chart";
import { countOf } from "../src/count";
import { type Playing, playLink, readNumber, readPlaying, readRoute, readSeat, recall, reviewLink } from "../src/link";
import { Memory } from "../src/memory";
import { LONGEST, checkRecord, readRecord } from "../src/record";
import { elapsed } from "../src/running";
import { Kept } from "../src/storage";

const WASM = new URL("../src/wasm/", import.meta.url);

/** A storage in memory, or one that refuses everything. */
function storage(limit = Infinity): Storage {
  const texts = new Map<string, string>();
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => {
      if (text.length > limit) throw new DOMException("full", "QuotaExceededError");
      texts.set(key, text);
    },
  } as Storage;
}

function blocked(): Storage {
  throw new DOMException("denied", "SecurityError");
}

function game(moves: number[], changes: Partial<Playing> = {}): Playing {
  const position = { game: "schwinget", rules: "", seed: "7", moves };
  return { position, agent: "network", seat: 0, from: 0, ...changes };
}

test("storage that is blocked or full keeps texts as long as the page", () => {
  const ordinary = storage();
  new Kept(() => ordinary).set("key", "text");
  assert.equal(new Kept(() => ordinary).get("key"), "text");
  for (const open of [blocked, () => storage(2)]) {
    const kept = new Kept(open);
    assert.equal(kept.get("key"), null);
    kept.set("key", "text");
    assert.equal(kept.get("key"), "text");
    assert.equal(new Kept(open).get("key"), null);
  }
});

test("agents do not decide again what they have decided", () => {
  const shared = storage();
  const memory = new Memory(new Kept(() => shared));
  memory.keep(game([1, 2, 3]));
  memory.keep(game([1, 2, 3, 4]));
  memory.keep(game([1, 5, 6]));
  const next = (other: Playing): number | undefined => new Memory(new Kept(() => shared)).next(other);
  assert.deepEqual([[], [1], [1, 2], [1, 2, 3], [1, 5]].map((moves) => next(game(moves))), [1, 5, 3, 4, 6]);
  for (const moves of [[1, 2, 3, 4], [2], [1, 6]]) assert.equal(next(game(moves)), undefined);
  // Another agent, seat, seed, game or record is another game.
  assert.equal(next(game([1, 2], { agent: "random" })), undefined);
  assert.equal(next(game([1, 2], { seat: 1 })), undefined);
  for (const change of [{ seed: "8" }, { game: "schwimmen" }, { rules: "bouts=3" }, { record: "stier-record 1" }]) {
    assert.equal(next(game([], { position: { ...game([1, 2]).position, ...change } })), undefined);
  }
  // What stood in the link was not decided.
  memory.keep(game([9, 9, 9], { from: 2 }));
  assert.equal(next(game([9])), undefined);
  assert.equal(next(game([9, 9], { from: 2 })), 9);
  // Only so many are kept.
  for (let seed = 0; seed < 100; seed++) {
    memory.keep(game([1], { position: { ...game([1]).position, seed: String(seed) } }));
  }
  assert.equal(JSON.parse(shared.getItem("games") as string).length, 20);
  assert.equal(new Memory(new Kept(blocked)).next(game([])), undefined);
});

test("numbers in links are bounded like the fields that they fill", () => {
  const read = (text: string): number => readNumber(new URLSearchParams({ n: text }), "n", 1, 10_000, 200);
  assert.equal(readNumber(new URLSearchParams(), "n", 1, 10_000, 200), 200);
  assert.deepEqual(["1", "007", "10000"].map(read), [1, 7, 10_000]);
  for (const text of ["", "0", "10001", "99999999", "-1", "1.5", "1e3", "abc", "NaN", "Infinity", " 1", "９"]) {
    assert.throws(() => read(text), { message: "n must be a whole number from 1 to 10000" }, text);
  }
  assert.equal(readSeat(new URLSearchParams()), 0);
  assert.throws(() => readSeat(new URLSearchParams("seat=-1")), /from 0 to 255/);
  assert.throws(() => readSeat(new URLSearchParams("seat=2"), 2), /from 0 to 1$/);
  for (const name of ["moves", "from"]) {
    for (const moves of ["256", "300", "-1", "1.x", "1e2", "1.99999999999"]) {
      const route = readRoute(`#play/schwinget?seed=7&${name}=${moves}`);
      assert.throws(() => readPlaying(route), new RegExp(`${name} must be numbers of actions from 0 to 255`), moves);
    }
  }
});

test("a link holds a game and the person's choices", () => {
  const route = readRoute(playLink(game([1, 2, 3], { from: 1, seat: 1 }), [3]));
  assert.equal(`${route.tab}/${route.game}`, "play/schwinget");
  assert.deepEqual(readPlaying(route), { begun: game([1], { from: 1, seat: 1 }), choices: [3] });
  assert.equal(readRoute("#nothing").tab, "play");
  // A long record is kept by the tab.
  const record = "stier-record 1\n".repeat(200);
  const kept = readRoute(reviewLink(record, 1)).settings;
  assert.ok(kept.has("kept") && !kept.has("record"));
  assert.equal(recall(kept), record);
  assert.equal(recall(new URLSearchParams("kept=elsewhere")), null);
});

test("a file that is not a record is refused by its beginning and its size", async () => {
  const record = "stier-record 1\ngame: schwinget\n";
  assert.equal(await readRecord(new File([record], "a.txt")), record);
  const picture = new File(["\x89PNG", "x".repeat(100)], "a.png");
  await assert.rejects(readRecord(picture), /a\.png is not a record: its first line/);
  await assert.rejects(readRecord(new File([], "empty")), /empty is not a record: its first line/);
  const long = new File([record, "x".repeat(LONGEST)], "long.txt");
  long.text = () => assert.fail("a long file is not read");
  await assert.rejects(readRecord(long), /long\.txt is not a record: it has 1\.0 MB/);
  checkRecord(record);
  assert.throws(() => checkRecord("x".repeat(LONGEST + 1)), /at most 1,000,000 characters/);
});

test("no interval is 0.00", () => {
  assert.deepEqual([null, 0, 0.0001, 0.004, 0.1].map(interval), ["", "", " ± 0.01", " ± 0.01", " ± 0.10"]);
  assert.deepEqual([measured(0, 0), measured(-0.2, 0.58), measured(1, null)], ["0.00", "−0.20 ± 0.58", "+1.00"]);
  const sums = cumulated([{ label: "1", cost: 0, ci95: 0, words: "" }, { label: "2", cost: 1, ci95: 0.5, words: "" }]);
  assert.deepEqual(sums, [{ cost: 0, ci95: 0 }, { cost: 1, ci95: 0.5 }]);
  const { games } = JSON.parse(readFileSync(new URL("../src/trainer.json", import.meta.url), "utf-8"));
  for (const { worth, ci95 } of games.flatMap((one: { positions: object[] }) => one.positions)) {
    assert.ok(!measured(worth, ci95).includes("± 0.00"));
  }
});

test("a time is told in seconds and minutes", () => {
  assert.deepEqual([0, 999, 59_999, 60_000, 125_000].map(elapsed), ["0 s", "0 s", "59 s", "1 min 0 s", "2 min 5 s"]);
});

test("the trainer counts every hand as the rule of thumb does", {
  skip: existsSync(new URL("stier_web_bg.wasm", WASM)) ? false : "make web has not compiled the engine",
}, async () => {
  const engine = await import(new URL("stier_web.js", WASM).href);
  engine.initSync({ module: readFileSync(new URL("stier_web_bg.wasm", WASM)) });
  const ask = (method: string, ...args: unknown[]) => JSON.parse(engine.call(method, JSON.stringify(args)));
  const { games } = JSON.parse(readFileSync(new URL("../src/trainer.json", import.meta.url), "utf-8"));
  let tried = 0;
  for (const { game, rules, positions } of games) {
    const { faces } = ask("rules", game, rules);
    for (const { seed, moves, seat, count } of positions) {
      const position = { game, rules, seed, moves };
      const parts = countOf(ask("table", position, seat), ask("story", position, seat), seat, faces);
      assert.equal(parts?.reduce((sum, { points }) => sum + points, 0) ?? null, count, JSON.stringify(position));
      tried++;
    }
  }
  assert.equal(tried, 150);
});
