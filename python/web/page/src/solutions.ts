import "./views.css";
import "./solutions.css";
import { errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { Explorer } from "./explorer";
import { drawGrid } from "./grid";
import { drawLeads } from "./leads";
import { type Route, readNumber, writeRoute } from "./link";
import type { Size, Solution } from "./protocol";
import { isStop, Running } from "./running";
import { find, keep } from "./shelf";

/** A game that is small enough. */
interface Small {
  game: string;
  rules: string;
  about: string;
}

const GAMES: Small[] = [
  { game: "schwinget", rules: "suits=2,values=3,referee=off,hand_size=2,set_aside=1", about: "Schwinget, 7 cards" },
  {
    game: "schwinget",
    rules: "suits=2,values=3,hand_size=2,set_aside=2",
    about: "Schwinget, 8 cards with the referee",
  },
  { game: "schwinget", rules: "suits=2,values=4,referee=off,hand_size=2,set_aside=3", about: "Schwinget, 9 cards" },
  { game: "kuhn_poker", rules: "", about: "Kuhn poker" },
  { game: "leduc_poker", rules: "", about: "Leduc poker" },
  { game: "liars_dice", rules: "", about: "Liar's dice, one die each" },
];
/** The deck with which the form for a deck of one's own begins. */
const OWN: Small = { game: "schwinget", rules: "suits=2,values=5,referee=off,hand_size=2,set_aside=3", about: "" };
const ITERATIONS = 200;
const MOST_ITERATIONS = 10_000;
/** Milliseconds from which on a solution is worth keeping. */
const LONG = 3000;
/** Milliseconds without typing before a deck is measured. */
const PAUSE = 400;

/** Solves a small game, and shows what its equilibrium does. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const leaving = new AbortController();
  let measuring = new AbortController();
  const running = new Running();
  const given = route.settings.get("rules") ?? "";
  const wanted = GAMES.findIndex(({ game, rules }) => game === route.game && rules === given);
  const isOwn = wanted < 0 && route.game !== "";
  const choice = h(
    "select",
    { name: "game", change: () => chosen() },
    ...GAMES.map(({ about }, index) => h("option", { value: index, selected: index === Math.max(0, wanted) }, about)),
    h("option", { value: -1, selected: isOwn }, "Schwinget, a deck of your own …"),
  );
  const deck = new Deck(isOwn && route.game === OWN.game ? given : OWN.rules, () => measureSoon());
  const iterations = h("input", {
    name: "iterations",
    type: "number",
    required: true,
    min: 1,
    max: MOST_ITERATIONS,
    value: ITERATIONS,
  });
  const size = h("p", { class: "muted size", role: "status" });
  const solve = h("button", { type: "submit", class: "primary" }, "Solve");
  const progress = h("p", { role: "status" });
  const found = h("div", { class: "solution" });
  let typing = 0;

  const game = (): Small => GAMES[Number(choice.value)] ?? { ...OWN, rules: deck.rules };
  const report = (error: unknown): void => {
    progress.className = "error";
    progress.textContent = errorInWords(error);
  };
  /** Says how large the game is, and whether it can be solved here. */
  const measure = async (): Promise<void> => {
    measuring.abort();
    measuring = new AbortController();
    const { game: name, rules } = game();
    size.textContent = "Measuring …";
    try {
      const found = await engine.ask(measuring.signal, "size", name, rules);
      size.textContent = sizeInWords(found);
      size.className = "muted size";
      solve.disabled = false;
    } catch (error) {
      if (isAbort(error)) return;
      size.textContent = `${errorInWords(error)}.`;
      size.className = "error size";
      solve.disabled = true;
    }
  };
  const measureSoon = (): void => {
    clearTimeout(typing);
    solve.disabled = true;
    typing = setTimeout(() => void measure(), PAUSE);
  };
  const chosen = (): void => {
    deck.element.hidden = Number(choice.value) >= 0;
    void measure();
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const { game: name, rules } = game();
    const link = (at: string): string => writeRoute("solutions", name, { rules, iterations: iterations.value, at });
    const at = readPath(route);
    history.replaceState(null, "", link(at.join(".")));
    found.replaceChildren();
    progress.className = "";
    progress.textContent = "Solving …";
    engine.onProgress = (text) => {
      if (!signal.aborted) progress.textContent = text;
    };
    try {
      const solution = await solved(engine, signal, name, rules, iterations.valueAsNumber);
      const openings = await engine.ask(signal, "openings");
      const known = await engine.ask(signal, "rules", name, rules);
      const explorer = new Explorer(engine, known, openings, leaving.signal, (path) =>
        history.replaceState(null, "", link(path.join("."))),
      );
      const open = (path: number[], hand: number | null): void => {
        explorer.open(path, hand).catch((error: unknown) => {
          if (!isAbort(error)) report(error);
        });
      };
      found.append(
        drawFigures(solution),
        h(
          "div",
          { class: "columns" },
          ...(name === "schwinget" ? [drawLeads(openings, known)] : []),
          drawGrid(openings, known.faces, (opening, hand) => {
            open(opening.path, hand);
            explorer.element.querySelector("h3")?.scrollIntoView({ block: "start" });
            explorer.element.querySelector("h3")?.focus({ preventScroll: true });
          }),
        ),
        explorer.element,
      );
      progress.textContent = "";
      if (at.length > 0) open(at, null);
    } catch (error) {
      if (isStop(error)) progress.textContent = "Stopped.";
      else if (!isAbort(error)) report(error);
    } finally {
      engine.onProgress = () => {};
    }
  };
  const start = (): void => {
    running.run(leaving.signal, run).catch(report);
  };

  root.replaceChildren(
    h(
      "header",
      { class: "intro measure" },
      h("h2", {}, "Equilibria of small games"),
      h(
        "p",
        {},
        "In an equilibrium no player can gain by changing only their own strategy. These games are small ",
        "enough to compute one, by CFR+ in this page.",
      ),
    ),
    h(
      "form",
      {
        submit: (event) => {
          event.preventDefault();
          // The place in the link is that of the solution which it opened.
          route.settings.delete("at");
          start();
        },
      },
      h(
        "div",
        { class: "fields" },
        h("label", { class: "field" }, "Game", choice),
        h("label", { class: "field" }, "Iterations", iterations),
        deck.element,
      ),
      size,
      h("div", { class: "actions" }, solve, running.element),
    ),
    progress,
    found,
  );
  deck.element.hidden = Number(choice.value) >= 0;
  leaving.signal.addEventListener("abort", () => {
    clearTimeout(typing);
    measuring.abort();
  });
  try {
    iterations.value = String(readNumber(route.settings, "iterations", 1, MOST_ITERATIONS, ITERATIONS));
    void measure();
    if (route.game !== "") start();
  } catch (error) {
    report(error);
  }
  return () => leaving.abort();
}

/** The solution of a game. What took long is kept by this browser. */
async function solved(
  engine: EngineClient,
  signal: AbortSignal,
  game: string,
  rules: string,
  iterations: number,
): Promise<Solution> {
  const bytes = await find(game, rules, iterations);
  // Those of another version are refused, and the game is solved again.
  if (bytes)
    await engine.restore(signal, game, rules, iterations, bytes).catch((error: unknown) => {
      if (isAbort(error)) throw error;
    });
  const begun = performance.now();
  const solution = await engine.ask(signal, "solve", game, rules, iterations);
  if (performance.now() - begun > LONG) await keep(game, rules, iterations, await engine.solution());
  return solution;
}

/** The public state that a route names. */
function readPath({ settings }: Route): number[] {
  const numbers = (settings.get("at") ?? "").split(".").filter(Boolean).map(Number);
  return numbers.every((number) => Number.isSafeInteger(number) && number >= 0) ? numbers : [];
}

function sizeInWords({ public_states, sets, bytes }: Size): string {
  const memory = bytes < 1_000_000 ? "less than 1 MB" : `about ${Math.round(bytes / 1_000_000)} MB`;
  return (
    `${sets.toLocaleString("en")} hands to decide with, in ${public_states.toLocaleString("en")} public states; ` +
    `${memory} of memory.`
  );
}

/** A rule of a deck with its limits. */
interface Field {
  name: string;
  words: string;
  least: number;
  most: number;
}

const FIELDS: Field[] = [
  { name: "suits", words: "Suits", least: 2, most: 4 },
  { name: "values", words: "Values of a suit", least: 2, most: 6 },
  { name: "hand_size", words: "Cards in a hand", least: 1, most: 5 },
  { name: "set_aside", words: "Cards set aside", least: 0, most: 20 },
];

/** The fields of a deck of Schwinget. */
class Deck {
  readonly #inputs: [Field, HTMLInputElement][];
  readonly #referee: HTMLInputElement;
  readonly element: HTMLElement;

  constructor(rules: string, onChange: () => void) {
    const given = new Map(rules.split(",").map((rule) => rule.split("=") as [string, string]));
    const start = new Map(OWN.rules.split(",").map((rule) => rule.split("=") as [string, string]));
    this.#inputs = FIELDS.map((field) => {
      const { name, least, most } = field;
      const value = given.get(name) ?? start.get(name) ?? least;
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

function drawFigures({ public_states, sets, iterations, values, nash_conv, uniform }: Solution): HTMLElement {
  const value = (of: number): string => `${of < 0 ? "−" : "+"}${Math.abs(of).toFixed(4)}`;
  const share = ((100 * nash_conv) / uniform).toPrecision(2);
  const figures: [string, string][] = [
    ["Size", `${public_states.toLocaleString("en")} public states, ${sets.toLocaleString("en")} hands to decide with`],
    ["Iterations", iterations.toLocaleString("en")],
    ["Value", values.map((of, seat) => `seat ${seat} ${value(of)}`).join(", ")],
    ["NashConv", `${nash_conv.toPrecision(2)} (${share} % of that of random play)`],
  ];
  return h(
    "details",
    { class: "panel" },
    h(
      "summary",
      {},
      h(
        "h3",
        {},
        `Value ${value(values[0] ?? 0)} for the player who ` +
          `begins, ${nash_conv / uniform < 0.01 ? "close to" : "not yet at"} equilibrium`,
      ),
    ),
    h("dl", { class: "figures" }, ...figures.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    h(
      "p",
      { class: "muted" },
      "Values are average returns per game, in the game's utility. NashConv is the sum of ",
      "what each player could gain by a best response: 0 in an equilibrium. A public state is all that everybody has ",
      "seen. The order in which a player drew its cards does not count.",
    ),
  );
}
