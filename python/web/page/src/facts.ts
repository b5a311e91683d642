import { drawSign, faceInWords, plain, suitInWords } from "./cards";
import { h } from "./dom";
import { seatsOf } from "./names";
import type { Face, Table } from "./protocol";

/** A fact that has a number for each seat, or null in games without it. */
export function ofSeats({ facts, scene }: Table, name: string): (number | null)[] | null {
  const values = facts[name];
  if (!Array.isArray(values) || values.length !== seatsOf(scene)) return null;
  return values.every((value) => value === null || typeof value === "number") ? values : null;
}

/** Numbers of a seat, by the name of the fact, in words. */
const COUNTED: [string, (value: number) => string][] = [
  ["at_risk", (value) => `${value} at risk`],
  ["banked", (value) => `${value} safe`],
  ["worth", (value) => `worth ${value}`],
  ["lives", (value) => `${value} lives`],
];
/** Parts that one seat has, by the name of the fact. */
const PARTS: [string, string][] = [
  ["boss", "boss"],
  ["dealer", "dealer"],
  ["knocker", "knocked"],
  ["attacker", "attacked"],
];

/** The part of a seat in the game, and its numbers: they stand beside its name. */
export interface Marks {
  parts: string[];
  counts: string[];
}

/** The marks of a seat; null in games whose facts are not known here. */
export function marksOf(table: Table, seat: number): Marks | null {
  const counted = COUNTED.flatMap(([name, words]) => {
    const values = ofSeats(table, name);
    return values ? [{ value: values[seat] ?? null, words }] : [];
  });
  if (counted.length === 0 && !ofSeats(table, "tricks")) return null;
  const scores = ofSeats(table, "scores");
  const score = table.seat !== null && scores?.some((value) => value !== 0) ? [`${scores[seat]} points`] : [];
  return {
    parts: PARTS.flatMap(([name, words]) => (table.facts[name] === seat ? [words] : [])),
    counts: [...counted.flatMap(({ value, words }) => (value === null ? [] : [words(value)])), ...score],
  };
}

/** Facts that are seen on the table, or beside a seat. */
const SEEN = new Set(["pile", "first_player", "dealt"]);

/** The sides of the UP&DOWN card. */
const SIDES: Record<string, string> = { up: "UP, high wins", down: "DOWN, low wins" };

/** The facts of a table in words and small pictures, each with its name. */
export function drawFact(
  table: Table,
  name: string,
  words: string,
  faces: Record<string, Face>,
): { name: string; value: (Node | string)[] } | null {
  const { facts } = table;
  if (SEEN.has(name) || words === "1 of 1") return null;
  const turned = faces[String(facts["turned_up"])];
  if (name === "trump" && turned) {
    if (facts["trump"] === null) return { name, value: ["none"] };
    return { name, value: [drawSign(turned), ` ${suitInWords(turned)}`] };
  }
  if (name === "side" && facts["chosen"] !== undefined) return { name, value: [SIDES[String(facts["side"])] ?? words] };
  const value = facts[name];
  if (Array.isArray(value) && value.length > 0 && value.every((card) => typeof card === "string" && faces[card])) {
    return {
      name: plain(name),
      value: [h("span", { class: "race" }, ...value.map((card) => drawDot(faces[String(card)])))],
    };
  }
  return { name: plain(name), value: [words] };
}

/** A card as small as a letter. */
function drawDot(face: Face | undefined): HTMLElement | null {
  if (!face) return null;
  const words = faceInWords(face);
  return h("span", { class: `dot hue-${face.hue}`, role: "img", "aria-label": words, title: words }, face.rank);
}
