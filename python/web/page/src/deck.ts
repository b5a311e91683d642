import { h } from "./dom";
import { counted } from "./words";

/** A rule of a deck with its limits. */
interface Field {
  name: string;
  words: string;
  least: number;
  most: number;
}

/** The deck with which the form begins. */
export const SMALL_DECK = "suits=2,values=5,referee=off,hand_size=2,set_aside=3";
const FIELDS: Field[] = [
  { name: "suits", words: "Suits", least: 2, most: 4 },
  { name: "values", words: "Values of a suit", least: 2, most: 6 },
  { name: "hand_size", words: "Cards in a hand", least: 1, most: 5 },
  { name: "set_aside", words: "Cards set aside", least: 0, most: 20 },
];

/** The fields of a deck of Schwinget. */
export class Deck {
  readonly #inputs: [Field, HTMLInputElement][];
  readonly #referee: HTMLInputElement;
  readonly element: HTMLElement;

  constructor(rules: string, onChange: () => void) {
    const given = readRules(rules);
    this.#inputs = FIELDS.map((field) => {
      const { name, least, most } = field;
      const value = given.get(name) ?? least;
      return [
        field,
        h("input", { name, type: "number", required: true, min: least, max: most, value, input: onChange }),
      ];
    });
    this.#referee = h("input", {
      type: "checkbox",
      name: "referee",
      checked: given.get("referee") !== "off",
      change: onChange,
    });
    this.element = h(
      "div",
      { class: "fields deck" },
      ...this.#inputs.map(([{ words }, input]) => h("label", { class: "field" }, words, input)),
      h("label", { class: "check" }, this.#referee, "With the referee"),
    );
  }

  /** The rules of the deck as text. */
  get rules(): string {
    const numbers = this.#inputs.map(([{ name }, { value }]) => `${name}=${value}`);
    return [...numbers, this.#referee.checked ? "referee=on" : "referee=off"].join(",");
  }
}

/** A deck in words. */
export function deckInWords(rules: string): string {
  const given = readRules(rules);
  const referee = given.get("referee") === "off" ? "without" : "with";
  return (
    `${given.get("suits")} suits of ${given.get("values")} values, ${referee} the referee, ` +
    `${counted(Number(given.get("hand_size")), "card")} in a hand, ${given.get("set_aside")} set aside`
  );
}

function readRules(rules: string): Map<string, string> {
  return new Map(rules.split(",").flatMap((rule) => (rule ? [split(rule)] : [])));
}

function split(rule: string): [string, string] {
  const [name = "", value = ""] = rule.split("=");
  return [name, value];
}

/** The reason why the fields do not have a deck with these rules; null if they do. */
export function unfitting(rules: string): string | null {
  if (rules === "") return "the whole game is too large to be solved";
  const given = readRules(rules);
  for (const [name, value] of given) {
    if (name === "referee" && (value === "on" || value === "off")) continue;
    const field = FIELDS.find((one) => one.name === name);
    if (!field) return `a deck here cannot have ${name}=${value}`;
    const number = /^\d+$/.test(value) ? Number(value) : -1;
    if (number < field.least || number > field.most) {
      return `${name} must be from ${field.least} to ${field.most} here, and the link has ${value}`;
    }
  }
  const missing = FIELDS.find(({ name }) => !given.has(name));
  return missing ? `the link does not say the “${missing.words}” of its deck` : null;
}
