import { actionInWords, capital, cardOf } from "./cards";
import { CONDITIONS, dateOfDeal } from "./daily";
import { button, h } from "./dom";
import type { TableOptions } from "./drawing";
import { drawHistory, drawUnseen } from "./end";
import { freshCards, handSize } from "./hands";
import { lessonOf, noteAt } from "./lessons";
import { endLoading } from "./loading";
import type { Match } from "./match";
import { follow, look } from "./motion";
import { seatInSentence } from "./names";
import { outcomeInWords } from "./outcome";
import type { Move } from "./protocol";
import { goalOf, wordsOn } from "./rules";
import { Running } from "./running";
import type { Seen } from "./seen";
import { drawNews } from "./story";
import { drawParts, labelOf } from "./table";
import { trickOf } from "./trick";

/** The table at which a person plays, with the news, the choices and what is being computed between felt and hand. */
export class TableBox {
  /** The decision of another seat, or a search for the person. */
  readonly running = new Running();
  readonly element: HTMLElement;
  readonly #happened = h("p", { class: "happened" });
  readonly #prompt = h("p", { class: "prompt" });
  readonly #goOn: HTMLButtonElement;
  readonly #felt = h("div", { class: "felt" });
  readonly #own = h("div", { class: "own" });
  readonly #choose: (move: Move) => void;

  /** `choose` is called with the chosen move, `goOn` to ask again for a decision. */
  constructor(choose: (move: Move) => void, goOn: () => void) {
    this.#choose = choose;
    this.#goOn = button("", goOn);
    // It can be focused while nothing on it can be chosen.
    this.element = h(
      "section",
      { class: "stier table box", tabindex: -1, "aria-label": "table" },
      this.#felt,
      h(
        "div",
        { class: "said" },
        h("div", { class: "status", role: "status" }, this.#happened, this.#prompt),
        this.#goOn,
        this.running.element,
      ),
      this.#own,
    );
    this.offer(null);
  }

  /** Offers to go on with a decision that was stopped or has failed, in these words. */
  offer(words: "Go on" | "Try again" | null): void {
    this.#goOn.hidden = words === null;
    this.#goOn.textContent = words;
  }

  /** Says whose turn it is, or why nobody can move. */
  prompt(text: string): void {
    endLoading();
    this.#prompt.textContent = text;
  }

  /** Answers a question of the person in the place of the news; whose turn it is, or who has won, stays. */
  answer(text: string): void {
    this.#happened.replaceChildren(h("span", { class: "sentence" }, text));
  }

  /** Forgets the room that the hand and the moves once needed. */
  forgetRoom(): void {
    this.#own.style.minHeight = "";
  }

  /** Shows a game. Cards move to their places unless the deal is new. */
  show(seen: Seen, isNew: boolean): void {
    const before = look(this.element);
    if (isNew) this.forgetRoom();
    this.draw(seen);
    if (!isNew) follow(before, this.element, lastTrick(seen)?.winner ?? null);
    this.#tell(seen);
  }

  /**
   * Draws the table, with the move that is recommended. At the end the tricks and the unseen cards take the place of the
   * hand and the moves.
   */
  draw(seen: Seen, best?: number): void {
    const { match, table, unseen, finished } = seen;
    const { rules, playing, isOver } = match;
    const options = this.#optionsOf(seen, best);
    const hadFocus = this.element.contains(document.activeElement);
    // A ring around the first card would look like advice to a person who uses no keys.
    const isSeen = this.element.matches(":is(:focus-visible, :has(:focus-visible))");
    const { felt, own } = drawParts(table, rules.faces, options);
    // There is room for the tricks of two.
    if (isOver && rules.seats === 2 && trickOf(table)) {
      const tricks = finished.filter((trick) => trick !== null);
      own.append(...drawHistory(tricks, rules.faces, playing.seat, rules.seats));
    }
    own.append(...drawUnseen(unseen, rules.faces));
    this.#felt.replaceChildren(...felt.children);
    // It keeps the space that it once needed, so that nothing moves when a card or a move is gone.
    this.#own.style.minHeight = `${this.#own.offsetHeight}px`;
    this.#own.replaceChildren(...own.children);
    this.element.classList.toggle("over", isOver);
    this.element.classList.toggle("choosing", options.moves !== undefined);
    this.element.classList.toggle("wordy", (lessonOf(playing) ?? dateOfDeal(playing)) != null);
    this.element.setAttribute("aria-label", labelOf(table, options));
    const first = isSeen ? this.element.querySelector<HTMLElement>("[data-move]") : null;
    if (hadFocus) (first ?? this.element).focus({ preventScroll: true });
  }

  #optionsOf(seen: Seen, best: number | undefined): TableOptions {
    const { isOver, isYours, playing, rules, table, tables } = seen.match;
    return {
      eyes: isOver ? null : playing.seat,
      you: playing.seat,
      next: false,
      last: lastTrick(seen),
      fresh: isOver ? [] : freshCards(tables, playing.seat),
      most: Math.max(...tables.map((one) => handSize(one, playing.seat))),
      words: Object.fromEntries(wordsOn(rules.game, table)),
      best,
      ...(isYours && { moves: this.#choose }),
    };
  }

  /** Tells the news, and the choices of the person. */
  #tell(seen: Seen): void {
    const { match, table, story, finished } = seen;
    const { game, playing, rules } = match;
    const { position, seat, from } = playing;
    const own = match.tables.slice(0, -1).findLastIndex((one) => one.seat === seat);
    const tricks = finished.slice(Math.max(0, own)).filter((trick) => trick !== null);
    const news = drawNews(story, { you: seat, seats: rules.seats, faces: rules.faces }, trickOf(table) && tricks);
    const isBeginning = !match.isOver && position.record === undefined && from === 0 && match.choices().length === 0;
    const note = match.isYours || match.isOver ? noteAt(match, finished) : null;
    const goal = h("span", { class: "sentence" });
    const conditions = dateOfDeal(playing) ? `${CONDITIONS} ` : "";
    if (isBeginning && note === null) goal.innerHTML = `${conditions}${goalOf(game.name)} `;
    this.#happened.replaceChildren(...(goal.innerHTML === "" ? [] : [goal]), ...news);
    if (note !== null) this.#happened.append(h("span", { class: "lesson" }, note));
    this.prompt(match.isOver ? outcomeInWords(position.game, table, seat) : promptOf(match));
  }
}

function lastTrick({ finished }: Seen): Seen["finished"][number] | undefined {
  return finished.findLast((trick) => trick !== null);
}

/** The choices of the person, or the seat to move, in words. */
function promptOf({ playing: { seat }, rules: { faces, seats }, table, isYours }: Match): string {
  if (!isYours) return `${capital(seatInSentence(Number(table.seat), seat, seats))} is thinking.`;
  const { legal } = table;
  const others = legal.filter(({ name }) => cardOf(name, faces).card === null);
  if (others.length === legal.length) return "Your turn: choose a move.";
  const [other, ...rest] = others.map(({ name }) => actionInWords(name, faces));
  const more = other === undefined ? "" : rest.length === 0 ? `, or ${other}` : ", or a move below";
  const verb = legal.map(({ name }) => cardOf(name, faces)).find(({ card }) => card !== null)?.words || "choose";
  return `Your turn: ${verb} a card${more}.`;
}
