// The parts of the page that need no browser. python/tests/test_web_parts.py runs them.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Analyst } from "../src/analyst";
import { countOf } from "../src/count";
import { type Playing, playLink, readNumber, readPlaying, readRoute, readSeat, recall, reviewLink } from "../src/link";
import { Memory } from "../src/memory";
import { seatInSentence, seatName } from "../src/names";
import { outcomeInWords } from "../src/outcome";
import type { Sentence, Table } from "../src/protocol";
import { checkRecord, LONGEST, readRecord } from "../src/record";
import { Repetition } from "../src/repetition";
import { elapsed } from "../src/running";
import { Score } from "../src/score";
import { find, keep } from "../src/shelf";
import { Kept } from "../src/storage";
import { finishedTricks } from "../src/trick";
import { interval, measured } from "../src/words";

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

test("damaged texts count as none", () => {
  const playing = game([1]);
  for (const text of [
    "x",
    "null",
    "1",
    "{}",
    "[1]",
    '[{"position":{}}]',
    '{"tallies":{"a":1},"counted":[]}',
    '{"now":""}',
  ]) {
    const texts = storage();
    const kept = new Kept(() => texts);
    for (const key of ["scores", "games", "trainer-wrong", "trainer-streak"]) kept.set(key, text);
    const [score, memory, repetition] = [new Score(kept), new Memory(kept), new Repetition(kept)];
    assert.ok(score.isNew, text);
    score.count(playing, "won");
    assert.deepEqual(score.of(playing), { won: 1, drawn: 0, lost: 0 });
    assert.equal(memory.next(game([])), undefined, text);
    memory.keep(playing);
    assert.equal(memory.next(game([])), 1);
    assert.deepEqual([repetition.due(), repetition.streak()], [[], { now: 0, best: 0 }], text);
    repetition.note("full.1", true);
    assert.deepEqual(repetition.streak(), { now: 1, best: 1 });
  }
});

test("searches of one position never read another", async () => {
  let [begun, searches] = ["", 0];
  const ask = async (signal: AbortSignal, method: string, position: { seed: string }): Promise<unknown> => {
    if (method === "analyse") [begun, searches] = [position.seed, 0];
    await new Promise((resolve) => setTimeout(resolve, 1));
    signal.throwIfAborted();
    return { searches: ++searches, bars: [], seed: begun };
  };
  const analyst = new Analyst({ ask } as never);
  const [first, stopped] = [new AbortController(), new AbortController()];
  const heard: string[] = [];
  const run = (control: AbortController, seed: string) =>
    analyst.run(control.signal, { ...game([]).position, seed }, "best", 3, (found) =>
      heard.push((found as unknown as { seed: string }).seed),
    );
  const runs = [run(first, "1"), run(stopped, "2"), run(first, "3")];
  stopped.abort();
  const ends = await Promise.allSettled(runs);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(heard, ["1", "1", "1", "3", "3", "3"]);
});

test("a browser keeps the latest solutions, as many as have room", async () => {
  const kept = new Map<string, Response>();
  const cache = {
    keys: async () => [...kept.keys()],
    match: async (key: string) => kept.get(key)?.clone(),
    delete: async (key: string) => kept.delete(key),
    put: async (key: string, response: Response) => {
      kept.delete(key);
      kept.set(key, response);
    },
  };
  Object.assign(globalThis, { caches: { open: async () => cache } });
  const sizeOf = async (iterations: number) => (await find("schwinget", "", iterations))?.length ?? null;
  for (let iterations = 1; iterations <= 25; iterations++) {
    await keep("schwinget", "", iterations, new Uint8Array(iterations));
  }
  assert.equal(kept.size, 20);
  assert.deepEqual([await sizeOf(5), await sizeOf(6), await sizeOf(25)], [null, 6, 25]);
  await keep("schwinget", "", 26, new Uint8Array(150_000_000));
  await keep("schwinget", "", 27, new Uint8Array(60_000_000));
  assert.deepEqual([kept.size, await sizeOf(26), await sizeOf(27)], [1, null, 60_000_000]);
  await keep("schwinget", "", 28, new Uint8Array(200_000_001));
  assert.deepEqual([kept.size, await sizeOf(28)], [1, null]);
});

test("agents do not decide again what they have decided", () => {
  const shared = storage();
  const memory = new Memory(new Kept(() => shared));
  memory.keep(game([1, 2, 3]));
  memory.keep(game([1, 2, 3, 4]));
  memory.keep(game([1, 5, 6]));
  const next = (other: Playing): number | undefined => new Memory(new Kept(() => shared)).next(other);
  assert.deepEqual(
    [[], [1], [1, 2], [1, 2, 3], [1, 5]].map((moves) => next(game(moves))),
    [1, 5, 3, 4, 6],
  );
  for (const moves of [[1, 2, 3, 4], [2], [1, 6]]) assert.equal(next(game(moves)), undefined);
  // Another agent, seat, seed, game or record is another game.
  assert.equal(next(game([1, 2], { agent: "random" })), undefined);
  assert.equal(next(game([1, 2], { seat: 1 })), undefined);
  for (const change of [{ seed: "8" }, { game: "schwimmen" }, { rules: "bouts=3" }, { record: "stier-record 1" }]) {
    assert.equal(next(game([], { position: { ...game([1, 2]).position, ...change } })), undefined);
  }
  // The moves in the link were not decided here.
  memory.keep(game([9, 9, 9], { from: 2 }));
  assert.equal(next(game([9])), undefined);
  assert.equal(next(game([9, 9], { from: 2 })), 9);
  // Only so many are kept.
  for (let seed = 0; seed < 100; seed++) {
    memory.keep(game([1], { position: { ...game([1]).position, seed: String(seed) } }));
  }
  assert.equal(JSON.parse(shared.getItem("stier-games") as string).length, 20);
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

/** A table of Schwinget for seat 0, with these facts. */
function bout(facts: Record<string, unknown>, returns: number[] | null = null) {
  const place = (seat: number | null) => ({ seat, suit: null, groups: [], remarks: [] });
  const scene = {
    title: "",
    facts: [],
    track: [],
    places: [place(1), place(null), place(0)],
    next: "",
    tells_returns: true,
  };
  const always = {
    bout: 1,
    attacker: null,
    led: null,
    answer: null,
    neutral_trick: false,
    tricks: [0, 0],
    scores: [0, 0],
  };
  return { scene, facts: { ...always, ...facts }, seat: null, legal: [], returns, knowledge: "" } as unknown as Table;
}

test("a bout ends in words that tell why", () => {
  const told = (scores: number[], tricks: number[], attacker: number | null, you = 0, number = 1): string =>
    outcomeInWords(
      "schwinget",
      bout({ scores, tricks, attacker, bout: number }, [
        (scores[0] ?? 0) - (scores[1] ?? 0),
        (scores[1] ?? 0) - (scores[0] ?? 0),
      ]),
      you,
    );
  assert.equal(told([3, 1], [6, 4], 0), "You win 3 to 1: more tricks, 6 to 4, after your attack.");
  assert.equal(told([3, 1], [6, 4], 0, 1), "You lose 1 to 3: fewer tricks, 4 to 6, after the opponent's attack.");
  assert.equal(told([7, 0], [5, 0], 0), "You win 7 to 0: you won every trick after your attack (a flat throw).");
  assert.equal(
    told([5, 0], [7, 1], 1),
    "You win 5 to 0: you won every trick after the opponent's attack (a flat throw).",
  );
  assert.equal(
    told([0, 5], [1, 7], 0),
    "You lose 0 to 5: the opponent won every trick after your attack (a flat throw).",
  );
  assert.equal(
    told([1, 7], [3, 5], 1),
    "You lose 1 to 7: the opponent won every trick after its attack (a flat throw).",
  );
  assert.equal(told([2, 1], [7, 4], null), "You win 2 to 1: more tricks, 7 to 4.");
  assert.equal(told([1, 1], [3, 3], 1), "A draw, 1 to 1: 3 tricks each, after the opponent's attack.");
  // Other points do not tell the reason.
  assert.equal(told([10, 8.5], [5, 0], 0), "You win 10 to 8.5.");
  assert.equal(told([9.75, 8.75], [6, 4], 0), "You win 9.75 to 8.75.");
  // Over several bouts there is not one reason.
  assert.equal(told([8, 3], [6, 4], 0, 0, 4), "You win 8 to 3.");
  assert.equal(outcomeInWords("kuhn_poker", bout({}, [1, -1]), 1), "You lose: the opponent +1, you −1.");
});

test("a deal counts once in the running score", () => {
  const shared = storage();
  const score = (): Score => new Score(new Kept(() => shared));
  assert.ok(score().isNew);
  score().count(game([1, 2]), "won");
  score().count(game([1, 3]), "lost");
  // In the other seat the cards are known, too.
  score().count(game([], { seat: 1 }), "drawn");
  // Neither does a game that someone else began.
  score().count(game([1], { from: 1 }), "won");
  assert.deepEqual(score().of(game([])), { won: 1, drawn: 0, lost: 0 });
  assert.deepEqual(score().of(game([], { agent: "greedy" })), { won: 0, drawn: 0, lost: 0 });
  assert.ok(!score().isNew);
});

test("finished tricks are found between tables", () => {
  const faces = Object.fromEntries(
    ["G1", "G2", "KR", "B3"].map((card) => [card, { rank: "1", sign: "leaf", hue: "green" }]),
  );
  const moved = ["G1", "G2", "KR", "B3"].map((event, index) => ({
    mover: [0, 1, 1, 0][index],
    about: 0,
    said: { kind: "move" },
    event,
    likely: false,
    forced: false,
    follows: false,
  }));
  const tables = [
    bout({ leader: 0 }),
    bout({ leader: 0, led: "G1" }),
    bout({ leader: 1, tricks: [0, 1] }),
    bout({ leader: 1, led: "KR", tricks: [0, 1] }),
    bout({ leader: 1, tricks: [0, 1], neutral_trick: true }),
  ];
  const found = finishedTricks(tables, moved as Sentence[], faces as never);
  assert.deepEqual(found, [
    null,
    {
      slots: [
        { seat: 0, card: "G1" },
        { seat: 1, card: "G2" },
      ],
      leader: 0,
      winner: 1,
    },
    null,
    {
      slots: [
        { seat: 0, card: "B3" },
        { seat: 1, card: "KR" },
      ],
      leader: 1,
      winner: null,
    },
  ]);
  assert.deepEqual(finishedTricks(tables.slice(0, 2), (moved as Sentence[]).slice(0, 1), faces as never), [null]);
});

test("seats are called from where the person sits", () => {
  assert.deepEqual(
    [0, 1].map((seat) => seatName(seat, 1, 2)),
    ["Opponent", "You"],
  );
  assert.deepEqual(
    [0, 1, 2].map((seat) => seatName(seat, 1, 3)),
    ["Right", "You", "Left"],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((seat) => seatName(seat, 3, 4)),
    ["Left", "Across", "Right", "You"],
  );
  assert.deepEqual(
    [seatInSentence(0, 1, 2), seatInSentence(1, 1, 2), seatName(1, null, 2)],
    ["the opponent", "you", "Player 2"],
  );
});
