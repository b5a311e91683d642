import { drawn, isRight, QUESTIONS, type Question } from "./questions";
import type { Kept } from "./storage";

/** The questions of a round, without those that are asked again. */
export const ROUND = 20;
/** The most questions of a round that were wrong in earlier ones. */
const REPEATED = 10;
/** The questions between a wrong answer and the same question. */
const DISTANCE = 3;

/** The most times that a question is asked again in a round, so that every round ends. */
const AGAIN = 2;

/** An answered question. */
export interface Answered {
  question: Question;
  attack: boolean;
  /** True if it was wrong before in this round. */
  isAgain: boolean;
}

/** The questions that a tab is asked, with the answers so far. A reload goes on with them. */
export class Round {
  readonly #kept: Kept;
  readonly #key: string;
  readonly #seed: number;
  /** The questions in their order, by id. */
  #ids: string[];
  /** The answers in the same order: true for an attack. */
  #attacks: boolean[] = [];

  /** The round of a seed. Where the page itself chose the seed, it begins with `due` questions. */
  constructor(kept: Kept, seed: number, due: string[] = []) {
    this.#kept = kept;
    this.#seed = seed;
    this.#key = `trainer-${seed}`;
    const [list = "", answers = ""] = (kept.get(this.#key) ?? "").split(" ");
    const ids = list.split(",");
    if (ids.every((id) => questionOf(id))) {
      this.#ids = ids;
      this.#attacks = [...answers].map((letter) => letter === "a");
    } else {
      const repeated = due.filter((id) => questionOf(id)).slice(0, REPEATED);
      const others = drawn(seed, ROUND)
        .map(({ id }) => id)
        .filter((id) => !repeated.includes(id));
      this.#ids = [...repeated, ...others].slice(0, ROUND);
      // The seed alone does not tell them.
      if (repeated.length > 0) this.#keep();
    }
  }

  /** The next question; null after the last. */
  get question(): Question | null {
    return questionOf(this.#ids[this.#attacks.length] ?? "") ?? null;
  }

  /** The number of answers, and of all questions as far as is known. */
  get done(): number {
    return this.#attacks.length;
  }

  get length(): number {
    return this.#ids.length;
  }

  /** True if the next question was wrong before in this round. */
  get isAgain(): boolean {
    return this.#isAgain(this.#attacks.length);
  }

  /** The answers so far. */
  get answers(): Answered[] {
    return this.#attacks.flatMap((attack, place) => {
      const question = questionOf(this.#ids[place] ?? "");
      return question ? [{ question, attack, isAgain: this.#isAgain(place) }] : [];
    });
  }

  /** True if everybody is asked these questions: none is here because it was wrong in an earlier round. */
  get isShared(): boolean {
    const shared = new Set(drawn(this.#seed, ROUND).map(({ id }) => id));
    return this.#ids.every((id) => shared.has(id));
  }

  /** Answers the next question. If that is wrong, it is asked again soon, but not for ever. */
  answer(attack: boolean): void {
    const { question } = this;
    if (!question) return;
    this.#attacks.push(attack);
    const asked = this.#ids.filter((id) => id === question.id).length;
    if (!isRight(question, attack) && asked <= AGAIN) this.#ids.splice(this.#attacks.length + DISTANCE, 0, question.id);
    this.#keep();
  }

  /** Asks the same questions again. */
  restart(): void {
    this.#ids = [...new Set(this.#ids)];
    this.#attacks = [];
    this.#keep();
  }

  #isAgain(place: number): boolean {
    return this.#ids.indexOf(this.#ids[place] ?? "") < place;
  }

  #keep(): void {
    const letters = this.#attacks.map((attack) => (attack ? "a" : "w")).join("");
    this.#kept.set(this.#key, `${this.#ids.join(",")} ${letters}`);
  }
}

const BY_ID = new Map(QUESTIONS.map((question) => [question.id, question]));

function questionOf(id: string): Question | undefined {
  return BY_ID.get(id);
}
