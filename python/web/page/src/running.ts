import { h } from "./dom";

/** Milliseconds between two looks at the clock. What takes less need not be stopped. */
const TICK = 500;
const STOPPED = "stopped";

/** The calculation of a view, one at a time: a button that stops it, beside the time since it began. */
export class Running {
  readonly #time = h("span", { class: "muted" });
  readonly element = h(
    "span",
    { class: "running", hidden: true },
    h("button", { type: "button", click: () => this.stop() }, "Stop"),
    this.#time,
  );
  #control = new AbortController();

  /** Stops the calculation before, and runs one until `parent` or the person stops it. */
  async run<T>(parent: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#control.abort();
    parent.throwIfAborted();
    const control = new AbortController();
    this.#control = control;
    parent.addEventListener("abort", () => control.abort(parent.reason), { signal: control.signal });
    const begun = performance.now();
    const timer = setInterval(() => {
      this.#time.textContent = elapsed(performance.now() - begun);
      this.element.hidden = false;
    }, TICK);
    try {
      return await work(control.signal);
    } finally {
      clearInterval(timer);
      if (this.#control === control) this.element.hidden = true;
    }
  }

  stop(): void {
    this.#control.abort(new DOMException(STOPPED, "AbortError"));
  }
}

/** True for the error of a calculation that the person has stopped, false if another took its place. */
export function isStop(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError" && error.message === STOPPED;
}

/** A time in words, such as "12 s" or "3 min 5 s". */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
