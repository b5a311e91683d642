// The parts of the view of solutions that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
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
