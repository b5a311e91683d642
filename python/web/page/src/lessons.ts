import { cardOf, faceInWords, suitInWords } from "./cards";
import { factOf, ofSeats } from "./facts";
import { handOf } from "./hands";
import type { Playing } from "./link";
import type { Match } from "./match";
import type { Face, Table } from "./protocol";
import type { Trick } from "./trick";

/** A moment of a lesson at which the person is to act, or at which the game is over. */
interface Moment {
  table: Table;
  you: number;
  faces: Record<string, Face>;
  /** The trick that was finished since the person's last choice. */
  finished: Trick | undefined;
}

/** A remark of the teacher, said once. It says nothing where it does not fit. */
type Note = (moment: Moment) => string | null;

/** A guided bout of Schwinget. At each moment the first note of each kind that fits is said. */
export interface Lesson {
  title: string;
  rules: string;
  seed: string;
  /** On the trick that was just finished. */
  past: Note[];
  /** On what can be done now. */
  now: Note[];
  /** On cards of their own, by sign: once one was played, or while the person holds it and there is nothing else to say. */
  cards: Record<string, string>;
}

export const GAME = "schwinget";
export const TEACHER = "greedy";

export const LESSONS: Lesson[] = [
  {
    title: "Follow suit",
    // Without a pile, so nobody draws or attacks, and without a trump suit.
    rules: "suits=3,values=4,counter=off,set_aside=3",
    seed: "187",
    past: [
      when(won, "The same suit, and yours is higher: you take the trick, and lead the next one."),
      higher,
      when(
        (moment) => lost(moment) && !isOver(moment) && higher(moment) === null,
        "A card of another suit loses, whatever its value: the opponent leads again.",
      ),
    ],
    now: [
      when(
        leads,
        "You lead: play any card, and the opponent answers it. These two cards are a trick. Of the same suit the higher card wins. The referee on the table and trumps come in lesson 2: here they do nothing.",
      ),
      mustFollow,
      isVoid,
      when(isOver, "The player with more tricks scores 2 points."),
      when(
        (moment) => handOf(moment.table, moment.you).length === 2,
        "Two more tricks. The player who takes more of the five wins the bout.",
      ),
    ],
    cards: {},
  },
  {
    title: "Trump",
    rules: "suits=3,values=5,hand_size=6,set_aside=5",
    seed: "142",
    past: [
      when(
        ({ finished, faces, table }) =>
          finished?.winner != null &&
          isTrump(cardBy(finished, finished.winner), faces, table) &&
          !isTrump(cardBy(finished, 1 - finished.winner), faces, table),
        "A trump beats every other suit, however low it is.",
      ),
    ],
    now: [
      ({ table, faces }) => {
        const turned = faces[String(factOf(table, "turned_up"))];
        return turned
          ? `The card turned up is ${suitInWords(turned)}: ${suitInWords(turned)} is trump. A trump beats every card of another suit.`
          : null;
      },
      when(
        (moment) => !leads(moment) && ownTrumps(moment).length > 0 && led(moment) !== null && !isTrumpLed(moment),
        "You may always answer with a trump, even if you could follow suit.",
      ),
      choosesLeader,
      when(
        ({ table }) => factOf(table, "neutral_trick") === true,
        "A neutral trick waits on the table: the winner of the next trick takes it too.",
      ),
      mustFollow,
    ],
    cards: {
      whistle:
        "The card with the whistle is the referee: nobody wins its trick, except for the last. The winner of the next trick takes both.",
      bolt: "The card with the bolt is the counter: it beats the highest value, here the fives, and loses to everything else.",
    },
  },
  {
    title: "The attack",
    // A hand that wins all five tricks.
    rules: "",
    seed: "107",
    past: [when(lostOne, "A flat throw is gone, but more tricks still win the bout, with 3 points.")],
    now: [
      choosesLeader,
      when(
        (moment) => leads(moment) && canAttack(moment),
        "After each card you draw a new one from the pile. Before you lead you may attack: then nobody draws any more, and the hands are played out. Win all five tricks: a flat throw, 7 points!",
      ),
      when(
        (moment) => leads(moment) && canAttack(moment),
        "If nobody attacks, you play until the pile and both hands are empty. More tricks then score 2 points.",
      ),
      when(
        ({ table, you }) => table.seat === null && scoresThough(table, you),
        "Your three tricks or more score a point, though you lost.",
      ),
      when(
        ({ table, you }) => factOf(table, "attacker") === you,
        "The pile is locked. Lead your high trumps first: they take the trumps of the opponent away.",
      ),
      when(
        ({ table, you }) => factOf(table, "attacker") === 1 - you,
        "Nobody draws now. If you win all five tricks, the flat throw is yours, for 5 points.",
      ),
      when(
        ({ table, you }) => factOf(table, "pile") === 0 && table.seat === you,
        "The pile is empty: nobody draws any more, and nobody can attack. The last five cards are played out.",
      ),
    ],
    cards: {},
  },
];

/** The lesson that a game is; undefined if it is an ordinary one. */
export function lessonOf({ position: { game, rules, seed, record }, agent }: Playing): Lesson | undefined {
  if (game !== GAME || agent !== TEACHER || record !== undefined) return undefined;
  return LESSONS.find((lesson) => lesson.rules === rules && lesson.seed === seed);
}

/** The beginning of a lesson. */
export function playingOf({ rules, seed }: Lesson): Playing {
  return { position: { game: GAME, rules, seed, moves: [] }, agent: TEACHER, seat: 0, from: 0 };
}

/** The remark for a moment of a game, if it is a lesson and there is one. */
export function noteAt(match: Match, finished: (Trick | null)[]): string | null {
  const lesson = lessonOf(match.playing);
  if (!lesson) return null;
  const [past, now, cards] = [new Set(lesson.past), new Set(lesson.now), new Map(Object.entries(lesson.cards))];
  let said: string[] = [];
  for (const moment of momentsOf(match, finished)) {
    said = [...take(past, moment), ...take(now, moment)];
    for (const [sign, text] of cards) {
      if (!wasPlayed(moment, sign) && (said.length > 0 || !holds(moment, sign))) continue;
      cards.delete(sign);
      said.unshift(text);
    }
  }
  return said.join(" ") || null;
}

/** The first note that fits. It is not said again. */
function take(notes: Set<Note>, moment: Moment): string[] {
  for (const note of notes) {
    const text = note(moment);
    if (text === null) continue;
    notes.delete(note);
    return [text];
  }
  return [];
}

/** The moments at which the teacher may say something: there is time to read it. */
function momentsOf({ tables, rules: { faces }, playing: { seat } }: Match, finished: (Trick | null)[]): Moment[] {
  let before = 0;
  return tables.flatMap((table, index) => {
    if (table.seat !== null && table.seat !== seat) return [];
    const trick = finished.slice(before, index).findLast((one) => one !== null);
    before = index;
    return [{ table, you: seat, faces, finished: trick ?? undefined }];
  });
}

function when(fits: (moment: Moment) => boolean, says: string): Note {
  return (moment) => (fits(moment) ? says : null);
}

function isOver({ table }: Moment): boolean {
  return table.seat === null;
}

/** True if the person is to lead a card. */
function leads({ table }: Moment): boolean {
  return table.legal.length > 0 && factOf(table, "led") === null;
}

/** After a neutral trick the player of the referee says who leads. */
function choosesLeader({ table }: Moment): string | null {
  return table.legal.some(({ name }) => name === "lead:self")
    ? "You played the referee, so you say who leads the next trick. Keep the lead with a card that is hard to beat. Give it away to see the opponent's card first."
    : null;
}

function canAttack({ table }: Moment): boolean {
  return table.legal.some(({ name }) => name === "attack");
}

function holds(moment: Moment, sign: string): boolean {
  return handOf(moment.table, moment.you).some((card) => moment.faces[card]?.sign === sign);
}

function wasPlayed({ finished, faces }: Moment, sign: string): boolean {
  return finished?.slots.some(({ card }) => faces[card ?? ""]?.sign === sign) ?? false;
}

/** The card that the person has to answer. */
function led({ table, faces }: Moment): Face | null {
  const card = factOf(table, "led");
  return (table.legal.length > 0 && typeof card === "string" && faces[card]) || null;
}

function isTrump(card: string | null, faces: Record<string, Face>, table: Table): boolean {
  const turned = faces[String(factOf(table, "turned_up"))];
  return card !== null && factOf(table, "trump") !== null && faces[card]?.sign === turned?.sign;
}

function isTrumpLed(moment: Moment): boolean {
  return isTrump(String(factOf(moment.table, "led")), moment.faces, moment.table);
}

function ownTrumps(moment: Moment): string[] {
  return handOf(moment.table, moment.you).filter((card) => isTrump(card, moment.faces, moment.table));
}

function mustFollow(moment: Moment): string | null {
  const card = led(moment);
  const {
    table: { legal },
    faces,
  } = moment;
  if (!card || legal.length >= handOf(moment.table, moment.you).length) return null;
  const suit = suitInWords(card);
  const free = legal.every(({ name }) => faces[cardOf(name, faces).card ?? ""]?.sign === card.sign);
  return `The opponent led ${suit}. You hold ${suit}, so you must play ${suit}${free ? "" : ", or a trump"}: the pale cards cannot be played.`;
}

function isVoid(moment: Moment): string | null {
  const card = led(moment);
  if (!card || handOf(moment.table, moment.you).some((own) => moment.faces[own]?.sign === card.sign)) return null;
  return `You hold no ${suitInWords(card)}, so you may play any card. It loses the trick: give away a low one.`;
}

function cardBy(trick: Trick, seat: number): string | null {
  return trick.slots.find((slot) => slot.seat === seat)?.card ?? null;
}

function won(moment: Moment): boolean {
  const { finished, you, faces } = moment;
  return finished?.winner === you && !isOver(moment) && isSameSuit(finished, faces);
}

function isSameSuit({ slots }: Trick, faces: Record<string, Face>): boolean {
  return new Set(slots.map(({ card }) => faces[card ?? ""]?.sign)).size === 1;
}

function lost(moment: Moment): boolean {
  return moment.finished?.winner === 1 - moment.you;
}

function higher(moment: Moment): string | null {
  const { finished, you, faces } = moment;
  if (!finished || !lost(moment) || isOver(moment) || !isSameSuit(finished, faces)) return null;
  const [other, own] = [1 - you, you].map((seat) => faces[cardBy(finished, seat) ?? ""]);
  return other && own ? `The ${faceInWords(other)} is higher than your ${faceInWords(own)}: the opponent leads.` : null;
}

function scoresThough(table: Table, you: number): boolean {
  const [tricks, scores] = [ofSeats(table, "tricks"), ofSeats(table, "scores")];
  return Number(tricks?.[you]) >= 3 && scores?.[you] === 1 && Number(scores[1 - you]) > 1;
}

function lostOne(moment: Moment): boolean {
  return lost(moment) && factOf(moment.table, "attacker") === moment.you;
}
