import { agentInWords, nameOf, opponents } from "./agents";
import { actionInWords, cardOf } from "./cards";
import { Daily } from "./daily";
import { h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { listen } from "./keys";
import { Knowledge, isWide } from "./knowledge";
import { type Playing, type Route, playLink, readPlaying, readRoute, readSeat, reviewLink, wholeLink } from "./link";
import { Match } from "./match";
import type { Agent, GameInfo, Move, Table } from "./protocol";
import { drawRules, rulebook, wordsOn } from "./rules";
import { Running, isStop } from "./running";
import { Setup, changed } from "./setup";
import { drawLog, drawNews } from "./story";
import { drawTable, resultInWords } from "./table";
import { setTitle } from "./title";

/** Milliseconds between two moves of the others. */
const PAUSE = 700;

/** The view in which a person plays against agents. */
export function show(root: HTMLElement, engine: EngineClient, route: Route): () => void {
  const play = new Play(root, engine);
  void play.open(route);
  return () => play.close();
}

class Play {
  readonly #engine: EngineClient;
  readonly #closed = new AbortController();
  readonly #title = h("h2", {});
  readonly #about = h("p", { class: "about" });
  readonly #happened = h("p", { class: "happened" });
  readonly #prompt = h("p", { class: "prompt" });
  /** Can be focused while nothing in it can be chosen. */
  readonly #box = h("div", { class: "box", tabindex: -1 });
  readonly #words = h("dl", { class: "words" });
  readonly #glossary = panel("Words on this table", isWide(), this.#words);
  readonly #log = h("ol", { class: "log", tabindex: 0, "aria-label": "moves so far" });
  readonly #setupBox = h("div", {});
  readonly #side = h("div", { class: "side" });
  readonly #new = button("New deal", () => this.#deal());
  readonly #undo = button("Undo", () => this.#takeBack());
  readonly #copy = button("Copy link", () => void this.#copyLink());
  /** The decision of another seat. */
  readonly #running = new Running();
  /** For the seat whose decision was stopped. */
  readonly #goOnButton = button("Go on", () => void this.#start(this.#wanted, "replaceState"));
  /** Ends what belongs to the present position. */
  #control = new AbortController();
  #games: GameInfo[] = [];
  #agents: Agent[] = [];
  #match: Match | null = null;
  /** The game that the person has asked for, also while it is being loaded. */
  #wanted = dealt("");
  /** True while another position is being loaded: nothing can be chosen in one that is about to go. */
  #isBusy = false;
  #setup: Setup | null = null;
  /** The deals whose cards have been open on this page. */
  readonly #opened = new Set<string>();
  #knowledge: Knowledge | null = null;
  readonly #daily: Daily;

  constructor(root: HTMLElement, engine: EngineClient) {
    this.#engine = engine;
    this.#daily = new Daily(engine);
    this.#goOnButton.hidden = true;
    const keys = listen({
      digit: (digit) => this.#choose(this.#match?.table.legal[digit - 1]),
      newDeal: () => this.#deal(),
      undo: () => this.#takeBack(),
    }, this.#closed.signal);
    root.append(
      h("div", { class: "intro" }, this.#title, this.#about),
      h(
        "div", { class: "columns" },
        h(
          "div", { class: "main" },
          h("div", { class: "said" },
            h("div", { class: "status", role: "status" }, this.#happened, this.#prompt),
            this.#goOnButton, this.#running.element),
          this.#box,
          this.#daily.element,
          h(
            "div", { class: "actions" },
            this.#new, h("a", { class: "button", href: "#today" }, "Deal of the day"), this.#undo, button("Review this game", () => this.#review()),
            this.#copy, button("Save record", () => this.#save()), button("Keys", () => keys.showModal()),
          ),
          this.#glossary,
          panel("Game and opponent", isWide(), this.#setupBox),
          panel("Moves so far", false, this.#log),
        ),
        this.#side,
      ),
      keys,
    );
  }

  async open(route: Route): Promise<void> {
    try {
      this.#games = await this.#engine.ask(this.#closed.signal, "games");
      this.#agents = await this.#engine.ask(this.#closed.signal, "agents");
    } catch (error) {
      return this.#fail(error);
    }
    const game = route.game || (this.#games[0]?.name ?? "");
    try {
      const { begun, choices } = readPlaying(route) ?? { begun: dealt(game, route.settings), choices: [] };
      await this.#load(begun, "replaceState", choices);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      // There must be a way on.
      const known = this.#games.find(({ name }) => name === game) ?? this.#games[0];
      await this.#start(dealt(known?.name ?? ""), "replaceState");
      this.#about.textContent = `The link cannot be opened: ${inWords(error)}. `
        + `Here is ${known?.name === game ? "another deal" : "another game"}.`;
    }
  }

  close(): void {
    this.#closed.abort();
    this.#control.abort();
    this.#knowledge?.close();
  }

  #start(wanted: Playing, how: "pushState" | "replaceState"): Promise<void> {
    return this.#load(wanted, how).catch((error: unknown) => this.#fail(error));
  }

  /** Goes to a game, at any of its moves. Without a game to go back to, errors are the caller's. */
  async #load(wanted: Playing, how: "pushState" | "replaceState", choices: number[] = []): Promise<void> {
    const signal = this.#begin();
    this.#wanted = wanted;
    this.#isBusy = true;
    if (choices.length > 0) this.#prompt.textContent = "The game is played again up to your last choice.";
    try {
      const match = await this.#running.run(signal, (stop) =>
        Match.load(this.#engine, this.#games, wanted, choices, stop));
      signal.throwIfAborted();
      const old = this.#match;
      if (!old || !isSameSeat(old, match)) this.#drawSide(match);
      this.#drawSetup(match);
      await this.#goOn(match, how, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#match || !this.#setup) throw error;
      // The game goes on as it was.
      this.#setup.fail(inWords(error));
      await this.#goOn(this.#match, "replaceState", this.#begin());
    }
  }

  /** Ends what belongs to the present position. */
  #begin(): AbortSignal {
    this.#control.abort();
    this.#control = new AbortController();
    this.#goOnButton.hidden = true;
    return this.#control.signal;
  }

  /** Shows a game and lets the others move until it is the person's turn. */
  async #goOn(start: Match, how: "pushState" | "replaceState", signal: AbortSignal): Promise<void> {
    let match = start;
    try {
      if (match.isYours) await this.#check(match, signal);
      await this.#show(match, how, signal);
      let seen = true;
      while (!match.isOver && !match.isYours) {
        // After a move that the person cannot see, a pause would tell of it.
        const decided = this.#running.run(signal, (stop) => match.afterAgent(stop));
        const [next]: [Match, unknown] = await Promise.all([decided, seen && pause(signal)]);
        seen = next.table.knowledge !== match.table.knowledge;
        match = next;
        await this.#show(match, "replaceState", signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#goOnButton.hidden = !isStop(error);
      if (isStop(error)) {
        this.#prompt.textContent = `Seat ${match.table.seat} was stopped. Let it go on, or choose another opponent.`;
        return;
      }
      this.#setup?.agent.fail(inWords(error));
      this.#prompt.textContent = `Seat ${match.table.seat} cannot move: ${inWords(error)}. Choose another opponent.`;
    }
  }

  /** Reports an agent in the text field that cannot play at once, rather than at its first move. */
  async #check({ playing, rules }: Match, signal: AbortSignal): Promise<void> {
    const { position, agent } = playing;
    if (opponents(rules).some(({ spec }) => spec === agent)) return;
    await this.#engine.ask(signal, "check", position, agent).catch((error: unknown) => {
      if (isAbort(error)) throw error;
      this.#setup?.agent.fail(inWords(error));
      // On a small screen the form is folded.
      this.#about.textContent = `The opponent cannot play: ${inWords(error)}. Choose another one.`;
      this.#setupBox.closest("details")?.setAttribute("open", "");
    });
  }

  #choose(move: Move | undefined): void {
    const match = this.#match;
    if (!move || !match?.isYours || this.#isBusy) return;
    const signal = this.#begin();
    this.#isBusy = true;
    this.#prompt.textContent = `You chose ${actionInWords(move.name, match.rules.faces)}.`;
    match.after(move.id, signal).then((next) => this.#goOn(next, "pushState", signal), (error) => this.#fail(error));
  }

  #deal(): void {
    void this.#start(changed(this.#wanted, { seed: randomSeed() }), "pushState");
  }

  #takeBack(): void {
    const before = this.#match?.beforeLastChoice();
    if (before) void this.#start(before, "pushState");
  }

  async #record(): Promise<string> {
    if (!this.#match) throw new Error("no game has begun");
    return this.#engine.ask(this.#closed.signal, "record", this.#match.playing.position);
  }

  #review(): void {
    const seat = this.#match?.playing.seat ?? 0;
    this.#record().then((record) => location.assign(reviewLink(record, seat)), (error) => this.#fail(error));
  }

  #save(): void {
    const { game, seed } = this.#match?.playing.position ?? { game: "game", seed: "" };
    this.#record().then((record) => {
      const href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
      h("a", { href, download: `${game}-${seed}.txt` }).click();
      URL.revokeObjectURL(href);
    }, (error) => this.#fail(error));
  }

  async #copyLink(): Promise<void> {
    if (readRoute(location.hash).settings.has("kept")) {
      this.#prompt.textContent = "This game began with a long record, which is in this tab alone: use Save record.";
      return;
    }
    try {
      // Without encryption, browsers have no clipboard.
      await navigator.clipboard.writeText(wholeLink(location.hash));
      this.#copy.textContent = "Link copied";
    } catch {
      this.#prompt.textContent = "The link cannot be copied here: it is the address of this page.";
    }
  }

  /** Draws a game and puts it into the address. At the end all cards are open. */
  async #show(match: Match, how: "pushState" | "replaceState", signal: AbortSignal): Promise<void> {
    const { playing, rules } = match;
    const { position, seat } = playing;
    const table = match.isOver ? await this.#engine.ask(signal, "open_table", position) : match.table;
    const story = await this.#engine.ask(signal, "story", position, seat);
    signal.throwIfAborted();
    this.#match = match;
    this.#wanted = playing;
    if (match.isOver) this.#opened.add(nameOfDeal(playing));
    const link = playLink(playing, match.choices());
    // The address may already name another view, which is about to open.
    if (link !== location.hash && readRoute(location.hash).tab === "play") history[how](null, "", link);
    setTitle(readRoute(link));
    const words = wordsOn(rules.game, match.table);
    const hadFocus = this.#box.contains(document.activeElement);
    this.#isBusy = false;
    this.#box.replaceChildren(drawTable(table, rules.faces, {
      eyes: match.isOver ? null : seat, you: seat, title: match.isOver ? "The end, all hands open" : "What you know",
      words: Object.fromEntries(words), result: false,
      ...(match.isYours && { moves: (move: Move) => this.#choose(move) }),
    }));
    if (hadFocus) (this.#box.querySelector<HTMLElement>("[data-move]") ?? this.#box).focus({ preventScroll: true });
    this.#happened.replaceChildren(...drawNews(story, seat, rules.faces));
    this.#prompt.textContent = promptOf(match, table);
    this.#new.classList.toggle("primary", match.isOver);
    this.#undo.disabled = match.beforeLastChoice() === null;
    this.#copy.textContent = "Copy link";
    this.#glossary.hidden = words.length === 0;
    this.#words.replaceChildren(...words.flatMap(([word, about]) => [h("dt", {}, word), h("dd", {}, about)]));
    this.#log.replaceChildren(...drawLog(story, rules.faces));
    void this.#daily.show(playing, match.isOver ? table.returns : null, signal).catch((error: unknown) => this.#fail(error));
    this.#knowledge?.update(match.isYours ? { position, seat, rules, table } : null);
  }

  #drawSetup({ game, rules, playing }: Match): void {
    const focused = document.activeElement instanceof HTMLElement && this.#setupBox.contains(document.activeElement)
      ? document.activeElement.getAttribute("name") : null;
    const open = this.#setupBox.querySelector<HTMLDetailsElement>(".options")?.open ?? false;
    const choices = { games: this.#games, game, agents: this.#agents, rules, playing };
    this.#setup = new Setup(choices, (change) => void this.#start(changed(this.#wanted, change), "pushState"));
    this.#setupBox.replaceChildren(this.#setup.element);
    const options = this.#setupBox.querySelector<HTMLDetailsElement>(".options");
    if (options) options.open = open;
    if (focused) this.#setupBox.querySelector<HTMLElement>(`[name="${focused}"]`)?.focus();
    const { title, summary } = rulebook(game.name);
    const peeks = nameOf(playing.agent) === "oracle";
    const sight = this.#opened.has(nameOfDeal(playing)) ? "You have seen all cards of this deal."
      : peeks ? "The oracle sees all cards." : "No player sees more than the rules allow.";
    this.#title.textContent = `${title}, against ${withArticle(agentInWords(playing.agent, opponents(rules)))}`;
    this.#about.innerHTML = `${summary} ${sight}`;
  }

  /** What stands beside the table of one game. */
  #drawSide({ game, rules, playing }: Match): void {
    this.#knowledge?.close();
    this.#knowledge = new Knowledge(this.#engine, rules, playing.seat);
    const rulePanel = panel(`Rules of ${rulebook(game.name).title}`, isWide(), drawRules(game.name));
    this.#side.replaceChildren(this.#knowledge.element, rulePanel);
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#isBusy = false;
    this.#prompt.textContent = `${inWords(error)}.`;
  }
}

/** True if the person sits at the same place in the same game. */
function isSameSeat(one: Match, other: Match): boolean {
  const key = ({ rules, playing }: Match): string => [rules.game, rules.rules, playing.seat].join();
  return key(one) === key(other);
}

function panel(title: string, open: boolean, content: HTMLElement): HTMLElement {
  return h("details", { class: "panel", open }, h("summary", {}, h("h3", {}, title)), content);
}

function button(words: string, click: () => void): HTMLButtonElement {
  return h("button", { type: "button", click }, words);
}

/** What the person can do now, or how the game ended. */
function promptOf(match: Match, table: Table): string {
  const { playing: { seat }, rules: { faces } } = match;
  if (match.isOver) return `The game is over. ${resultInWords(table.returns ?? [], seat)}`;
  if (!match.isYours) return `Seat ${table.seat} is thinking.`;
  const others = table.legal.filter(({ name }) => cardOf(name, faces).card === null);
  if (others.length === table.legal.length) return "Your turn: choose a move.";
  const [other, ...rest] = others.map(({ name }) => actionInWords(name, faces));
  const more = other === undefined ? "" : rest.length === 0 ? `, or ${other}` : ", or a move below";
  const hand = table.scene.places.find((place) => place.seat === seat)?.groups.filter(({ held }) => held) ?? [];
  const isFree = hand.every(({ cards }) => cards.every((card) => card === null || others.length < table.legal.length
    && table.legal.some(({ name }) => cardOf(name, faces).card === card)));
  return `Your turn: choose a card${more}.${isFree ? "" : " The pale cards cannot be played now."}`;
}

function withArticle(agent: string): string {
  return /^(trained|search)/.test(agent) ? `a ${agent}` : agent;
}

function nameOfDeal({ position: { game, rules, seed } }: Playing): string {
  return [game, rules, seed].join();
}

/** A new deal of a game. */
function dealt(game: string, settings = new URLSearchParams()): Playing {
  const position = { game, rules: settings.get("rules") ?? "", seed: randomSeed(), moves: [] };
  return { position, agent: settings.get("agent") ?? "", seat: readSeat(settings), from: 0 };
}

function randomSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lets a person see a move before the next. */
function pause(signal: AbortSignal): Promise<void> {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return new Promise((resolve, reject) => {
    setTimeout(resolve, isStill ? 0 : PAUSE);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
