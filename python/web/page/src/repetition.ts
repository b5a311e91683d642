import { isObject, type Kept } from "./storage";

/** A question that was once answered wrong: how often it was right since then, and the day on which it comes again. */
interface Due {
  times: number;
  day: number;
}

/** The number of right answers in a row: now, and at most. */
interface Streak {
  now: number;
  best: number;
}

/** Days until a question comes again, by how often it has been right since it was wrong. Then it is known. */
const PAUSES = [1, 3, 7, 21];
const MILLISECONDS = 24 * 60 * 60 * 1000;
const KEY = "trainer-wrong";
const STREAK = "trainer-streak";

/** The memory of this browser: questions to repeat, and the number of right answers in a row. */
export class Repetition {
  readonly #kept: Kept;
  readonly #now: () => number;

  constructor(kept: Kept, now: () => number = Date.now) {
    this.#kept = kept;
    this.#now = now;
  }

  /** Notes an answer. A right one counts only when the question is due: at most once a day. */
  note(id: string, isRight: boolean): void {
    const all = this.#all();
    const due = all[id];
    const today = this.#day();
    if (!isRight) all[id] = { times: 0, day: today };
    else if (due && due.day <= today) {
      const pause = PAUSES[due.times];
      if (pause === undefined) delete all[id];
      else all[id] = { times: due.times + 1, day: today + pause };
    }
    this.#kept.write(KEY, all);
    const { now, best } = this.streak();
    const next = isRight ? now + 1 : 0;
    this.#kept.write(STREAK, { now: next, best: Math.max(best, next) });
  }

  /** The questions that are due, the longest overdue first. */
  due(): string[] {
    const today = this.#day();
    const due = Object.entries(this.#all()).filter(([, { day }]) => day <= today);
    return due.sort(([, one], [, other]) => one.day - other.day || one.times - other.times).map(([id]) => id);
  }

  /** The number of questions that will come again. */
  get waiting(): number {
    return Object.keys(this.#all()).length;
  }

  /** The number of right answers in a row: now, and at most. */
  streak(): Streak {
    return this.#kept.read(STREAK, isStreak) ?? { now: 0, best: 0 };
  }

  #all(): Record<string, Due> {
    return this.#kept.read(KEY, areDue) ?? {};
  }

  /** The number of the day here: another begins at midnight. */
  #day(): number {
    const now = this.#now();
    return Math.floor((now - new Date(now).getTimezoneOffset() * 60_000) / MILLISECONDS);
  }
}

function areDue(found: unknown): found is Record<string, Due> {
  return isObject(found) && Object.values(found).every((due) => hasNumbers(due, "times", "day"));
}

function isStreak(found: unknown): found is Streak {
  return hasNumbers(found, "now", "best");
}

function hasNumbers(found: unknown, ...names: string[]): boolean {
  return isObject(found) && names.every((name) => Number.isSafeInteger(found[name]) && Number(found[name]) >= 0);
}
