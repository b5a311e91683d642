import { AgentChooser, opponents } from "./agents";
import { plain } from "./cards";
import { h } from "./dom";
import type { Playing } from "./link";
import type { Agent, GameInfo, Option, Rules } from "./protocol";
import { rulebook } from "./rules";

/** What the form shows. */
export interface Choices {
  games: GameInfo[];
  game: GameInfo;
  agents: Agent[];
  rules: Rules;
  playing: Playing;
}

/** What a person can change in the form. All but the agent begins a new deal. */
export interface Change {
  game?: string;
  rules?: string;
  seed?: string;
  seat?: number;
  agent?: string;
}

/** The game after a change. */
export function changed({ agent, seat, position }: Playing, change: Change): Playing {
  const { game, rules, seed } = { ...position, ...change };
  const isNew = Object.keys(change).some((name) => name !== "agent");
  return { agent: change.agent ?? agent, seat: change.seat ?? seat, position: isNew ? { game, rules, seed, moves: [] } : position };
}

/** The form with game, rules, opponent, seat and seed. */
export class Setup {
  readonly element: HTMLElement;
  readonly agent: AgentChooser;
  readonly #error = h("p", { class: "error", role: "alert" });

  constructor({ games, game, agents, rules, playing }: Choices, onChange: (change: Change) => void) {
    const { position, agent, seat } = playing;
    this.agent = new AgentChooser("Opponent", opponents(rules), agent, (chosen) => onChange({ agent: chosen }));
    const group = (label: string, literature: boolean): HTMLElement => h(
      "optgroup", { label },
      ...games.filter((one) => one.literature === literature)
        .map((one) => h("option", { value: one.name, selected: one === game }, rulebook(one.name).title)),
    );
    const seats = Array.from({ length: rules.seats }, (_, other) => h("option", { value: other, selected: other === seat }, other));
    const gameField = h("select", { name: "game", change: () => onChange({ game: gameField.value, rules: "", seat: 0 }) },
      group("From rulebooks", false), group("From the literature", true));
    const seatField = h("select", { name: "seat", change: () => onChange({ seat: Number(seatField.value) }) }, ...seats);
    const seedField = h("input", {
      name: "seed", value: position.seed, inputmode: "numeric", size: 12,
      change: () => onChange({ seed: seedField.value.trim() }),
    });
    const options = game.rules.map((option) =>
      drawOption(option, valueOf(option, rules.rules), () => onChange({ rules: asText(fields) })));
    const fields = options.map(({ field }) => field);
    this.element = h(
      "div", { class: "setup" },
      h(
        "div", { class: "fields" },
        h("label", { class: "field" }, "Game", gameField), this.agent.element,
        h("label", { class: "field" }, "Your seat", seatField), h("label", { class: "field" }, "Seed of the deal", seedField),
      ),
      this.#error,
      h("details", { class: "plain options" }, h("summary", {}, "Rule options"), ...options.map(({ element }) => element)),
      h("details", { class: "plain" }, h("summary", {}, "All agents"), drawAgents(agents)),
    );
  }

  /** Shows why the rules, the seat or the seed cannot be played. */
  fail(message: string): void {
    this.#error.textContent = message;
  }
}

type Field = HTMLInputElement | HTMLSelectElement;

function drawOption(option: Option, value: string, onChange: () => void): { element: HTMLElement; field: Field } {
  const { name, about, names, range, allowed } = option;
  const common = { name: `rule-${name}`, "data-default": option.default, change: onChange };
  const field: Field = names.length > 0
    ? h("select", common, ...names.map((one) => h("option", { value: one, selected: one === value }, one)))
    : h("input", { ...common, value, ...(range && { type: "number", min: range[0], max: range[1] }) });
  const element = h("label", { class: "option" }, h("span", {}, plain(name)), field, h("small", {}, `${about} (${allowed})`));
  return { element, field };
}

/** The value of an option in rules such as "players=3". */
function valueOf(option: Option, rules: string): string {
  const pair = rules.split(",").find((one) => one.startsWith(`${option.name}=`));
  return pair?.slice(option.name.length + 1) ?? option.default;
}

/** Rules as text, without the defaults. */
function asText(fields: Field[]): string {
  const changed = fields.filter((field) => field.value !== "" && field.value !== field.dataset["default"]);
  return changed.map((field) => `${field.name.replace("rule-", "")}=${field.value}`).join(",");
}

function drawAgents(agents: Agent[]): HTMLElement {
  const entries = agents.flatMap(({ name, about, options }) => [
    h("dt", {}, name), h("dd", {}, about, ".", h("small", {}, options.map((option) => option.name).join(", "))),
  ]);
  return h("div", {}, h("p", {}, "An agent is a name and options, such as ismcts:iterations=10000,rollout=hints."),
    h("dl", { class: "agents" }, ...entries));
}
