import "./views.css";
import "./review.css";
import { AgentChooser, JUDGE, JUDGINGS } from "./agents";
import { measured } from "./chart";
import { errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { type Route, readSeat, recall, reviewLink } from "./link";
import type { Reviewing } from "./protocol";
import { checkRecord, LONGEST, readRecord } from "./record";
import { type Findings, ReviewView } from "./reviewed";
import { Running } from "./running";

const QUICK = { words: "quick: 1,000 iterations", spec: "ismcts:iterations=1000,beliefs=policy" };

/** The last finished review, so that a way back to it need not wait. */
let last: { key: string; findings: Findings } | null = null;

/** Reviews the decisions of one seat in a recorded game. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const leaving = new AbortController();
  let opening = new AbortController();
  const running = new Running();
  const found = h("div");
  const failed = h("p", { class: "error", role: "alert" });
  const record = h("textarea", {
    name: "record",
    rows: 4,
    spellcheck: "false",
    placeholder: "stier-record 1",
    maxlength: LONGEST + 1,
    input: () => attempt(read),
  });
  const file = h("input", {
    type: "file",
    name: "record-file",
    accept: ".txt,.record,text/plain",
    change: () => take(file.files?.[0]),
  });
  const seat = h("select", { name: "seat", disabled: true });
  let judge = JUDGE.spec;
  const judges = new AgentChooser("Judge", [JUDGE, QUICK], judge, (spec) => void (judge = spec));
  const searches = h("input", { name: "searches", type: "number", required: true, min: 1, max: 50, value: JUDGINGS });
  const start = h("button", { type: "submit", class: "primary", disabled: true }, "Review");
  let view: ReviewView | null = null;

  /** Runs a step and shows its error, unless it was stopped. */
  const attempt = (step: () => Promise<void>): void => {
    failed.textContent = "";
    step().catch((error: unknown) => {
      if (!isAbort(error)) failed.textContent = errorInWords(error);
    });
  };
  const take = (chosen: File | undefined): void => {
    if (!chosen) return;
    attempt(async () => {
      record.value = await readRecord(chosen);
      await read();
    });
  };
  /** Reads the record and lists its seats. The engine knows one record, so a review of another ends. */
  const read = async (): Promise<void> => {
    opening.abort();
    running.stop();
    opening = new AbortController();
    const { signal } = opening;
    start.disabled = seat.disabled = true;
    seat.replaceChildren();
    view?.close();
    found.replaceChildren();
    checkRecord(record.value);
    if (record.value.trim() === "") return;
    const game = await engine.ask(signal, "open", record.value);
    seat.append(
      ...Array.from({ length: game.seats }, (_, index) =>
        h(
          "option",
          { value: index },
          `Seat ${index}: ${count(decisionsOf(game, index), "decision")}` +
            (game.returns ? `, return ${measured(game.returns[index] ?? 0)}` : ""),
        ),
      ),
    );
    start.disabled = seat.disabled = false;
    seat.value = String(readSeat(route.settings, game.seats));
  };
  const review = async (signal: AbortSignal): Promise<void> => {
    const [chosen, text] = [Number(seat.value), record.value];
    const key = JSON.stringify([text, chosen, judge, searches.valueAsNumber]);
    history.replaceState(null, "", reviewLink(text, chosen));
    settings.open = false;
    let findings = last?.key === key ? last.findings : null;
    const isKept = findings !== null;
    if (!findings) {
      // A worker that was ended in the meantime does not know the record any more.
      const game = await engine.ask(signal, "open", text);
      const rules = await engine.ask(signal, "rules", game.game, game.rules);
      await engine.ask(signal, "review", chosen, judge, searches.valueAsNumber);
      findings = { record: text, game, rules, seat: chosen, decisions: [], moment: 0 };
    }
    view?.close();
    const shown = new ReviewView(engine, findings);
    view = shown;
    found.replaceChildren(shown.element);
    signal.addEventListener("abort", () => shown.finish());
    if (!isKept) {
      for (let next = await engine.ask(signal, "reviewed"); next; next = await engine.ask(signal, "reviewed")) {
        shown.add(next);
      }
      last = { key, findings };
      shown.showWorst();
    }
    shown.finish();
  };
  const begin = (): Promise<void> => running.run(leaving.signal, review);

  const form = h(
    "form",
    {
      submit: (event) => {
        event.preventDefault();
        attempt(begin);
      },
    },
    h(
      "div",
      { class: "fields" },
      h("label", { class: "field text" }, "Record of a game: paste its text or drop its file on this page", record),
      h("label", { class: "field" }, "Or choose a file", file),
      h("label", { class: "field" }, "Seat", seat),
      judges.element,
      h("label", { class: "field" }, "Searches of each decision", searches),
    ),
    h("div", { class: "actions" }, start),
  );
  const settings = h(
    "details",
    { class: "panel", open: true },
    h("summary", {}, h("h3", {}, "Game and judge")),
    h(
      "p",
      { class: "about" },
      "Press Review this game or Save record in ",
      h("a", { href: "#play" }, "Play"),
      ", or run ",
      h("code", {}, "stier play GAME --record FILE"),
      ". A file can be dropped on any view of the page.",
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
        "What did your choices cost, and what was better? A judge searches each of your decisions several ",
        "times, with no more knowledge than you had.",
      ),
    ),
    settings,
    h("div", { class: "actions" }, running.element),
    failed,
    found,
  );
  record.value = recall(route.settings) ?? "";
  attempt(async () => {
    await read();
    if (record.value !== "") await begin();
  });
  leaving.signal.addEventListener("abort", () => {
    opening.abort();
    view?.close();
  });
  return () => leaving.abort();
}

function decisionsOf({ moves }: Reviewing, seat: number): number {
  return moves.filter((move) => move.seat === seat).length;
}

export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
