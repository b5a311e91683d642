import { h } from "./dom";
import type { Rules } from "./protocol";

/** An agent that many want, with its name in plain words. */
export interface Preset {
  words: string;
  spec: string;
}

const OPPONENTS: Preset[] = [
  { words: "trained network", spec: "network" },
  { words: "trained network with a short search", spec: "mmds:rollouts=100,particles=64" },
  { words: "search, 1,000 iterations", spec: "ismcts:iterations=1000" },
  { words: "good search, 1,000 iterations", spec: "best:iterations=1000" },
  { words: "good search, 10,000 iterations", spec: "best:iterations=10000" },
  { words: "greedy, no search", spec: "greedy" },
  { words: "random", spec: "random" },
];
/** The strongest agent measured in Schwinget. */
const STRONGEST = { words: "trained network with a search", spec: "mmds:step=100,rollouts=450,particles=200" };

/** Good opponents in a game, the default one first. Their moves depend on the seed alone, not on the clock. */
export function opponents({ game, agents }: Rules): Preset[] {
  const presets = game === "schwinget" ? OPPONENTS.with(1, STRONGEST) : OPPONENTS;
  return presets.filter(({ spec }) => agents.includes(nameOf(spec)));
}

/** The agent, or the default opponent if none is named or a preset does not fit the rules. */
export function fitting(spec: string, rules: Rules): string {
  const isPreset = [...OPPONENTS, STRONGEST].some((preset) => preset.spec === spec);
  const fits = spec !== "" && (!isPreset || rules.agents.includes(nameOf(spec)));
  return fits ? spec : (opponents(rules)[0]?.spec ?? "random");
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
export function agentInWords(spec: string, presets: Preset[]): string {
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
      "select", { name: "agent", change: () => this.#chosen(onChange) },
      ...presets.map(option), h("option", { value: "", selected: !known }, "another agent…"),
    );
    this.#text = h("input", {
      name: "spec", value: spec, hidden: known, spellcheck: "false", autocapitalize: "off", autocomplete: "off",
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
