// Links for other people, and the deal of the day.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dailyLink, dateOfDeal, resultText } from "../src/daily";
import { playLink, readPlaying, readRoute, wholeLink } from "../src/link";

const globals = globalThis as unknown as { ADDRESS: string; ENTRANCES: string[]; location: URL };

/** Builds in mind: the address that vite.config.ts puts in, and where the page is open. */
function at(address: string): void {
  globals.ADDRESS = address;
  globals.ENTRANCES = ["schwinget"];
  globals.location = new URL("http://127.0.0.1:7843/#review");
}

test("a link for others leads to the address of the publisher, or else to this one", () => {
  at("");
  assert.equal(wholeLink("#play/schwinget?seed=7"), "http://127.0.0.1:7843/#play/schwinget?seed=7");
  at("https://example.org/page/");
  assert.equal(wholeLink("#play/schwinget?seed=7"), "https://example.org/page/schwinget.html#play/schwinget?seed=7");
  assert.equal(wholeLink("#play/kuhn_poker?seed=7"), "https://example.org/page/#play/kuhn_poker?seed=7");
  assert.equal(wholeLink("#solutions"), "https://example.org/page/#solutions");
});

test("a link says which of its parts are unknown", () => {
  const unknown = (hash: string): string[] => readRoute(hash).unknown;
  for (const known of [
    "",
    "#play",
    "#play/schwinget?rules=bouts=3&seed=7&agent=random&seat=1&from=1.2&moves=3&record=r&kept=k",
    "#review?seat=1&record=r&kept=k",
    "#trainer?seed=5",
    "#solutions/schwinget?rules=suits=2&iterations=9&at=0.1&hand=3",
  ])
    assert.deepEqual(unknown(known), [], known);
  assert.deepEqual(unknown("#play/schwinget?sead=7&agent=random&seed=7&move=1"), ["sead=7", "move=1"]);
  assert.deepEqual(unknown("#review?seed=7"), ["seed=7"]);
  // The address of an unknown view is not another view's.
  assert.deepEqual(readRoute("#lesson/1?seed=7"), {
    tab: "play",
    game: "",
    settings: new URLSearchParams(),
    unknown: ["#lesson/1?seed=7"],
  });
  // Other programs change links.
  for (const changed of [
    "#play/schwinget?seed=7&amp;seat=1&amp;moves=3",
    "#play%2Fschwinget%3Fseed%3D7%26seat%3D1%26moves%3D3",
    "#play/schwinget?seed=7&seat=1&moves=3).",
  ]) {
    const { begun, choices } = readPlaying(readRoute(changed)) ?? {};
    assert.deepEqual([begun?.position.seed, begun?.seat, choices], ["7", 1, [3]], changed);
  }
  assert.deepEqual(unknown("#play%3Fseed=%zz"), ["#play%3Fseed=%zz"]);
  assert.deepEqual(unknown("#review/xyz"), ["xyz"]);
  assert.deepEqual(unknown("#solutions?at=0.1"), ["at=0.1"]);
  assert.deepEqual(unknown("#play/schwinget?seed=7&seed=8"), ["seed=8"]);
  for (const part of ["moves=1", "from=1", "record=r"])
    assert.throws(() => readPlaying(readRoute(`#play/schwinget?${part}`)), /no seed of the deal/);
});

test("the deal of a day has its date as the seed", () => {
  const read = (hash: string) => {
    const playing = readPlaying(readRoute(hash));
    assert.ok(playing);
    return playing.begun;
  };
  const link = dailyLink(new Date(2026, 10, 7));
  assert.equal(link, "#play/schwinget?seed=20261107&agent=network&seat=1");
  const daily = read(link);
  assert.equal(dateOfDeal(daily), "2026-11-07");
  // Choices do not change it.
  assert.equal(dateOfDeal({ ...daily, position: { ...daily.position, moves: [1, 2] } }), "2026-11-07");
  const tomorrow = read(dailyLink(new Date(2026, 10, 8)));
  assert.deepEqual([tomorrow.position.seed, tomorrow.seat], ["20261108", 0]);
  const others = [
    { ...daily, agent: "random" },
    { ...daily, seat: 0 },
    { ...daily, from: 1 },
    { ...daily, position: { ...daily.position, rules: "bouts=3" } },
    { ...daily, position: { ...daily.position, game: "schwimmen" } },
    { ...daily, position: { ...daily.position, record: "stier-record 1" } },
    ...["7", "20261131", "20270229", "20261301", "19261107", "202611070"].map((seed) => ({
      ...daily,
      position: { ...daily.position, seed },
      seat: Number(seed) % 2,
    })),
  ];
  for (const other of others) assert.equal(dateOfDeal(other), null, playLink(other, []));
  assert.equal(dateOfDeal(read(dailyLink(new Date(2028, 1, 29)))), "2028-02-29");
});

test("the result of a day is told without a sign", () => {
  const agent = "the club player (a trained network)";
  at("https://example.org/page/");
  assert.match(
    resultText("2026-11-08", 3, agent, -7, ["undo", "hint"]),
    /: I won by 3, with hint and undo\. In my seat, the/,
  );
  assert.deepEqual(resultText("2026-11-08", 3, agent, -7).split("\n"), [
    "Stier, deal of the day 2026-11-08",
    "Schwinget: I won by 3. In my seat, the club player (a trained network) lost by 7.",
    "https://example.org/page/schwinget.html#play/schwinget?seed=20261108&agent=network&seat=0",
  ]);
  // The address of a page on one's own computer is of no use to others.
  at("");
  assert.equal(resultText("2026-11-08", 3, agent, -7).split("\n").length, 2);
  assert.match(
    resultText("2026-11-08", -1, agent, 0),
    /I lost by 1\. In my seat, the club player \(a trained network\) drew\./,
  );
});
