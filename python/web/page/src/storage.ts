/** The beginning of all keys: other pages of the same site may keep texts too. */
const PREFIX = "stier-";

/** Texts that the browser keeps. Where its storage is blocked or full, they last as long as the page. */
export class Kept {
  readonly #open: () => Storage;
  /** Texts that the storage did not take. */
  readonly #own = new Map<string, string>();

  /** `open` names the storage, which can already be forbidden. */
  constructor(open: () => Storage) {
    this.#open = open;
  }

  get(key: string): string | null {
    try {
      return this.#own.get(key) ?? this.#open().getItem(PREFIX + key);
    } catch {
      return null;
    }
  }

  set(key: string, text: string): void {
    try {
      this.#open().setItem(PREFIX + key, text);
      this.#own.delete(key);
    } catch {
      this.#own.set(key, text);
    }
  }

  /** The value that was written; null if there is none, or if its text is damaged and does not fit. */
  read<T>(key: string, fits: (found: unknown) => found is T): T | null {
    try {
      const found: unknown = JSON.parse(this.get(key) ?? "null");
      return fits(found) ? found : null;
    } catch {
      return null;
    }
  }

  write(key: string, value: unknown): void {
    this.set(key, JSON.stringify(value));
  }
}

/** True for an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Texts that stay in this browser. */
export const inBrowser = new Kept(() => localStorage);
/** Texts that go with this tab: a reload finds them. */
export const inTab = new Kept(() => sessionStorage);
