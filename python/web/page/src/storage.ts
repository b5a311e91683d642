/** Texts that the browser keeps. Where its storage is blocked or full, they last as long as the page. */
export class Kept {
  readonly #open: () => Storage;
  readonly #own = new Map<string, string>();

  /** `open` names the storage, which can already be forbidden. */
  constructor(open: () => Storage) {
    this.#open = open;
  }

  get(key: string): string | null {
    try {
      return this.#own.get(key) ?? this.#open().getItem(key);
    } catch {
      return null;
    }
  }

  set(key: string, text: string): void {
    this.#own.set(key, text);
    try {
      this.#open().setItem(key, text);
    } catch {
      // The page has it.
    }
  }
}

/** What stays in this browser. */
export const inBrowser = new Kept(() => localStorage);
/** What goes with this tab: a reload finds it. */
export const inTab = new Kept(() => sessionStorage);
