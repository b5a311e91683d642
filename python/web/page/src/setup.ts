import { AgentChooser, opponents } from "./agents";
import { plain } from "./cards";
import type { Change } from "./deals";
import { h } from "./dom";
import type { Playing } from "./link";
import type { Agent, GameInfo, Option, Rules } from "./protocol";
import { rulebook } from "./rules";

/** The things that the form shows. */
export interface Choices {
  games: GameInfo[];
  game: GameInfo;
  agents: Agent[];
  rules: Rules;
  playing: Playing;
}

/** The form with game, rules, opponent, seat and seed. */
export class Setup {
  readonly element: HTMLElement;
  readonly agent: AgentChooser;
  readonly #error = h("p", { class: "error", role: "alert" });

  constructor(choices: Choices, onChange: (change: Change) => void) {
    const { agents, game, rules, playing } = choices;
    this.agent = new AgentChooser("Opponent", opponents(rules), playing.agent, (agent) => onChange({ agent }));
    const options = game.rules.map((option) =>
      drawOption(option, textOf(option, rules.rules), () => onChange({ rules: asText(fields) })),
    );
    const fields = options.map(({ field }) => field);
    this.element = h(
      "div",
      { class: "setup" },
      h(
        "div",
        { class: "fields" },
        drawGames(choices, onChange),
        this.agent.element,
        drawSeats(choices, onChange),
        drawSeed(playing, onChange),
      ),
      this.#error,
      h("details", { class: "options" }, h("summary", {}, "Rule options"), ...options.map(({ element }) => element)),
      h("details", {}, h("summary", {}, "All agents"), drawAgents(agents)),
    );
  }

  /** Shows why the rules, the seat or the seed cannot be played. */
  fail(message: string): void {
    this.#error.textContent = message;
  }
}

type Field = HTMLInputElement | HTMLSelectElement;

function labelled(words: string, field: Field): HTMLElement {
  return h("label", { class: "field" }, words, field);
}

function drawGames({ games, game }: Choices, onChange: (change: Change) => void): HTMLElement {
  const group = (label: string, literature: boolean): HTMLElement =>
    h(
      "optgroup",
      { label },
      ...games
        .filter((one) => one.literature === literature)
        .map((one) => h("option", { value: one.name, selected: one === game }, rulebook(one.name).title)),
    );
  const change = (): void => onChange({ game: field.value, rules: "", seat: 0 });
  const field = h(
    "select",
    { name: "game", change },
    group("From rulebooks", false),
    group("From the literature", true),
  );
  return labelled("Game", field);
}

function drawSeats({ rules, playing }: Choices, onChange: (change: Change) => void): HTMLElement {
  const seats = Array.from({ length: rules.seats }, (_, seat) => seat);
  const field = h(
    "select",
    { name: "seat", change: () => onChange({ seat: Number(field.value) }) },
    ...seats.map((seat) => h("option", { value: seat, selected: seat === playing.seat }, seat + 1)),
  );
  return labelled("Your place", field);
}

function drawSeed({ position }: Playing, onChange: (change: Change) => void): HTMLElement {
  const change = (): void => onChange({ seed: field.value.trim() });
  const field = h("input", { name: "seed", value: position.seed, inputmode: "numeric", size: 12, change });
  return labelled("Seed of the deal", field);
}

function drawOption(option: Option, value: string, change: () => void): { element: HTMLElement; field: Field } {
  const { name, about, names, range, allowed } = option;
  const common = { name: `rule-${name}`, "data-default": option.default, change };
  const field: Field =
    names.length > 0
      ? h("select", common, ...names.map((one) => h("option", { value: one, selected: one === value }, one)))
      : h("input", { ...common, value, ...(range && { type: "number", min: range[0], max: range[1] }) });
  const note = h("small", {}, `${about} (${allowed})`);
  return { element: h("label", { class: "option" }, h("span", {}, plain(name)), field, note), field };
}

/** The value of an option in rules such as "players=3". */
function textOf(option: Option, rules: string): string {
  const pair = rules.split(",").find((one) => one.startsWith(`${option.name}=`));
  return pair?.slice(option.name.length + 1) ?? option.default;
}

/** Rules as text, without the defaults. */
function asText(fields: Field[]): string {
  const others = fields.filter((field) => field.value !== "" && field.value !== field.dataset["default"]);
  return others.map((field) => `${field.name.replace("rule-", "")}=${field.value}`).join(",");
}

function drawAgents(agents: Agent[]): HTMLElement {
  const entries = agents.flatMap(({ name, about, options }) => [
    h("dt", {}, name),
    h("dd", {}, about, h("small", {}, options.map((option) => option.name).join(", "))),
  ]);
  return h(
    "div",
    {},
    h("p", {}, "An agent is written as its name and its options, such as ismcts:iterations=10000,rollout=hints."),
    h("dl", { class: "agents" }, ...entries),
  );
}
