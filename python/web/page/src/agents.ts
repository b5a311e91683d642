import { capital } from "./cards";
import { h } from "./dom";
import type { Rules } from "./protocol";

/** An agent that many want, with its name in plain words. */
interface Preset {
  words: string;
  spec: string;
}

/** An opponent for people: how good it is, and what it is underneath. */
interface Level extends Preset {
  name: string;
}

/** The levels, each with the agents that can take it: the first that can play a game does. */
const LEVELS: [string, Preset[]][] = [
  [
    "beginner",
    [
      { words: "simple rules, no search", spec: "greedy" },
      { words: "random moves", spec: "random" },
    ],
  ],
  [
    "club player",
    [
      { words: "a trained network", spec: "network" },
      { words: "a search, 1,000 iterations", spec: "best:iterations=1000" },
      { words: "a search, 1,000 iterations", spec: "ismcts:iterations=1000" },
    ],
  ],
  [
    "champion",
    [
      { words: "a trained network with a search", spec: "mmds:rollouts=100,particles=64" },
      { words: "a search, 10,000 iterations", spec: "best:iterations=10000" },
      { words: "a search, 10,000 iterations", spec: "ismcts:iterations=10000" },
    ],
  ],
];
/** The strongest agent measured in Schwinget. */
const STRONGEST = { words: "a trained network with a search", spec: "mmds:step=100,rollouts=450,particles=200" };
const OTHERS: Preset[] = [
  { words: "search, 1,000 iterations", spec: "ismcts:iterations=1000" },
  { words: "good search, 1,000 iterations", spec: "best:iterations=1000" },
  { words: "good search, 10,000 iterations", spec: "best:iterations=10000" },
  { words: "random", spec: "random" },
];

/** The agent that judges choices, in hints and in reviews, and the number of its searches. It can play every game. */
export const JUDGE = { words: "thorough: 10,000 iterations", spec: "ismcts:iterations=10000,beliefs=policy" };
export const JUDGINGS = 5;

/** The three levels of opponents in a game. */
function levels({ game, agents }: Rules): Level[] {
  return LEVELS.flatMap(([name, candidates]) => {
    const all = name === "champion" && game === "schwinget" ? [STRONGEST, ...candidates] : candidates;
    const found = all.find(({ spec }) => agents.includes(nameOf(spec)));
    return found ? [{ ...found, name }] : [];
  });
}

/** Good opponents in a game, the levels first. Their moves depend on the seed alone, not on the clock. */
export function opponents(rules: Rules): Preset[] {
  const ranked = levels(rules);
  const others = OTHERS.filter(
    ({ spec }) => rules.agents.includes(nameOf(spec)) && ranked.every((level) => level.spec !== spec),
  );
  return [...ranked.map(({ name, words, spec }) => ({ words: `${capital(name)}: ${words}`, spec })), ...others];
}

/** The agent, or the default opponent if none is named or a preset does not fit the rules. */
export function fitting(spec: string, rules: Rules): string {
  const presets = [...LEVELS.flatMap(([, candidates]) => candidates), STRONGEST, ...OTHERS];
  const isPreset = presets.some((preset) => preset.spec === spec);
  const fits = spec !== "" && (!isPreset || rules.agents.includes(nameOf(spec)));
  const ranked = levels(rules);
  return fits ? spec : ((ranked[1] ?? ranked[0])?.spec ?? "random");
}

/** An opponent as it is called in a sentence, on request with what it is underneath. */
export function opponentInWords(spec: string, rules: Rules, isWhole = false): string {
  const level = levels(rules).find((one) => one.spec === spec);
  return level ? `the ${level.name}${isWhole ? ` (${level.words})` : ""}` : agentInWords(spec, OTHERS);
}

/** Searches that explain a position well. */
export function searches({ agents }: Rules): Preset[] {
  const plain = { words: "search, 1,000 iterations", spec: "ismcts:iterations=1000" };
  const more = { words: "search, 10,000 iterations", spec: "ismcts:iterations=10000" };
  if (!agents.includes("network")) return [plain, more];
  const guided = "ismcts:iterations=200,selection=puct,prior=network,cutoff=0,evaluation=network";
  return [plain, { words: "search guided by the trained network", spec: guided }, more];
}

/** An agent's name without its options. */
export function nameOf(spec: string): string {
  return spec.split(":")[0] ?? "";
}

/** A preset's words, or else the agent as it is written. */
function agentInWords(spec: string, presets: Preset[]): string {
  return presets.find((preset) => preset.spec === spec)?.words ?? spec;
}

/** A list of presets, with a field for any other agent. */
export class AgentChooser {
  readonly element: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #text: HTMLInputElement;
  readonly #error = h("p", { class: "error", role: "alert" });

  constructor(label: string, presets: Preset[], spec: string, onChange: (spec: string) => void) {
    const known = presets.some((preset) => preset.spec === spec);
    const option = ({ words, spec: value }: Preset): HTMLElement =>
      h("option", { value, selected: value === spec }, words);
    this.#select = h(
      "select",
      { name: "agent", change: () => this.#chosen(onChange) },
      ...presets.map(option),
      h("option", { value: "", selected: !known }, "another agent…"),
    );
    this.#text = h("input", {
      name: "spec",
      value: spec,
      hidden: known,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      "aria-label": `${label}, as text such as ismcts:iterations=10000`,
      change: () => onChange(this.#text.value.trim()),
    });
    this.element = h("div", { class: "field agent" }, h("label", {}, label, this.#select), this.#text, this.#error);
  }

  /** Shows why the agent cannot play, and the field in which it can be changed; nothing if it can. */
  fail(message: string): void {
    this.#error.textContent = message;
    if (message !== "") this.#text.hidden = false;
  }

  #chosen(onChange: (spec: string) => void): void {
    const spec = this.#select.value;
    this.#error.textContent = "";
    this.#text.hidden = spec !== "";
    if (spec === "") return this.#text.focus();
    this.#text.value = spec;
    onChange(spec);
  }
}
