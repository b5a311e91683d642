// The names by which the page knows facts, cards and moves are those of the engine's games, in all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHOICES, cardOf } from "../src/cards";
import { drawFact, FACTS, factInWords, GROUPS } from "../src/facts";
import { MEANINGS } from "../src/moves";
import type { Position, Table, Value } from "../src/protocol";
import { VERBS } from "../src/story";
import { UNITS } from "../src/unit";
import "./document";
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

test("the games with units of their own are the engine's", { skip }, async () => {
  const ask = await start();
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
    const { faces } = ask("rules", game, "");
    for (const table of played(ask, game, "", "3").tables) {
      for (const [name, words] of table.scene.facts) {
        const shown = drawFact(table, name, words, faces, 1);
        for (const value of shown?.value ?? [])
          assert.ok(typeof value !== "string" || !/\bseat\b/i.test(value), `${game}: ${name}: ${value}`);
      }
    }
  }
});

test("facts are told from their values", () => {
  const told = (name: string, value: Value, words = "not read"): string => factInWords({ name, value, words }, 1, 2);
  assert.equal(told("winner", 0), "the opponent");
  assert.equal(told("winner", 1), "you");
  assert.equal(told("points", [4, 6]), "the opponent 4, you 6");
  assert.equal(told("bids", ["1x2", "2x5", "liar"]), "1 × 2, 2 × 5, liar");
  assert.equal(
    told("bets", [
      ["call", "call", null],
      [null, "raise", "fold"],
    ]),
    "call, call, raise, fold",
  );
  assert.equal(told("actions", ["pass", null]), "pass");
  assert.equal(told("round", 2, "2 of 4"), "2 of 4");
});

test("a fact of one round of one is not worth telling", { skip }, async () => {
  const ask = await start();
  const [table] = played(ask, "schwinget", "", "1").tables;
  const words = table?.scene.facts.find(([name]) => name === "bout")?.[1] ?? "";
  assert.ok(table && drawFact(table, "bout", words, {}, 0) === null, words);
  assert.notEqual(drawFact(table, "bout", "1 of 2", {}, 0), null);
});
