import "./views.css";
import { measured } from "./chart";
import { SPECIAL } from "./count";
import { h, s } from "./dom";
import { isAbort, type EngineClient } from "./engine";
import { readNumber, writeRoute, type Route } from "./link";
import type { Face, InformationSet, Opening, Rules, Solution } from "./protocol";
import { Running, isStop } from "./running";

/** A game that is small enough, with its number of information sets. */
interface Small {
  game: string;
  rules: string;
  about: string;
  sets: number;
}

const GAMES: Small[] = [
  { game: "kuhn_poker", rules: "", about: "Kuhn poker", sets: 12 },
  { game: "leduc_poker", rules: "", about: "Leduc poker", sets: 936 },
  { game: "liars_dice", rules: "", about: "Liar's dice, one die each", sets: 24_576 },
  {
    game: "schwinget", rules: "suits=2,values=3,referee=off,hand_size=2,set_aside=1",
    about: "Schwinget, 7 cards", sets: 26_606,
  },
  {
    game: "schwinget", rules: "suits=2,values=3,hand_size=2,set_aside=2",
    about: "Schwinget, 8 cards with the referee", sets: 201_500,
  },
  {
    game: "schwinget", rules: "suits=2,values=4,referee=off,hand_size=2,set_aside=3",
    about: "Schwinget, 9 cards", sets: 479_040,
  },
];
const DEFAULT = 3;
const ITERATIONS = 200;
const MOST_ITERATIONS = 10_000;
/** The information sets of a page of the table. */
const PAGE = 50;
/** Milliseconds without typing before the filter is applied. */
const PAUSE = 250;

/** Solves a small game and lists what its equilibrium does. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const leaving = new AbortController();
  const running = new Running();
  const given = route.settings.get("rules") ?? "";
  const wanted = GAMES.findIndex(({ game, rules }) => game === route.game && rules === given);
  const choice = h("select", { name: "game" }, ...GAMES.map(({ about, sets }, index) =>
    h("option", { value: index, selected: index === (wanted < 0 ? DEFAULT : wanted) },
      `${about}: ${sets.toLocaleString("en")} information sets`)));
  const iterations = h("input", {
    name: "iterations", type: "number", required: true, min: 1, max: MOST_ITERATIONS, value: ITERATIONS,
  });
  const progress = h("p", { role: "status" });
  const found = h("div", { class: "solution" });

  const report = (error: unknown): void => {
    progress.className = "error";
    progress.textContent = error instanceof Error ? error.message : String(error);
  };
  const solve = async (signal: AbortSignal): Promise<void> => {
    const small = GAMES[Number(choice.value)];
    if (!small) return;
    const { game, rules } = small;
    history.replaceState(null, "", writeRoute("solutions", game, { rules, iterations: iterations.value }));
    found.replaceChildren();
    progress.className = "";
    progress.textContent = "Solving …";
    engine.onProgress = (text) => {
      if (!signal.aborted) progress.textContent = text;
    };
    try {
      const solution = await engine.ask(signal, "solve", game, rules, iterations.valueAsNumber);
      found.append(drawFigures(solution));
      if (game === "schwinget") {
        const openings = await engine.ask(signal, "openings");
        found.append(drawLeads(openings, await engine.ask(signal, "rules", game, rules)));
      }
      found.append(drawSets(engine, leaving.signal));
      progress.textContent = "";
    } catch (error) {
      if (isStop(error)) progress.textContent = "Stopped.";
      else if (!isAbort(error)) report(error);
    }
  };
  const start = (): void => {
    running.run(leaving.signal, solve).catch(report);
  };

  root.replaceChildren(
    h("header", { class: "intro measure" },
      h("h2", {}, "Equilibria of small games"),
      h("p", {}, "In an equilibrium no player can gain by changing only their own strategy. These games are small ",
        "enough to compute one, by CFR+ in this page. An information set is all that a player knows at a decision.")),
    h("form", {
        submit: (event) => {
          event.preventDefault();
          start();
        },
      },
      h("div", { class: "fields" },
        h("label", { class: "field" }, "Game", choice), h("label", { class: "field" }, "Iterations", iterations)),
      h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Solve"), running.element)),
    progress, found);
  try {
    iterations.value = String(readNumber(route.settings, "iterations", 1, MOST_ITERATIONS, ITERATIONS));
    if (wanted >= 0) start();
  } catch (error) {
    report(error);
  }
  return () => leaving.abort();
}

function drawFigures({ histories, sets, iterations, values, nash_conv, uniform }: Solution): HTMLElement {
  const value = (of: number): string => `${of < 0 ? "−" : "+"}${Math.abs(of).toFixed(4)}`;
  const share = ((100 * nash_conv) / uniform).toPrecision(2);
  const figures: [string, string][] = [
    ["Size", `${histories.toLocaleString("en")} histories, ${sets.toLocaleString("en")} information sets`],
    ["Iterations", iterations.toLocaleString("en")],
    ["Value", values.map((of, seat) => `seat ${seat} ${value(of)}`).join(", ")],
    ["NashConv", `${nash_conv.toPrecision(2)} (${share} % of that of random play)`],
  ];
  return h("div", {},
    h("dl", { class: "figures" }, ...figures.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    h("p", { class: "muted" }, "Values are average returns per game, in the game's utility. NashConv is the sum of ",
      "what each player could gain by a best response: 0 in an equilibrium."));
}

/** The hand of the mover in words, by what matters for an attack, such as "1 trump, single cards". */
function kindOf({ seat, scene }: Opening, { faces }: Rules): string {
  const cards = (place: number | null, name: string): Face[] =>
    (scene.places.find((one) => one.seat === place)?.groups.find((group) => group.name === name)?.cards ?? [])
      .flatMap((card) => faces[card ?? ""] ?? []);
  const hand = cards(seat, "hand");
  const [turned] = cards(null, "trump");
  // Referee and counter belong to no suit.
  const suits = hand.map(({ sign }) => sign).filter((sign) => !SPECIAL.has(sign));
  const trump = turned && !SPECIAL.has(turned.sign) ? turned.sign : null;
  const trumps = suits.filter((suit) => suit === trump).length;
  const others = suits.filter((suit) => suit !== trump);
  const longest = Math.max(0, ...others.map((suit) => others.filter((other) => other === suit).length));
  return [
    trump === null ? "no trump suit in this deal" : trumps === 0 ? "no trump in hand"
      : trumps === 1 ? "1 trump" : `${trumps} trumps`,
    longest === 1 && "single cards",
    longest > 1 && `${longest} of a suit`,
    ...hand.map(({ sign }) => SPECIAL.get(sign)),
  ].filter(Boolean).join(", ");
}

interface Lead {
  kind: string;
  reach: number;
  attacks: number;
  worth: number;
}

/** The first leads by kind of hand: sums weighted by the probability of each hand. */
function byKind(openings: Opening[], rules: Rules): Lead[] {
  const kinds = new Map<string, Lead>();
  for (const opening of openings) {
    const { reach, actions } = opening;
    const attack = actions.find(({ name }) => name === "attack");
    if (!attack) continue;
    const kind = kindOf(opening, rules);
    const lead = kinds.get(kind) ?? { kind, reach: 0, attacks: 0, worth: 0 };
    const other = Math.max(...actions.filter((action) => action !== attack).map(({ value }) => value));
    kinds.set(kind, {
      kind,
      reach: lead.reach + reach,
      attacks: lead.attacks + reach * attack.probability,
      worth: lead.worth + reach * (attack.value - other),
    });
  }
  return [...kinds.values()].sort((one, other) => other.attacks / other.reach - one.attacks / one.reach);
}

function drawLeads(openings: Opening[], rules: Rules): HTMLElement {
  const leads = byKind(openings, rules);
  const attacks = leads.reduce((sum, lead) => sum + lead.attacks, 0);
  return h("section", {},
    h("h3", {}, "When does the equilibrium attack?"),
    h("p", {}, "At the first lead it attacks in ", h("strong", {}, `${(100 * attacks).toFixed(0)} %`),
      " of all deals. An attack locks the draw pile. Its worth is its value minus that of the best other action."),
    h("div", { class: "scroll", tabindex: 0 }, h("table", {},
      h("thead", {}, h("tr", {}, ...["Hand", "Share of deals", "Attacks", "Worth of an attack"]
        .map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...leads.map(({ kind, reach, attacks, worth }) => h("tr", {},
        h("th", { scope: "row" }, kind),
        h("td", {}, percent(reach)),
        h("td", {}, drawShare(attacks / reach)),
        h("td", {}, measured(worth / reach))))))));
}

/** The information sets, fifty at a time, with a filter. */
function drawSets(engine: EngineClient, signal: AbortSignal): HTMLElement {
  let from = 0;
  let typing = 0;
  let asked = 0;
  const body = h("tbody");
  const count = h("p", { class: "muted", role: "status" });
  const filter = h("input", {
    name: "filter", type: "search", spellcheck: "false", placeholder: "such as: seat 0 attack",
    input: () => {
      clearTimeout(typing);
      typing = setTimeout(() => turn(-from), PAUSE);
    },
  });
  const before = h("button", { type: "button", click: () => turn(-PAGE) }, "Previous");
  const after = h("button", { type: "button", click: () => turn(PAGE) }, "Next");
  const turn = (by: number): void => {
    from += by;
    list().catch((error: unknown) => {
      if (!isAbort(error)) count.textContent = error instanceof Error ? error.message : String(error);
    });
  };
  const list = async (): Promise<void> => {
    const number = ++asked;
    const { found, sets } = await engine.ask(signal, "sets", filter.value, from, PAGE);
    if (number !== asked) return;
    body.replaceChildren(...sets.map(drawSet));
    const [first, last, all] = [from + 1, from + sets.length, found].map((number) => number.toLocaleString("en"));
    count.textContent = found > 0 ? `${first} to ${last} of ${all}` : "No information set contains all these words.";
    before.disabled = from === 0;
    after.disabled = from + sets.length >= found;
  };
  turn(0);
  return h("section", {},
    h("h3", {}, "Information sets"),
    h("label", { class: "field" }, "Filter", filter),
    h("div", { class: "scroll", tabindex: 0 }, h("table", { class: "sets" },
      h("thead", {}, h("tr", {}, ...["Knowledge", "Reached", "Actions: probability and value"]
        .map((name) => h("th", { scope: "col" }, name)))),
      body)),
    h("p", { class: "actions" }, before, after), count);
}

function drawSet({ knowledge, reach, actions }: InformationSet): HTMLElement {
  return h("tr", {},
    h("th", { scope: "row" }, h("code", {}, knowledge)),
    h("td", {}, rarity(reach)),
    h("td", {}, h("div", { class: "probabilities" }, ...actions.map(({ name, probability, value }) =>
      h("div", {}, h("span", {}, name), drawShare(probability), h("span", {}, measured(value)))))));
}

/** A probability as a small bar and a number. */
function drawShare(share: number): HTMLElement {
  return h("span", { class: "portion" },
    s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "rest", width: 100, height: 8 }),
      s("rect", { class: "filled", width: 100 * share, height: 8 })),
    h("span", {}, percent(share)));
}

/** A probability in percent. Only the impossible and the certain are called 0 % and 100 %. */
function percent(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1 %";
  if (share < 1 && share > 0.999) return ">99.9 %";
  return `${Number((100 * share).toFixed(1))} %`;
}

/** A small probability, such as "1 in 105". */
function rarity(share: number): string {
  return share > 0 ? `1 in ${Math.round(1 / share).toLocaleString("en")}` : "never";
}
