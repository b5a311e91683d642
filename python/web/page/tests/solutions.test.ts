// The parts of the view of solutions that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deckInWords, SMALL_DECK, unfitting } from "../src/deck";
import type { Face, PublicNode } from "../src/protocol";
import { Suits } from "../src/suits";
import { inPercent, percent } from "../src/words";

test("only the impossible is 0 % and only the certain is 100 %", () => {
  const words = [0, 1e-9, 0.0004, 0.005, 0.0996, 0.29, 0.985, 0.9904, 0.9996, 1 - 1e-9, 1].map(percent);
  assert.deepEqual(words, [
    "0 %",
    "0 %",
    "<0.1 %",
    "0.5 %",
    "10 %",
    "29 %",
    "99 %",
    "99 %",
    ">99.9 %",
    "100 %",
    "100 %",
  ]);
  assert.deepEqual(
    [0, 0.004, 0.005, 0.5, 0.994, 0.996, 1].map((share) => inPercent(share)),
    ["0", "<1", "1", "50", "99", ">99", "100"],
  );
});

test("suits that are alike are found, and hands that differ only by their names", () => {
  const face = (rank: string, sign: string, hue: string): Face => ({ rank, sign, hue }) as Face;
  const faces = {
    R1: face("1", "heart", "red"),
    R2: face("2", "heart", "red"),
    G1: face("1", "leaf", "green"),
    G2: face("2", "leaf", "green"),
    B1: face("1", "drop", "blue"),
    B2: face("2", "drop", "blue"),
    BK: face("K", "bolt", "violet"),
  };
  const opening = (name: string | null): PublicNode => ({ opening: name }) as PublicNode;
  const suits = new Suits([opening("BK"), opening("R1"), opening("R2")], faces);
  assert.equal(suits.trump, faces.R1);
  assert.deepEqual(suits.turned("R2"), ["R2", "G2", "B2"]);
  assert.deepEqual(suits.turned("BK"), ["BK"]);
  const isAlike = (one: string[], other: string[]): boolean => suits.keyOf(one) === suits.keyOf(other);
  assert.ok(isAlike(["R1", "G2", "B1"], ["R1", "G1", "B2"]));
  assert.ok(isAlike(["G1", "G2"], ["B1", "B2"]));
  assert.ok(!isAlike(["G1", "B2"], ["G1", "G2"]));
  // The trump suit, and cards without a suit, keep their names.
  assert.ok(!isAlike(["R1", "G2"], ["G1", "R2"]));
  assert.ok(!isAlike(["BK", "G1"], ["R1", "G1"]));
  // Nothing is known to be alike where no card is turned up.
  const others = new Suits([opening(null)], faces);
  assert.equal(others.trump, undefined);
  assert.notEqual(others.keyOf(["G1"]), others.keyOf(["B1"]));
});

test("a deck is told in words", () => {
  assert.equal(deckInWords(SMALL_DECK), "2 suits of 5 values, without the referee, 2 cards in a hand, 3 set aside");
  assert.equal(
    deckInWords("suits=3,values=2,hand_size=1,set_aside=0"),
    "3 suits of 2 values, with the referee, 1 card in a hand, 0 set aside",
  );
  assert.equal(unfitting(SMALL_DECK), null);
});
