import type { Position } from "./protocol";
import { inTab } from "./storage";

/** The views of the page, each with the settings that it reads. */
const SETTINGS = {
  play: ["rules", "seed", "agent", "seat", "from", "moves", "record", "kept"],
  review: ["seat", "record", "kept"],
  trainer: ["seed"],
  solutions: ["rules", "iterations", "at", "hand"],
} as const;
export type Tab = keyof typeof SETTINGS;
export const TABS = Object.keys(SETTINGS) as Tab[];
type Settings<T extends Tab> = Partial<Record<(typeof SETTINGS)[T][number], string | number>>;

/** A place on the page, as the hash of its address names it: `#play/schwinget?seed=7`. */
export interface Route {
  tab: Tab;
  /** Empty if the hash does not name one. */
  game: string;
  settings: URLSearchParams;
  /** The parts of the hash that name nothing, as they are written there. */
  unknown: string[];
}

/** A game that a person plays. */
export interface Playing {
  position: Position;
  /** The agent at all other seats; empty for the game's default opponent. */
  agent: string;
  seat: number;
  /** The number of moves with which the game began. Those after it are the person's and the agents'. */
  from: number;
}

/** The address at which the publisher offers the page; empty if nobody has said so. vite.config.ts takes it from STIER_PAGE. */
declare const ADDRESS: string;
/** The games that have an entrance of their own there, with a picture for previews. */
declare const ENTRANCES: string[];

/** Longer records than this stay out of the address. */
const LONGEST_RECORD = 1500;
/** The beginning of the names of records in the tab's own storage. */
const KEPT = "record-";
/** The largest number of a seat or an action. */
const LARGEST = 255;

/** Reads a hash. An unknown view opens the first one, without what belongs to another. */
export function readRoute(hash: string): Route {
  const [path, query] = split(repaired(hash).replace(/^#/, ""), "?");
  const [name, game] = split(path.toLowerCase(), "/");
  const tab = TABS.find((known) => known === name) ?? "play";
  if (tab !== name && name !== "") return { tab, game: "", settings: new URLSearchParams(), unknown: [hash] };
  const settings = new URLSearchParams(query);
  const hasGame = tab === "play" || tab === "solutions";
  // A solution is that of a game. Of two values of a setting, the first counts.
  const known: readonly string[] = tab === "solutions" && game === "" ? [] : SETTINGS[tab];
  const others = [...settings].filter(
    ([key], index, all) => !known.includes(key) || all.findIndex(([first]) => first === key) < index,
  );
  const unknown = [...(hasGame || game === "" ? [] : [game]), ...others.map(([key, value]) => `${key}=${value}`)];
  return { tab, game: hasGame ? game : "", settings, unknown };
}

/** The game of the entrance through which the page was opened, or empty. */
export function entrance(): string {
  return ENTRANCES.find((game) => location.pathname.endsWith(`/${game}.html`)) ?? "";
}

/** A hash without what other programs do to links: encoded marks, and the punctuation of the sentence around it. */
function repaired(hash: string): string {
  let text = hash.replaceAll("&amp;", "&");
  if (!text.includes("?") && /%3F/i.test(text)) {
    try {
      text = decodeURIComponent(text);
    } catch {
      // Not an encoded text: it leads nowhere.
    }
  }
  return /record=/.test(text) ? text : text.replace(/[.,;:!?)\]}>"'”’]+$/, "");
}

/** Writes a hash. Settings that are empty are left out. */
export function writeRoute<T extends Tab>(tab: T, game: string, settings: Settings<T>): string {
  const pairs = Object.entries<string | number | undefined>(settings).filter(([, value]) => value !== "");
  const query = pairs.map(([name, value]) => `${name}=${encode(String(value))}`).join("&");
  return `#${tab}${game && `/${game}`}${query && `?${query}`}`;
}

/**
 * Reads a game from a route: how it began, and the person's choices since then. What the agents did is not in the
 * address, where it could be seen: they decide again, and alike. Null if the route does not name a seed.
 */
export function readPlaying({ game, settings }: Route): { begun: Playing; choices: number[] } | null {
  const seed = settings.get("seed");
  if (seed === null && ["from", "moves", "record", "kept"].some((part) => settings.has(part)))
    throw new Error("it has moves, and no seed of the deal");
  if (!game || seed === null) return null;
  const moves = readMoves(settings, "from");
  const record = recall(settings);
  if (record === null && settings.has("kept")) {
    throw new Error("the record of this link is kept by another browser tab: save it there, and open it under Review");
  }
  const position = { game, rules: settings.get("rules") ?? "", seed, moves, ...(record !== null && { record }) };
  const begun = { position, agent: settings.get("agent") ?? "", seat: readSeat(settings), from: moves.length };
  return { begun, choices: readMoves(settings, "moves") };
}

function readMoves(settings: URLSearchParams, name: string): number[] {
  const moves = (settings.get(name) ?? "").split(".").filter(Boolean);
  if (!moves.every((move) => isWhole(move, 0, LARGEST))) {
    throw new Error(`${name} must be numbers of actions from 0 to ${LARGEST}, such as 12.3.4`);
  }
  return moves.map(Number);
}

/** The seat that settings name, or else the first. */
export function readSeat(settings: URLSearchParams, seats = LARGEST + 1): number {
  return readNumber(settings, "seat", 0, seats - 1, 0);
}

/** A whole number in settings, or `otherwise` if they do not name it. Beyond the limits of its field it is an error. */
export function readNumber(
  settings: URLSearchParams,
  name: string,
  least: number,
  most: number,
  otherwise: number,
): number {
  const text = settings.get(name);
  if (text === null) return otherwise;
  if (!isWhole(text, least, most)) throw new Error(`${name} must be a whole number from ${least} to ${most}`);
  return Number(text);
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** The hash at which a game can be played on after the person's choices. */
export function playLink({ position, agent, seat, from }: Playing, choices: number[]): string {
  const { game, rules, seed, record } = position;
  const begun = position.moves.slice(0, from).join(".");
  return writeRoute("play", game, { rules, seed, agent, seat, from: begun, moves: choices.join("."), ...keep(record) });
}

/**
 * The whole address of a hash, for other people. The published page has an entrance for each game, whose preview shows the
 * game: a program that looks at a link without opening it does not get the hash.
 */
export function wholeLink(hash: string): string {
  if (ADDRESS === "") return new URL(hash, location.href).href;
  const { game } = readRoute(hash);
  return new URL((ENTRANCES.includes(game) ? `${game}.html` : "") + hash, ADDRESS).href;
}

/** True for a page from this computer itself, as `stier web` serves it. */
export function isFromHere(): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
}

/** True if the links of this page open on this computer only: it comes from here, and no publisher has named an address. */
export function isPrivate(): boolean {
  return ADDRESS === "" && isFromHere();
}

/** The hash at which a record is reviewed for a seat. */
export function reviewLink(record: string, seat: number): string {
  return writeRoute("review", "", { seat, ...keep(record) });
}

/** The record that a route carries; null if it has none, or if it was kept by another browser tab. */
export function recall(settings: URLSearchParams): string | null {
  const key = settings.get("kept");
  return key === null ? settings.get("record") : key.startsWith(KEPT) ? inTab.get(key) : null;
}

/** A record as settings of a route: the text if it is short enough, or else a key to the tab's own storage. */
function keep(record: string | undefined): Settings<"review"> {
  if (record === undefined) return {};
  if (encode(record).length <= LONGEST_RECORD) return { record };
  const key = `${KEPT}${digest(record)}`;
  inTab.set(key, record);
  return { kept: key };
}

/** A short number for a text, so that the same record has the same key. */
function digest(text: string): string {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return (hash >>> 0).toString(36);
}

/** Leaves the characters of rules and agents readable. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(3A|2C|3D|2F)/g, decodeURIComponent)
    .replace(/%20/g, "+");
}

function split(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}
