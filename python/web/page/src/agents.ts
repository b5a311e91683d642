import { capital } from "./cards";
import { h } from "./dom";
import type { Rules } from "./protocol";

/** An agent that many want, with its name in plain words. */
interface Preset {
  words: string;
  spec: string;
}

/** An agent for a level. */
interface Candidate extends Preset {
  /** The only game in which it is one. */
  game?: string;
}

/** The opponents for people: how good each is, and the agents that can take its part. The first that can play a game does. */
const LEVELS = {
  beginner: [
    { words: "simple rules, no search", spec: "greedy" },
    { words: "random moves", spec: "random" },
  ],
  "club player": [
    { words: "a trained network", spec: "network" },
    { words: "a search, 1,000 iterations", spec: "best:iterations=1000" },
    { words: "a search, 1,000 iterations", spec: "ismcts:iterations=1000" },
  ],
  expert: [
    // 200 particles are faster than the default, and cost more strength.
    { words: "a trained network with a search", spec: "mmds:step=100,rollouts=450,particles=200", game: "schwinget" },
    { words: "a trained network with a search", spec: "mmds:rollouts=100,particles=64" },
    { words: "a search, 10,000 iterations", spec: "best:iterations=10000" },
    { words: "a search, 10,000 iterations", spec: "ismcts:iterations=10000" },
  ],
} satisfies Record<string, Candidate[]>;
type LevelName = keyof typeof LEVELS;
const NAMES = Object.keys(LEVELS) as LevelName[];

/** A level in a game: the agent that takes its part. */
interface Level extends Preset {
  name: LevelName;
}

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
  return NAMES.flatMap((name) => {
    const candidates: Candidate[] = LEVELS[name];
    const found = candidates.find(
      (one) => agents.includes(nameOf(one.spec)) && (one.game === undefined || one.game === game),
    );
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

/** The agent for a game. A level may stand for its agent, and takes the place of a preset that the game does not have. */
export function fitting(spec: string, rules: Rules): string {
  const level = NAMES.find((name) => name === spec || LEVELS[name].some((candidate) => candidate.spec === spec));
  const isPreset = level !== undefined || OTHERS.some((preset) => preset.spec === spec);
  const isThere = isPreset ? rules.agents.includes(nameOf(spec)) : spec !== "";
  return isThere ? spec : levelled(level ?? "club player", rules);
}

/** The level whose agent this is in a game. */
export function levelOf(spec: string, rules: Rules): LevelName | undefined {
  return levels(rules).find((level) => level.spec === spec)?.name;
}

/** The agent of a level in a game. */
export function levelled(name: LevelName, rules: Rules): string {
  return levels(rules).find((level) => level.name === name)?.spec ?? "random";
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

  /** Shows the field, in sight. */
  focus(): void {
    this.#text.focus();
    this.element.scrollIntoView({ block: "center" });
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
