import { actionInWords, faceInWords, plain } from "./cards";
import type { Face, Place, Table } from "./protocol";

/** Who hears the story, and of which game. */
export interface Listener {
  seat: number;
  faces: Record<string, Face>;
  /** True if the knowledge of a seat is a list of events rather than a description of the state. */
  eventful: boolean;
}

/** Facts and remarks that repeat a move or are better seen on the table. */
const REPEATED = new Set([
  "attacked", "bid", "first player", "hand", "knocked", "own stones", "pile", "prizes", "race", "supply",
]);
/** Labels of events in the knowledge of a seat, in words. */
const LABELS: Record<string, string> = { seen: "on the table" };

/** What happened between two tables, told from nothing but what the seat sees; empty if it saw nothing. */
export function tell(before: Table, after: Table, chosen: string | undefined, listener: Listener): string {
  const sentences = listener.eventful ? events(before, after, chosen, listener) : deed(before, after, chosen, listener);
  return [...sentences, ...changes(before, after, listener)].map(sentence).join(" ");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function who(seat: number | null, listener: Listener): string {
  return seat === listener.seat ? "you" : `seat ${seat}`;
}

/** A move in a game whose knowledge is a description. */
function deed(before: Table, after: Table, chosen: string | undefined, listener: Listener): string[] {
  if (chosen !== undefined) return [`you: ${actionInWords(chosen, listener.faces)}`];
  return before.knowledge === after.knowledge ? [] : [`${who(before.seat, listener)} has moved`];
}

/** The new events in the knowledge of the seat. */
function events(before: Table, after: Table, chosen: string | undefined, listener: Listener): string[] {
  const { faces } = listener;
  const [old, now] = [before.knowledge.split(" "), after.knowledge.split(" ")];
  const same = now.findIndex((word, index) => word !== old[index]);
  const mover = who(before.seat, listener);
  const own = chosen === undefined ? [] : [actionInWords(chosen, faces)];
  // Cards that all choose face down replace their places.
  if (same >= 0 && same < old.length) return [`${mover}: ${own[0] ?? "a hidden card"}`, ...turnedUp(after, listener)];
  const fresh = same < 0 ? [] : now.slice(same);
  const segments = fresh.filter((word) => word !== chosen).join(" ").split("|").map((segment) => segment.trim());
  const labelled = segments.map((segment) => /^([^:]*): (.*)$|^(turned up|placed) (.*)$/.exec(segment));
  const deeds = segments.filter((segment, index) => labelled[index] == null || segment.startsWith("play:"));
  const said = [...own, ...deeds.map((segment) => inWords(segment.replace(/^play:/, ""), listener))].filter(Boolean);
  const others = labelled.flatMap((match) => {
    const [label = "", rest = ""] = match?.slice(1).filter((part) => part !== undefined) ?? [];
    return label === "" || label === "play" ? [] : [`${LABELS[label] ?? plain(label)}: ${inWords(rest, listener)}`];
  });
  return [...(said.length > 0 ? [`${mover}: ${said.join(", ")}`] : []), ...others];
}

/** Part of the knowledge of a seat, such as `R2 +?`, in words. */
function inWords(knowledge: string, { faces }: Listener): string {
  const words = knowledge.split(" ").filter((word) => word !== "" && word !== "?" && word !== "-");
  const said = words.map((word) => {
    const drawn = word.startsWith("+") ? "draws " : "";
    const face = faces[drawn ? word.slice(1) : word];
    if (face) return `${drawn}${faceInWords(face)}, `;
    return drawn ? "draws a card, " : `${actionInWords(word, faces)} `;
  });
  return said.join("").replace(/,? $/, "");
}

/** The cards that were chosen face down, in the order of the seats, once they are turned up. */
function turnedUp({ knowledge }: Table, listener: Listener): string[] {
  const words = knowledge.slice(knowledge.lastIndexOf("|") + 1).split(" ");
  if (words.includes("?") || words.includes("-")) return [];
  const cards = words.flatMap((word) => listener.faces[word] ?? []);
  return [`turned up: ${cards.map((face, seat) => `${who(seat, listener)} ${faceInWords(face)}`).join(", ")}`];
}

/** Tricks that were won, scores and other changes on the table. */
function changes(before: Table, after: Table, listener: Listener): string[] {
  const remarks = after.scene.places.flatMap((place) => {
    const old = before.scene.places.find((other) => other.seat === place.seat)?.remarks ?? [];
    return place.remarks.filter((remark) => !old.includes(remark)).map((remark) => changed(place, remark, listener));
  });
  const known = new Map(before.scene.facts);
  const facts = after.scene.facts.map(([name, value]) => {
    const untold = known.get(name) === value || value === "-" || REPEATED.has(name);
    return untold ? "" : `${plain(name)}: ${value}`;
  });
  return [...remarks, ...facts].filter(Boolean);
}

function changed(place: Place, remark: string, listener: Listener): string {
  const [name = "", value] = remark.split(": ");
  if (place.seat === null || REPEATED.has(plain(name))) return "";
  const subject = who(place.seat, listener);
  if (name !== "tricks") return `${subject}: ${plain(remark.replace(": ", " "))}`;
  return value === "0" ? "" : `${subject} ${subject === "you" ? "win" : "wins"} the trick`;
}
