import { opponentInWords } from "./agents";
import { copy } from "./copy";
import { button, h } from "./dom";
import type { EngineClient } from "./engine";
import { GAME } from "./lessons";
import { isPrivate, type Playing, playLink, wholeLink } from "./link";
import type { Match } from "./match";
import { inBrowser } from "./storage";

const TITLE = "Schwinget";
const AGENT = "network";

/** A game against the trained network, dealt by the date: the same for everyone on that day. */
function gameOf(date: string): Playing {
  const seed = date.replaceAll("-", "");
  const position = { game: GAME, rules: "", seed, moves: [] };
  // The first lead is an advantage: it changes from day to day.
  return { position, agent: AGENT, seat: Number(seed) % 2, from: 0 };
}

/** The hash of the deal of a day. */
export function dailyLink(day: Date): string {
  return playLink(gameOf(dateOf(day)), []);
}

/** The date of which a game is the deal, such as 2026-11-27; null for all other games. */
export function dateOfDeal({ position, agent, seat, from }: Playing): string | null {
  const [, year, month, day] = /^(20\d\d)(\d\d)(\d\d)$/.exec(position.seed) ?? [];
  const date = `${year}-${month}-${day}`;
  // Not the 31st of February.
  if (year === undefined || dateOf(new Date(`${date}T12:00`)) !== date) return null;
  const daily = gameOf(date);
  const isSame =
    position.game === GAME &&
    position.rules === "" &&
    position.record === undefined &&
    agent === AGENT &&
    seat === daily.seat &&
    from === 0;
  return isSame ? date : null;
}

/** The name of the deal of a day, such as "Deal of the day, 27 November". */
export function dailyName(date: string): string {
  return `Deal of the day, ${new Date(`${date}T12:00`).toLocaleDateString("en-GB", { day: "numeric", month: "long" })}`;
}

function dateOf(day: Date): string {
  const [year, month, date] = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return [year, ...[month, date].map((number) => String(number).padStart(2, "0"))].join("-");
}

/** The conditions of the deal of a day, said before its first card. */
export const CONDITIONS = "Only your first result counts. The text to share says if you used Hint, Undo or Knowledge.";

/** The help that a person took in the deal of a day before the first result. */
type Help = (typeof HELP)[number];
const HELP = ["hint", "undo", "knowledge"] as const;

const LIST = new Intl.ListFormat("en");

/** A text to tell others about the deal of a day: own return and its help, and that of the agent in the same seat. */
export function resultText(date: string, own: number, agent: string, agents: number, helped: Help[] = []): string {
  const help = helped.length === 0 ? "" : `, with ${LIST.format(HELP.filter((help) => helped.includes(help)))}`;
  return [
    `Stier, deal of the day ${date}`,
    `${TITLE}: ${inWords("I", own)}${help}. In my seat, ${agent} ${inWords("", agents).trim()}.`,
    ...(isPrivate() ? [] : [wholeLink(playLink(gameOf(date), []))]),
  ].join("\n");
}

function inWords(who: string, value: number): string {
  if (value === 0) return `${who} drew`;
  return `${who} ${value > 0 ? "won" : "lost"} by ${Math.abs(value)}`;
}

/**
 * The end of the deal of a day: the result as a text to paste. The first result counts, so that nobody plays until it is
 * good.
 */
export class Daily {
  readonly element = h("section", { class: "daily", "aria-label": "result of the day", hidden: true });
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  /** Shows the result of a game that is over; hides it for all others. One that was not played here is not kept. */
  async show(match: Match, returns: number[] | null, isPlayed: boolean, signal: AbortSignal): Promise<void> {
    const { playing, rules } = match;
    const date = returns && dateOfDeal(playing);
    this.element.hidden = true;
    if (!date || !returns) return;
    const first = this.#first(date, isPlayed ? (returns[playing.seat] ?? 0) : null);
    if (first === null) return;
    const agents = await this.#agents(playing, signal);
    signal.throwIfAborted();
    const agent = opponentInWords(playing.agent, rules, true);
    const text = resultText(date, first, agent, agents, helped(date));
    const copied = h("span", { class: "muted", role: "status" });
    this.element.replaceChildren(
      h("pre", { class: "result-text", tabindex: 0 }, text),
      h(
        "p",
        { class: "actions" },
        button("Copy result", async () => {
          copied.textContent = (await copy(text)) ? "Copied" : "It cannot be copied here: select the text.";
        }),
        copied,
      ),
      ...(first === returns[playing.seat] ? [] : [h("p", { class: "muted" }, "Your first result counts.")]),
    );
    this.element.hidden = false;
    // On a phone it lies below the table.
    if (isPlayed) this.element.scrollIntoView({ block: "nearest" });
  }

  /** Notes help in the deal of a day, until its first result. */
  help(playing: Playing, help: Help): void {
    const date = dateOfDeal(playing);
    if (!date || inBrowser.get(keyOf(date)) !== null) return;
    inBrowser.set(`${keyOf(date)}-help`, [...new Set([...helped(date), help])].join());
  }

  /** Follows a game to its next position. One that does not go on from the position before has taken a choice back. */
  follow(match: Match): void {
    const date = dateOfDeal(match.playing);
    if (!date) return;
    const key = `${keyOf(date)}-choices`;
    const [before, now] = [inBrowser.get(key) ?? "", match.choices().join(".")];
    if (before !== "" && !`${now}.`.startsWith(`${before}.`)) this.help(match.playing, "undo");
    inBrowser.set(key, now);
  }

  /** The first result of the day in this browser. */
  #first(date: string, own: number | null): number | null {
    const key = keyOf(date);
    const kept = inBrowser.read(key, (found) => typeof found === "number");
    if (kept === null && own !== null) inBrowser.write(key, own);
    return kept ?? own;
  }

  /** The return of the agent in the person's seat, against itself. */
  async #agents({ position, agent, seat }: Playing, signal: AbortSignal): Promise<number> {
    const moves: number[] = [];
    for (;;) {
      const now = { ...position, moves };
      const { returns } = await this.#engine.ask(signal, "table", now, seat);
      if (returns) return returns[seat] ?? 0;
      moves.push((await this.#engine.ask(signal, "decide", now, agent, position.seed)).id);
    }
  }
}

/** The place of a day's result in this browser. */
function keyOf(date: string): string {
  return `daily-${date}`;
}

function helped(date: string): Help[] {
  const kept = inBrowser.get(`${keyOf(date)}-help`)?.split(",") ?? [];
  return HELP.filter((help) => kept.includes(help));
}
