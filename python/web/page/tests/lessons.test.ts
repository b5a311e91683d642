// The teacher's notes in the lessons, with the compiled engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSONS, type Lesson, noteAt, playingOf } from "../src/lessons";
import type { Match } from "../src/match";
import type { Position, Rules, Table } from "../src/protocol";
import { finishedTricks } from "../src/trick";
import { type Ask, skip, start } from "./engine";

/** Plays a lesson by one way of choosing: the tables of the person, each with what the teacher says there. */
function played(ask: Ask, lesson: Lesson, choose: (table: Table) => number): { table: Table; note: string | null }[] {
  const playing = playingOf(lesson);
  const rules: Rules = ask("rules", "schwinget", lesson.rules);
  const position: Position = { ...playing.position, moves: [] };
  const tables: Table[] = [];
  const shown: { table: Table; note: string | null }[] = [];
  for (;;) {
    const table = ask("table", position, 0);
    tables.push(table);
    if (table.seat !== 1) {
      const moved = ask("story", position, 0).lines.filter(({ mover }) => mover !== null);
      const match = { playing: { ...playing, position }, rules, tables } as unknown as Match;
      shown.push({ table, note: noteAt(match, finishedTricks(tables, moved, rules.faces)) });
    }
    if (table.seat === null) return shown;
    position.moves.push(table.seat === 0 ? choose(table) : ask("decide", position, "greedy", position.seed).id);
  }
}

/** Several ways of choosing, which differ from move to move. */
const WAYS = Array.from({ length: 12 }, (_, way) => {
  let state = way + 1;
  return ({ legal }: Table): number => {
    state = (state * 48271) % 2147483647;
    return legal[state % legal.length]?.id ?? 0;
  };
});

test("the choice of the leader after a neutral trick is explained", { skip }, async () => {
  const ask = await start();
  const isAsked = ({ legal }: Table): boolean => legal.some(({ name }) => name === "lead:self");
  for (const lesson of LESSONS.slice(1)) {
    let asked = 0;
    for (const way of WAYS) {
      const shown = played(ask, lesson, way);
      const first = shown.findIndex(({ table }) => isAsked(table));
      const explained = shown.flatMap(({ note }, index) => (note?.includes("who leads the next trick") ? index : []));
      assert.deepEqual(explained, first < 0 ? [] : [first]);
      if (first >= 0) asked++;
    }
    assert.ok(asked > 0 || lesson !== LESSONS[1]);
  }
});

test("a card with a name of its own is explained while the person holds it, or when it was played", {
  skip,
}, async () => {
  const ask = await start();
  const lesson = LESSONS[1] as Lesson;
  let explained = 0;
  for (const way of WAYS) {
    const shown = played(ask, lesson, way);
    for (const [name, text] of [
      ["KR", "The card with the whistle"],
      ["BK", "The card with the bolt"],
    ] as const) {
      const said = shown.flatMap(({ note }, index) => (note?.includes(text) ? index : []));
      // The first moment after which the card lies in a trick of the person or the opponent.
      const out = shown.findIndex(({ table }) => {
        const facts = table.facts as { played: string[][] };
        return facts.played.some((cards) => cards.includes(name));
      });
      if (out >= 0) assert.ok(said.length === 1 && Number(said[0]) <= out + 1, `${name} ${said} ${out}`);
      explained += said.length;
    }
  }
  assert.ok(explained > WAYS.length);
});

test("the first lesson does not leave the referee on its table unexplained", { skip }, async () => {
  const ask = await start();
  const [first] = played(ask, LESSONS[0] as Lesson, WAYS[0] as (table: Table) => number);
  assert.match(first?.note ?? "", /The referee on the table/);
});

test("the referee and the counter are explained to everyone who holds them", { skip }, async () => {
  const ask = await start();
  const found = { KR: 0, BK: 0 };
  for (const way of WAYS) {
    const shown = played(ask, LESSONS[1] as Lesson, way);
    const notes = shown.map(({ note }) => note ?? "");
    for (const [card, words] of [
      ["KR", "is the referee"],
      ["BK", "is the counter"],
    ] as const) {
      const isHeld = shown.some(({ table }) =>
        table.scene.places.some(
          ({ seat, groups }) => seat === 0 && groups.some(({ held, cards }) => held && cards.includes(card)),
        ),
      );
      const times = notes.filter((note) => note.includes(words)).length;
      assert.equal(times, isHeld ? 1 : 0, `${card}: ${notes.join(" | ")}`);
      found[card] += times;
    }
  }
  assert.ok(found.KR > 0 && found.BK > 0);
});

test("a lost trick is explained by its suits", { skip }, async () => {
  const ask = await start();
  const seen = new Set<string>();
  for (const way of WAYS) {
    const shown = played(ask, LESSONS[0] as Lesson, way);
    for (const { note } of shown) {
      const [said] = /The \w+ \d is higher than your \w+ \d|A card of another suit loses/.exec(note ?? "") ?? [];
      if (!said) continue;
      const [other, own] = [...said.matchAll(/(\w+) (\d)/g)];
      if (other && own) {
        assert.equal(other[1], own[1], said);
        assert.ok(Number(other[2]) > Number(own[2]), said);
      }
      seen.add(other ? "higher" : "void");
    }
    // The rule for the next card is told beside it.
    if (shown.some(({ note }) => /opponent leads\. .* must play/.test(note ?? ""))) seen.add("both");
  }
  assert.deepEqual([...seen].sort(), ["both", "higher", "void"]);
});
