import "./views.css";
import "./review.css";
import { AgentChooser, JUDGE, JUDGINGS } from "./agents";
import { errorInWords, h, panel } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { type Route, readSeat, recall, reviewLink, writeRoute } from "./link";
import { playerName } from "./names";
import type { Recorded } from "./protocol";
import { checkRecord, LONGEST, readRecord } from "./record";
import { type Findings, ReviewView } from "./reviewed";
import { Running } from "./running";
import type { View } from "./view";
import { counted, signed } from "./words";

const QUICK = { words: "quick: 1,000 iterations", spec: "ismcts:iterations=1000,beliefs=policy" };

/** The last review, which goes on from what it has found. */
let last: { key: string; findings: Findings } | null = null;

/** The view in which the decisions of one player in a recorded game are reviewed. */
export class Review implements View {
  readonly #engine: EngineClient;
  readonly #closed = new AbortController();
  readonly #running = new Running();
  readonly #found = h("div");
  readonly #failed = h("p", { class: "error", role: "alert" });
  readonly #record = h("textarea", {
    name: "record",
    rows: 4,
    spellcheck: "false",
    placeholder: "stier-record 1",
    maxlength: LONGEST + 1,
    input: () => this.#attempt(() => this.#read()),
  });
  readonly #file = h("input", {
    type: "file",
    name: "record-file",
    accept: ".txt,.record,text/plain",
    change: () => this.#take(this.#file.files?.[0]),
  });
  readonly #player = h("select", { name: "player", disabled: true });
  readonly #judges = new AgentChooser("Judge", [JUDGE, QUICK], JUDGE.spec, (spec) => {
    this.#judge = spec;
  });
  readonly #searches = h("input", {
    name: "searches",
    type: "number",
    required: true,
    // An interval needs three.
    min: 3,
    max: 50,
    value: JUDGINGS,
  });
  readonly #start = h("button", { type: "submit", class: "primary", disabled: true }, "Review");
  readonly #settings: HTMLDetailsElement;
  /** Ends the reading of the record before. */
  #opening = new AbortController();
  #judge = JUDGE.spec;
  #view: ReviewView | null = null;

  constructor(root: HTMLElement, engine: EngineClient, route: Route) {
    this.#engine = engine;
    const form = h(
      "form",
      {
        submit: (event) => {
          event.preventDefault();
          this.#attempt(() => this.#begin());
        },
      },
      h(
        "div",
        { class: "fields" },
        h("label", { class: "field text" }, "Record of a game", this.#record),
        h("label", { class: "field" }, "Its file", this.#file),
        h("label", { class: "field" }, "You are", this.#player),
        this.#judges.element,
        h("label", { class: "field" }, "Searches per decision", this.#searches),
      ),
      h("div", { class: "actions" }, this.#start),
    );
    this.#settings = panel(
      "Game and judge",
      { open: true },
      h(
        "p",
        { class: "about" },
        "Finish a game in ",
        h("a", { href: "#play" }, "Play"),
        " and press Review this game. Or open a saved record: paste its text, choose its file, or drop the file anywhere on the ",
        "page. ",
        h("code", {}, "stier play GAME --record FILE"),
        " writes one.",
      ),
      form,
    );
    root.replaceChildren(
      h(
        "header",
        { class: "intro measure" },
        h("h2", {}, "Review a game"),
        h(
          "p",
          {},
          "What did each of your choices cost, and what was better? A judge searches every decision several times. ",
          "It sees only what you saw.",
        ),
      ),
      h("div", { class: "actions" }, this.#running.element),
      this.#failed,
      this.#found,
      this.#settings,
    );
    this.#open(route);
  }

  #open({ settings }: Route): void {
    const record = recall(settings);
    this.#record.value = record ?? "";
    this.#attempt(async () => {
      if (record === null && settings.has("kept")) {
        throw new Error("the record of this link is kept by another browser tab: save it there, and open it here");
      }
      const game = await this.#read().catch((error: unknown) => {
        if (isAbort(error)) throw error;
        throw new Error(`The record of this link cannot be read: ${errorInWords(error)}`);
      });
      if (!game) return;
      this.#player.value = String(readSeat(settings, game.seats));
      await this.#begin();
    });
  }

  close(): void {
    this.#closed.abort();
    this.#opening.abort();
    this.#view?.close();
  }

  /** Runs a step and shows its error, unless it was stopped. */
  #attempt(step: () => Promise<unknown>): void {
    this.#failed.textContent = "";
    step().catch((error: unknown) => {
      if (!isAbort(error)) this.#failed.textContent = errorInWords(error);
    });
  }

  #take(chosen: File | undefined): void {
    if (!chosen) return;
    this.#attempt(async () => {
      this.#record.value = await readRecord(chosen);
      await this.#read();
    });
  }

  /** Reads the record and lists its players. The review of another one ends. Null without a record. */
  async #read(): Promise<Recorded | null> {
    this.#opening.abort();
    this.#running.stop();
    this.#opening = new AbortController();
    // Until it is reviewed, the address names no other record.
    history.replaceState(null, "", writeRoute("review", "", {}));
    this.#start.disabled = this.#player.disabled = true;
    this.#player.replaceChildren();
    this.#view?.close();
    this.#found.replaceChildren();
    checkRecord(this.#record.value);
    if (this.#record.value.trim() === "") return null;
    const game = await this.#engine.ask(this.#opening.signal, "open", this.#record.value);
    this.#player.append(
      ...Array.from({ length: game.seats }, (_, seat) =>
        h(
          "option",
          { value: seat },
          `${playerName(seat)}: ${counted(numbersOf(game, seat).length, "decision")}` +
            (game.returns ? `, result ${signed(game.returns[seat] ?? 0)}` : ""),
        ),
      ),
    );
    this.#start.disabled = this.#player.disabled = false;
    return game;
  }

  #begin(): Promise<void> {
    return this.#running.run(this.#closed.signal, (signal) => this.#review(signal));
  }

  /** Reviews one decision after the other. What the same review has found before is there at once. */
  async #review(signal: AbortSignal): Promise<void> {
    const [seat, record, judge, searches] = [
      Number(this.#player.value),
      this.#record.value,
      this.#judge,
      this.#searches.valueAsNumber,
    ];
    const key = JSON.stringify([record, seat, judge, searches]);
    history.replaceState(null, "", reviewLink(record, seat));
    this.#settings.open = false;
    if (last?.key !== key) {
      const game = await this.#engine.ask(signal, "open", record);
      const rules = await this.#engine.ask(signal, "rules", game.game, game.rules);
      last = { key, findings: { record, game, rules, seat, decisions: [], moment: 0 } };
    }
    const { findings } = last;
    this.#view?.close();
    const view = new ReviewView(this.#engine, findings);
    this.#view = view;
    this.#found.replaceChildren(view.element);
    signal.addEventListener("abort", () => view.finish());
    const left = numbersOf(findings.game, seat).slice(findings.decisions.length);
    for (const number of left) view.add(await this.#engine.ask(signal, "review", record, number, judge, searches));
    if (left.length > 0) view.showWorst();
    view.finish();
  }
}

/** The decisions of a seat: the numbers of events before them. */
function numbersOf({ moves }: Recorded, seat: number): number[] {
  return moves.flatMap((move) => (move.seat === seat ? move.number : []));
}
