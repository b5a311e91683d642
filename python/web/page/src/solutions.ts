import "./views.css";
import "./solutions.css";
import { capital, plain } from "./cards";
import { Deck, deckInWords, SMALL_DECK, unfitting } from "./deck";
import { errorInWords, h, panel } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { Explorer } from "./explorer";
import { drawGrid } from "./grid";
import { drawLeads } from "./leads";
import { type Route, readNumber, writeRoute } from "./link";
import { playerName } from "./names";
import type { Size, Solution } from "./protocol";
import { isStop, Running } from "./running";
import { find, keep } from "./shelf";
import { unitOf } from "./unit";
import type { View } from "./view";
import { counted } from "./words";

/** A game that is small enough. */
interface Small {
  game: string;
  rules: string;
  about: string;
}

/** The game of which a person can choose a deck. */
const OWN = "schwinget";
const GAMES: Small[] = [
  { game: OWN, rules: "suits=2,values=3,referee=off,hand_size=2,set_aside=1", about: "Schwinget, 7 cards" },
  { game: OWN, rules: "suits=2,values=3,hand_size=2,set_aside=2", about: "Schwinget, 8 cards with the referee" },
  { game: OWN, rules: "suits=2,values=4,referee=off,hand_size=2,set_aside=3", about: "Schwinget, 9 cards" },
  { game: "kuhn_poker", rules: "", about: "Kuhn poker" },
  { game: "leduc_poker", rules: "", about: "Leduc poker" },
  { game: "liars_dice", rules: "", about: "Liar's dice, one die each" },
];
const ITERATIONS = 200;
const MOST_ITERATIONS = 10_000;
/** No public state here has so many hands. */
const LARGEST = 999_999;
/** Milliseconds from which on a solution is worth keeping. */
const LONG = 3000;
/** Milliseconds without typing before a deck is measured. */
const PAUSE = 400;

/** A place in a solution. */
interface Place {
  /** The public state: the number of its opening, and of the event in each public state. Empty for none. */
  path: number[];
  /** The number of the hand that is shown there. */
  hand: number | null;
}

/** The view in which a small game is solved, and shown what its equilibrium does. */
export class Solutions implements View {
  readonly #engine: EngineClient;
  readonly #closed = new AbortController();
  readonly #running = new Running();
  readonly #choice: HTMLSelectElement;
  readonly #deck: Deck;
  readonly #iterations = h("input", {
    name: "iterations",
    type: "number",
    required: true,
    min: 1,
    max: MOST_ITERATIONS,
    value: ITERATIONS,
  });
  readonly #size = h("p", { class: "muted size", role: "status" });
  readonly #solve = h("button", { type: "submit", class: "primary" }, "Solve");
  readonly #progress = h("p", { role: "status" });
  readonly #found = h("div", { class: "solution" });
  #measuring = new AbortController();
  #typing = 0;
  /** False for a deck that cannot be solved, or is not measured yet. */
  #fits = true;
  #isSolving = false;
  /** The iterations that a solution has come to which can be stopped without losing them. */
  #done = 0;

  constructor(root: HTMLElement, engine: EngineClient, route: Route) {
    this.#engine = engine;
    const { game: wanted } = route;
    const given = route.settings.get("rules") ?? "";
    const known = GAMES.findIndex(({ game, rules }) => game === wanted && rules === given);
    const isOwn = known < 0 && wanted === OWN && unfitting(given) === null;
    this.#choice = h(
      "select",
      { name: "game", change: () => this.#chosen() },
      ...GAMES.map(({ about }, index) => h("option", { value: index, selected: index === Math.max(0, known) }, about)),
      h("option", { value: -1, selected: isOwn }, "Schwinget, a deck of your own …"),
    );
    this.#deck = new Deck(isOwn ? given : SMALL_DECK, () => this.#measureSoon());
    this.#deck.element.hidden = !isOwn;
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
            this.#start({ path: [], hand: null });
          },
        },
        h(
          "div",
          { class: "fields" },
          h("label", { class: "field" }, "Game", this.#choice),
          h("label", { class: "field" }, "Iterations", this.#iterations),
          this.#deck.element,
        ),
        this.#size,
        h("div", { class: "actions" }, this.#solve, this.#running.element),
      ),
      this.#progress,
      this.#found,
    );
    this.#open(route);
  }

  /** Solves what a link names, or says why that cannot be done. */
  #open(route: Route): void {
    void this.#measure();
    if (route.game === "") return;
    try {
      const problem = this.#isMissing(route);
      if (problem !== null) throw new Error(`The link cannot be opened: ${problem}. Choose another game above.`);
      const iterations = readNumber(route.settings, "iterations", 1, MOST_ITERATIONS, ITERATIONS);
      this.#iterations.value = String(iterations);
      this.#start(readPlace(route));
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#measuring.abort();
    clearTimeout(this.#typing);
  }

  get #game(): Small {
    const { rules } = this.#deck;
    return GAMES[Number(this.#choice.value)] ?? { game: OWN, rules, about: `Schwinget, ${deckInWords(rules)}` };
  }

  /** The reason why the game of a link is not among the choices; null if it is. */
  #isMissing({ game, settings }: Route): string | null {
    const rules = settings.get("rules") ?? "";
    if (GAMES.some((one) => one.game === game && one.rules === rules)) return null;
    if (game === OWN) return unfitting(rules);
    const name = capital(plain(game));
    return GAMES.some((one) => one.game === game)
      ? `${name} is solved here under its usual rules, not with ${rules}`
      : `there is no solution of ${name} here`;
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#progress.className = "error";
    this.#progress.textContent = errorInWords(error);
  }

  /** Solving anew while a game is being solved would lose what has been found: Stop comes first. */
  #allow(): void {
    this.#solve.disabled = this.#isSolving || !this.#fits;
  }

  /** Says how large the game is, and whether it can be solved here. */
  async #measure(): Promise<void> {
    this.#measuring.abort();
    this.#measuring = new AbortController();
    const { game, rules } = this.#game;
    this.#size.textContent = "Measuring …";
    try {
      const size = await this.#engine.ask(this.#measuring.signal, "size", game, rules);
      this.#size.textContent = `${counted(size.sets, "decision")} to solve; needs ${memoryInWords(size)}.`;
      this.#size.className = "muted size";
      this.#fits = true;
    } catch (error) {
      if (isAbort(error)) return;
      this.#size.textContent = errorInWords(error);
      this.#size.className = "error size";
      this.#fits = false;
    }
    this.#allow();
  }

  #measureSoon(): void {
    clearTimeout(this.#typing);
    this.#fits = false;
    this.#allow();
    this.#typing = setTimeout(() => void this.#measure(), PAUSE);
  }

  #chosen(): void {
    this.#deck.element.hidden = Number(this.#choice.value) >= 0;
    void this.#measure();
  }

  /** Solves the chosen game, and opens a public state of it. */
  #start(at: Place): void {
    if (this.#isSolving) return;
    this.#isSolving = true;
    this.#allow();
    this.#running
      .run(this.#closed.signal, (signal) => this.#run(signal, at))
      .catch((error: unknown) => {
        if (!isStop(error)) return this.#fail(error);
        const found = this.#done > 0 ? ` after ${counted(this.#done, "iteration")}. Solve goes on from there` : "";
        this.#progress.textContent = `Stopped${found}.`;
      })
      .finally(() => {
        this.#isSolving = false;
        this.#allow();
      });
  }

  async #run(signal: AbortSignal, at: Place): Promise<void> {
    const engine = this.#engine;
    const { game, rules, about } = this.#game;
    const iterations = this.#iterations.valueAsNumber;
    const go = (path: number[], hand: number | null): void => {
      const settings = { rules, iterations, at: path.join("."), hand: hand ?? "" };
      history.replaceState(null, "", writeRoute("solutions", game, settings));
    };
    go(at.path, at.hand);
    this.#done = 0;
    this.#found.replaceChildren();
    this.#progress.className = "";
    this.#progress.textContent = "Solving …";
    engine.onProgress = (text) => {
      if (!signal.aborted) this.#progress.textContent = text;
    };
    try {
      const solution = await solved(engine, signal, game, rules, iterations, (done) => {
        this.#done = done;
      });
      const openings = await engine.ask(signal, "openings");
      const known = await engine.ask(signal, "rules", game, rules);
      const explorer = new Explorer(engine, known, openings, this.#closed.signal, go);
      const open = ({ path, hand }: Place): void => {
        explorer.open(path, hand).catch((error: unknown) => {
          if (isAbort(error)) return;
          this.#fail(error);
          // The address names what is shown.
          go([], null);
        });
      };
      this.#found.append(
        drawFigures(about, unitOf(known), solution),
        h(
          "div",
          { class: "columns" },
          ...(game === OWN ? [drawLeads(openings, known)] : []),
          drawGrid(openings, known.faces, ({ path }, hand) => open({ path, hand })),
        ),
        explorer.element,
      );
      this.#progress.textContent = "";
      if (at.path.length > 0) open(at);
    } finally {
      engine.onProgress = () => {};
    }
  }
}

/** The solution of a game. What took long is kept by this browser. */
async function solved(
  engine: EngineClient,
  signal: AbortSignal,
  game: string,
  rules: string,
  iterations: number,
  heard: (done: number) => void,
): Promise<Solution> {
  const bytes = await find(game, rules, iterations);
  // Those of another version are refused, and the game is solved again.
  if (bytes)
    await engine.restore(signal, game, rules, iterations, bytes).catch((error: unknown) => {
      if (isAbort(error)) throw error;
    });
  const begun = performance.now();
  for (let done = 0; done < iterations; heard(done))
    done = await engine.ask(signal, "iterate", game, rules, iterations);
  const solution = await engine.ask(signal, "solve", game, rules, iterations);
  if (performance.now() - begun > LONG) await keep(game, rules, iterations, await engine.solution());
  return solution;
}

/** The place that a route names. */
function readPlace({ settings }: Route): Place {
  const path = (settings.get("at") ?? "").split(".").filter(Boolean);
  if (!path.every((number) => /^\d{1,6}$/.test(number))) throw new Error("at must be whole numbers, such as 0.2.1");
  const hand = settings.has("hand") ? readNumber(settings, "hand", 0, LARGEST, 0) : null;
  return { path: path.map(Number), hand };
}

function sizeInWords({ public_states, sets }: Pick<Size, "public_states" | "sets">): string {
  return `${counted(sets, "decision")} (a hand in a public state), in ${counted(public_states, "public state")}`;
}

function memoryInWords({ bytes }: Size): string {
  return bytes < 1_000_000 ? "less than 1 MB of memory" : `about ${Math.round(bytes / 1_000_000)} MB of memory`;
}

/** A mean result, such as "wins 1.01 points". */
function resultInWords(value: number, unit: string): string {
  return `${value < 0 ? "loses" : "wins"} ${Math.abs(value).toPrecision(3)} ${unit}`;
}

function drawFigures(
  about: string,
  unit: string,
  { public_states, sets, iterations, values, nash_conv, uniform }: Solution,
): HTMLElement {
  const value = (of: number): string => `${of < 0 ? "−" : "+"}${Math.abs(of).toFixed(4)}`;
  const share = ((100 * nash_conv) / uniform).toPrecision(2);
  const figures: [string, string][] = [
    ["Size", sizeInWords({ public_states, sets })],
    ["Iterations", iterations.toLocaleString("en")],
    ["Value", values.map((of, seat) => `${playerName(seat)} ${value(of)}`).join(", ")],
    ["NashConv", `${nash_conv.toPrecision(2)} (${share} % of that of random play)`],
  ];
  return panel(
    `${about}: the player who begins ${resultInWords(values[0] ?? 0, unit)} per game on average ` +
      `(${nash_conv / uniform < 0.01 ? "close to" : "not yet at"} equilibrium)`,
    {},
    h("dl", { class: "figures" }, ...figures.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    h(
      "p",
      { class: "muted" },
      `Values are ${unit} per game, on average. `,
      "NashConv is the sum of what each player could gain by a best response: ",
      "0 in an equilibrium. A public state is everything that all players have seen. The order in which a player drew ",
      "its cards does not count.",
    ),
  );
}
