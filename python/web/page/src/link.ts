import type { Position } from "./protocol";

/** The views of the page. */
export type Tab = "play" | "review" | "trainer" | "solutions";
export const TABS: readonly Tab[] = ["play", "review", "trainer", "solutions"];

/** A place on the page, as the hash of its address names it: `#play/schwinget?seed=7`. */
export interface Route {
  tab: Tab;
  /** Empty if the hash does not name one. */
  game: string;
  settings: URLSearchParams;
}

/** A game that a person plays. */
export interface Playing {
  position: Position;
  /** The agent at all other seats; empty for the game's default opponent. */
  agent: string;
  seat: number;
}

/** Longer records than this stay out of the address. */
const LONGEST_RECORD = 1500;

/** Reads a hash. Anything unknown opens the first view. */
export function readRoute(hash: string): Route {
  const [path = "", settings = ""] = split(hash.replace(/^#/, ""), "?");
  const [tab = "", game = ""] = split(path, "/");
  return { tab: TABS.find((known) => known === tab) ?? "play", game, settings: new URLSearchParams(settings) };
}

/** Writes a hash. Settings that are empty are left out. */
export function writeRoute(tab: Tab, game: string, settings: Record<string, string | number>): string {
  const pairs = Object.entries(settings).filter(([, value]) => value !== "");
  const query = pairs.map(([name, value]) => `${name}=${encode(String(value))}`).join("&");
  return `#${tab}${game && `/${game}`}${query && `?${query}`}`;
}

/** Reads a game from a route; null if the route does not name a seed. */
export function readPlaying({ game, settings }: Route): Playing | null {
  const seed = settings.get("seed");
  if (!game || seed === null) return null;
  const moves = (settings.get("moves") ?? "").split(".").filter(Boolean).map(Number);
  const record = recall(settings);
  return {
    position: { game, rules: settings.get("rules") ?? "", seed, moves, ...(record !== null && { record }) },
    agent: settings.get("agent") ?? "",
    seat: Number(settings.get("seat") ?? 0),
  };
}

/** The hash at which a game can be played on. */
export function playLink({ position, agent, seat }: Playing): string {
  const { game, rules, seed, moves, record } = position;
  return writeRoute("play", game, { rules, seed, agent, seat, moves: moves.join("."), ...keep(record) });
}

/** The hash at which a record is reviewed for a seat. */
export function reviewLink(record: string, seat: number): string {
  return writeRoute("review", "", { seat, ...keep(record) });
}

/** The record that a route carries; null if it has none, or if it was kept by another browser tab. */
export function recall(settings: URLSearchParams): string | null {
  const key = settings.get("kept");
  return key === null ? settings.get("record") : sessionStorage.getItem(key);
}

/** A record as settings of a route: the text if it is short enough, or else a key to the tab's own storage. */
function keep(record: string | undefined): Record<string, string> {
  if (record === undefined) return {};
  if (encode(record).length <= LONGEST_RECORD) return { record };
  const key = `record-${digest(record)}`;
  sessionStorage.setItem(key, record);
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
  return encodeURIComponent(text).replace(/%(3A|2C|3D|2F)/g, decodeURIComponent).replace(/%20/g, "+");
}

function split(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}
