// Words that the page uses for one thing only.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Everything in a file but its comments, which nobody reads on the page. */
function code(folder: URL, name: string): string {
  return readFileSync(new URL(name, folder), "utf-8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
}

test("the suit of a card is never called its colour", () => {
  for (const folder of ["../src/", "../../../stier/rules/"].map((path) => new URL(path, import.meta.url))) {
    // The pigs of Schweins-Galopp have colours, and no suits.
    const names = readdirSync(folder).filter((name) => /\.(ts|md)$/.test(name) && name !== "schweins_galopp.md");
    assert.ok(names.length > 0);
    for (const name of names) {
      // Colours that are drawn are something else.
      const text = code(folder, name).replaceAll("in the colours of their suits", "");
      assert.doesNotMatch(text, /\bcolou?rs?\b/i, name);
    }
  }
});
