import { capital } from "./cards";
import { h } from "./dom";
import type { Rules } from "./protocol";

/** An agent that many want, with its name in plain words. */
interface Preset {
  words: string;
  spec: string;
  /** The only game for which it is the agent of a level. */
  game?: string;
}

/** How good an opponent for people is. */
const [BEGINNER, CHAMPION] = ["beginner", "champion"] as const;
export const CLUB = "club player";
type LevelName = typeof BEGINNER | typeof CLUB | typeof CHAMPION;

/** An opponent for people: how good it is, and what it is underneath. */
interface Level extends Preset {
  name: LevelName;
}

/** The levels, each with the agents that can take it: the first that can play a game does. */
const LEVELS: [LevelName, Preset[]][] = [
  [
    BEGINNER,
    [
      { words: "simple rules, no search", spec: "greedy" },
      { words: "random moves", spec: "random" },
    ],
  ],
  [
    CLUB,
    [
      { words: "a trained network", spec: "network" },
      { words: "a search, 1,000 iterations", spec: "best:iterations=1000" },
      { words: "a search, 1,000 iterations", spec: "ismcts:iterations=1000" },
    ],
  ],
  [
    CHAMPION,
    [
      // The strongest agent measured in Schwinget.
      { words: "a trained network with a search", spec: "mmds:step=100,rollouts=450,particles=200", game: "schwinget" },
      { words: "a trained network with a search", spec: "mmds:rollouts=100,particles=64" },
      { words: "a search, 10,000 iterations", spec: "best:iterations=10000" },
      { words: "a search, 10,000 iterations", spec: "ismcts:iterations=10000" },
    ],
  ],
];
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

/**
 * The agent, if a preset fits the rules. Otherwise the one of the same level, which is the club player's if no agent is
 * named.
 */
export function fitting(spec: string, rules: Rules): string {
  const level = LEVELS.find(([, candidates]) => candidates.some((preset) => preset.spec === spec));
  const isPreset = level !== undefined || OTHERS.some((preset) => preset.spec === spec);
  if (spec !== "" && (!isPreset || rules.agents.includes(nameOf(spec)))) return spec;
  return levelled(level?.[0] ?? CLUB, rules);
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
