// The names by which the page knows facts, cards and moves are those of the engine's games, in all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHOICES, cardOf } from "../src/cards";
import { FACTS, factInWords, GROUPS } from "../src/facts";
import { MEANINGS } from "../src/moves";
import { seatsOf } from "../src/names";
import type { Position, Table } from "../src/protocol";
import { DEALT, VERBS } from "../src/story";
import { UNITS } from "../src/unit";
import { type Ask, skip, start } from "./engine";

/** A random game: the table before each move, in the eyes of its player, and at the end. */
function played(ask: Ask, game: string, rules: string, seed: string): { position: Position; tables: Table[] } {
  const position: Position = { game, rules, seed, moves: [] };
  const tables: Table[] = [];
  for (;;) {
    const { seat } = ask("table", position, 0);
    tables.push(seat === null ? ask("open_table", position) : ask("table", position, seat));
    if (seat === null) return { position, tables };
    position.moves.push(ask("decide", position, "random", seed).id);
  }
}

test("each name that the page looks for is in a game", { skip }, async () => {
  const ask = await start();
  const found = { facts: new Set<string>(), groups: new Set<string>(), moves: new Set<string>() };
  const games = ask("games").flatMap(({ name }) => [name, `${name} play=match`].slice(0, name === "schwimmen" ? 2 : 1));
  assert.equal(games.length, 10);
  for (const one of games) {
    const [game = "", rules = ""] = one.split(" ");
    const { faces } = ask("rules", game, rules);
    for (const seed of ["1", "2", "3"]) {
      for (const { facts, scene, legal } of played(ask, game, rules, seed).tables) {
        for (const name of Object.keys(facts)) found.facts.add(name);
        for (const { name } of scene.places.flatMap(({ groups }) => groups)) found.groups.add(name);
        for (const { name } of legal) {
          const { card } = cardOf(name, faces);
          for (const part of [name, name.split(":")[0] ?? ""]) found.moves.add(card === name ? "" : part);
        }
      }
    }
  }
  const missing = (names: readonly string[], known: Set<string>) => names.filter((name) => !known.has(name));
  assert.deepEqual(missing(FACTS, found.facts), []);
  assert.deepEqual(missing(GROUPS, found.groups), []);
  assert.deepEqual(
    missing([...Object.keys(VERBS), ...Object.keys(CHOICES), ...Object.keys(MEANINGS)], found.moves),
    [],
  );
});

test("the words of a new deal and the games with units of their own are the engine's", { skip }, async () => {
  const ask = await start();
  const { position } = played(ask, "schwimmen", "play=match", "1");
  assert.ok(ask("story", position, 0).lines.some(({ words }) => words === DEALT));
  const games = ask("games").map(({ name }) => name);
  assert.deepEqual(
    Object.keys(UNITS).filter((name) => !games.includes(name)),
    [],
  );
});

test("unseen cards are told at the end only", { skip }, async () => {
  const ask = await start();
  // By the rules: decks minus what is dealt and turned up.
  for (const [game, rules, least] of [
    ["schwinget", "", 3],
    ["up_and_down", "", 0],
    ["schweins_galopp", "", 7],
    ["schweins_galopp", "players=3", 14],
    ["schwimmen", "", 32 - 12 - 8],
    ["kuhn_poker", "", 1],
    ["leduc_poker", "", 3],
    ["dark_hex", "", 0],
  ] as const) {
    const { position, tables } = played(ask, game, rules, "5");
    const unseen = ask("unseen", position);
    const held = tables.at(-1)?.scene.places.flatMap(({ groups }) => groups.flatMap(({ cards }) => cards)) ?? [];
    assert.ok(unseen.length >= least, `${game}: ${unseen}`);
    if (game.startsWith("schwi") || game.endsWith("poker"))
      assert.ok(!unseen.some((card) => held.includes(card)), game);
    if (game.startsWith("schweins")) assert.equal(unseen.length, least);
    const before = { ...position, moves: position.moves.slice(0, -1) };
    assert.throws(() => ask("unseen", before), /cards that nobody has seen are shown at the end/);
  }
});

test("no fact calls a player by the seat", { skip }, async () => {
  const ask = await start();
  for (const { name: game } of ask("games")) {
    for (const { scene } of played(ask, game, "", "3").tables) {
      const seats = seatsOf(scene);
      for (const [name, words] of scene.facts) {
        assert.doesNotMatch(factInWords(name, words, 1, seats), /\bseat\b|you connects/i, `${game}: ${name}`);
      }
    }
  }
  assert.equal(factInWords("winner", "0", 1, 2), "the opponent");
  assert.equal(factInWords("points", "4 6", 1, 2), "the opponent 4, you 6");
  assert.equal(factInWords("bids", "1x2,2x5,liar", 1, 2), "1 × 2, 2 × 5, liar");
  assert.equal(factInWords("bets", "call call - - raise fold", 1, 2), "call, call, raise, fold");
});
