import { JUDGE, JUDGINGS, nameOf, opponentInWords, opponents } from "./agents";
import { actionInWords, capital, cardOf } from "./cards";
import { Daily, dailyName, dateOfDeal } from "./daily";
import { errorInWords, h } from "./dom";
import type { TableOptions } from "./drawing";
import { drawHistory, drawUnseen } from "./end";
import { type EngineClient, isAbort } from "./engine";
import { agreement, verdictInWords } from "./grade";
import { listen } from "./keys";
import { isWide, Knowledge } from "./knowledge";
import { GAME, LESSONS, type Lesson, lessonOf, type Moment, noteAt, playingOf, TEACHER } from "./lessons";
import { type Playing, playLink, type Route, readPlaying, readRoute, readSeat, reviewLink, wholeLink } from "./link";
import { Match } from "./match";
import { follow, isStill, look } from "./motion";
import { seatInSentence, seatName } from "./names";
import { outcomeInWords, verdictOf } from "./outcome";
import { handSize } from "./place";
import type { Agent, GameInfo, Judged, Move, Position, Story, Table } from "./protocol";
import { drawRules, goalOf, rulebook, wordsOn } from "./rules";
import { isStop, Running } from "./running";
import { Score } from "./score";
import { changed, Setup } from "./setup";
import { drawLog, drawNews } from "./story";
import { drawParts, labelOf } from "./table";
import { setTitle } from "./title";
import { type Trick, trickOf, tricksOf } from "./trick";
import { counted } from "./words";

/** Milliseconds between two moves of the others, and after a trick, which has to be looked at. */
const PAUSE = 700;
const TRICK_PAUSE = 1300;

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
  readonly #tally = h("p", { class: "tally" });
  /** The reason why a link or an opponent did not do; empty otherwise. */
  readonly #about = h("p", { class: "about" });
  readonly #happened = h("p", { class: "happened" });
  readonly #prompt = h("p", { class: "prompt" });
  /** The decision of another seat, or a search for the person. */
  readonly #running = new Running();
  /** For the seat whose decision was stopped. */
  readonly #goOnButton = button("Go on", () => void this.#start(this.#wanted, "replaceState"));
  readonly #felt = h("div", { class: "felt" });
  readonly #own = h("div", { class: "own" });
  /** The table, which can be focused while nothing on it can be chosen. */
  readonly #box = h(
    "section",
    { class: "stier table box", tabindex: -1, "aria-label": "table" },
    this.#felt,
    h(
      "div",
      { class: "said" },
      h("div", { class: "status", role: "status" }, this.#happened, this.#prompt),
      this.#goOnButton,
      this.#running.element,
    ),
    this.#own,
  );
  readonly #log = h("ol", { class: "log", tabindex: 0, "aria-label": "moves so far" });
  readonly #setupBox = h("div", {});
  readonly #beside = h("div", {});
  readonly #side = h("div", { class: "side", hidden: true });
  readonly #hint = button("Hint", () => void this.#showHint());
  readonly #cost = button("How good was that?", () => void this.#showCost());
  readonly #undo = button("Undo", () => this.#takeBack());
  readonly #new = button("New deal", () => this.#goFurther());
  readonly #copy = button("Copy link", () => void this.#copyLink());
  readonly #lessons = panel(
    "Learn Schwinget in three short bouts",
    false,
    h(
      "div",
      { class: "lessons" },
      ...LESSONS.map((lesson, index) =>
        button(`${index + 1}. ${lesson.title}`, () => void this.#start(playingOf(lesson), "pushState")),
      ),
    ),
  );
  readonly #score = new Score();
  /** Ends what belongs to the present position. */
  #control = new AbortController();
  #games: GameInfo[] = [];
  #agents: Agent[] = [];
  #match: Match | null = null;
  #table: Table | null = null;
  #options: TableOptions = { eyes: null };
  /** The game that the person has asked for, also while it is being loaded. */
  #wanted = dealt("");
  /** True while another position is being loaded: nothing can be chosen in one that is about to go. */
  #isBusy = false;
  /** False for a game that was over when it was opened. */
  #isPlayed = false;
  #setup: Setup | null = null;
  /** The deals whose cards have been open on this page. */
  readonly #opened = new Set<string>();
  #knowledge: Knowledge | null = null;
  readonly #daily: Daily;

  constructor(root: HTMLElement, engine: EngineClient) {
    this.#engine = engine;
    this.#daily = new Daily(engine);
    this.#goOnButton.hidden = true;
    const keys = listen(
      {
        digit: (digit) => this.#choose(this.#legal()[digit - 1]),
        newDeal: () => this.#deal(),
        undo: () => this.#takeBack(),
        hint: () => void this.#showHint(),
      },
      this.#closed.signal,
    );
    root.append(
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          h("div", { class: "intro" }, this.#title, this.#tally, this.#about),
          this.#box,
          h("div", { class: "actions" }, this.#hint, this.#cost, this.#undo, this.#new),
          this.#daily.element,
        ),
        this.#side,
      ),
      keys,
    );
    this.#side.append(
      panel("Game and opponent", isWide(), this.#setupBox),
      this.#lessons,
      this.#beside,
      panel("Moves so far", false, this.#log),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: "#today" }, "Deal of the day"),
        button("Review this game", () => this.#review()),
        this.#copy,
        button("Save record", () => this.#save()),
        button("Keys", () => keys.showModal()),
      ),
    );
    addEventListener(
      "resize",
      () => {
        this.#own.style.minHeight = "";
      },
      { signal: this.#closed.signal },
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
      this.#about.textContent =
        `The link cannot be opened: ${errorInWords(error)}. ` +
        `Here is ${known?.name === game ? "another deal" : "another game"}.`;
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
        Match.load(this.#engine, this.#games, wanted, choices, stop),
      );
      signal.throwIfAborted();
      const old = this.#match;
      if (!old || !isSameSeat(old, match)) this.#drawBeside(match);
      // A link to the end of a game is no result of this person.
      this.#isPlayed = !match.isOver;
      this.#drawSetup(match);
      await this.#goOn(match, how, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#match || !this.#setup) throw error;
      // The game goes on as it was.
      this.#setup.fail(errorInWords(error));
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
    const name = (): string => seatName(Number(match.table.seat), match.playing.seat, match.rules.seats);
    try {
      if (match.isYours) await this.#check(match, signal);
      let hasTrick = await this.#show(match, how, signal);
      let seen = true;
      while (!match.isOver && !match.isYours) {
        // After a move that the person cannot see, a pause would tell of it.
        const decided = this.#running.run(signal, (stop) => match.afterAgent(stop));
        const [next]: [Match, unknown] = await Promise.all([
          decided,
          seen && pause(signal, hasTrick ? TRICK_PAUSE : PAUSE),
        ]);
        seen = next.table.knowledge !== match.table.knowledge;
        match = next;
        hasTrick = await this.#show(match, "replaceState", signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#goOnButton.hidden = !isStop(error);
      if (isStop(error)) {
        this.#prompt.textContent = `${name()} was stopped. Go on, or choose another opponent.`;
        return;
      }
      this.#setup?.agent.fail(errorInWords(error));
      this.#prompt.textContent = `${name()} cannot move: ${errorInWords(error)}. Choose another opponent.`;
    }
  }

  /** Reports an agent in the text field that cannot play at once, rather than at its first move. */
  async #check({ playing, rules }: Match, signal: AbortSignal): Promise<void> {
    const { position, agent } = playing;
    if (opponents(rules).some(({ spec }) => spec === agent) || lessonOf(playing)) return;
    await this.#engine.ask(signal, "check", position, agent).catch((error: unknown) => {
      if (isAbort(error)) throw error;
      this.#setup?.agent.fail(errorInWords(error));
      // On a small screen the form is folded.
      this.#about.textContent = `The opponent cannot play: ${errorInWords(error)}. Choose another one.`;
      this.#setupBox.closest("details")?.setAttribute("open", "");
    });
  }

  #choose(move: Move | undefined): void {
    const match = this.#match;
    if (!move || !match?.isYours || this.#isBusy) return;
    const signal = this.#begin();
    this.#isBusy = true;
    this.#prompt.textContent = `You chose ${actionInWords(move.name, match.rules.faces)}.`;
    match.after(move.id, signal).then(
      (next) => this.#goOn(next, "pushState", signal),
      (error) => this.#fail(error),
    );
  }

  /** Deals anew; a lesson begins again. */
  #deal(): void {
    const lesson = lessonOf(this.#wanted);
    if (lesson) return void this.#start(playingOf(lesson), "pushState");
    void this.#start(changed(this.#wanted, { seed: randomSeed() }), "pushState");
  }

  /** After a game, another one at the next seat; after a lesson, the next one. */
  #goFurther(): void {
    const match = this.#match;
    if (!match?.isOver) return this.#deal();
    const lesson = lessonOf(match.playing);
    const next = lesson && LESSONS[LESSONS.indexOf(lesson) + 1];
    // Who is new begins with the beginner.
    const first = new URLSearchParams(this.#score.isNew ? { agent: TEACHER } : {});
    if (lesson) return void this.#start(next ? playingOf(next) : dealt(match.game.name, first), "pushState");
    const seat = (match.playing.seat + 1) % match.rules.seats;
    void this.#start(changed(match.playing, { seed: randomSeed(), seat }), "pushState");
  }

  /** The moves that the person may choose now. */
  #legal(): Move[] {
    return this.#table?.legal ?? [];
  }

  /** Shows what a search would choose. */
  async #showHint(): Promise<void> {
    const match = this.#match;
    const table = this.#table;
    if (!match?.isYours || !table || this.#isBusy) return;
    const [first] = table.legal;
    if (!first) return;
    if (table.legal.length === 1) return this.#recommend(first, "There is only one choice");
    this.#daily.help(match.playing, "hint");
    // One of the choices has to be named; the best one is known with it.
    const judged = await this.#judge(match, "The search thinks about a hint.", match.playing.position, first.id);
    if (judged) this.#recommend(judged.best, `Hint (${agreement(judged)})`);
  }

  #recommend({ id, name }: Move, why: string): void {
    const match = this.#match;
    if (!match) return;
    this.#options = { ...this.#options, best: id };
    this.#drawTable(match);
    this.#answer(`${why}: ${actionInWords(name, match.rules.faces)}.`);
  }

  /** Answers a question of the person in the place of the news; whose turn it is, or who has won, stays. */
  #answer(text: string): void {
    this.#happened.replaceChildren(h("span", { class: "sentence" }, text));
  }

  /** Shows what the person's last choice lost. */
  async #showCost(): Promise<void> {
    const match = this.#match;
    const before = match?.beforeLastChoice();
    if (!match || !before || this.#isBusy) return;
    const played = match.playing.position.moves[before.position.moves.length];
    if (played === undefined) return;
    const judged = await this.#judge(match, "The search thinks about your last choice.", before.position, played);
    if (judged) this.#answer(verdictInWords(judged, match.rules.faces));
  }

  /** Judges a choice of the person as a review does; null if that is no longer wanted. */
  async #judge(match: Match, says: string, position: Position, action: number): Promise<Judged | null> {
    const signal = this.#control.signal;
    this.#answer(says);
    // A search that is ended would take the analysis of the panel with it.
    this.#knowledge?.update(null);
    let judged: Judged | null = null;
    try {
      judged = await this.#running.run(signal, (stop) =>
        this.#engine.ask(stop, "judge", position, action, JUDGE.spec, JUDGINGS),
      );
    } catch (error) {
      // Another position or question took its place.
      if (isAbort(error) && !isStop(error)) return null;
      this.#answer(isStop(error) ? "The search was stopped." : `${errorInWords(error)}.`);
    }
    this.#think(match);
    return judged;
  }

  #takeBack(): void {
    const before = this.#match?.beforeLastChoice();
    if (!before) return;
    this.#daily.help(before, "undo");
    void this.#start(before, "pushState");
  }

  async #record(): Promise<string> {
    if (!this.#match) throw new Error("no game has begun");
    return this.#engine.ask(this.#closed.signal, "record", this.#match.playing.position);
  }

  #review(): void {
    const seat = this.#match?.playing.seat ?? 0;
    this.#record().then(
      (record) => location.assign(reviewLink(record, seat)),
      (error) => this.#fail(error),
    );
  }

  #save(): void {
    const { game, seed } = this.#match?.playing.position ?? { game: "game", seed: "" };
    this.#record().then(
      (record) => {
        const href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
        h("a", { href, download: `${game}-${seed}.txt` }).click();
        URL.revokeObjectURL(href);
      },
      (error) => this.#fail(error),
    );
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

  /**
   * Draws a game and puts it into the address. At the end all cards are open. True if a trick was finished by the last
   * move.
   */
  async #show(match: Match, how: "pushState" | "replaceState", signal: AbortSignal): Promise<boolean> {
    const { playing, rules, tables } = match;
    const { position, seat } = playing;
    const table = match.isOver ? await this.#engine.ask(signal, "open_table", position) : match.table;
    const unseen = match.isOver ? await this.#engine.ask(signal, "unseen", position) : [];
    const story = await this.#engine.ask(signal, "story", position, seat);
    signal.throwIfAborted();
    const isNew = !this.#match || !isSameDeal(this.#match.playing, playing);
    const lesson = lessonOf(playing);
    this.#match = match;
    this.#wanted = playing;
    this.#table = table;
    if (match.isOver) this.#opened.add(nameOfDeal(playing));
    const link = playLink(playing, match.choices());
    // The address may already name another view, which is about to open.
    if (link !== location.hash && readRoute(location.hash).tab === "play") history[how](null, "", link);
    const day = dateOfDeal(playing);
    setTitle(readRoute(link), day ? dailyName(day) : "");
    const moved = story.lines.filter(({ mover }) => mover !== null);
    const tricks = tricksOf(tables, moved, rules.faces);
    const last = tricks.at(-1);
    const finished =
      tricks.length > tricksOf(tables.slice(0, -1), moved.slice(0, -1), rules.faces).length ? last : undefined;
    this.#isBusy = false;
    this.#options = {
      eyes: match.isOver ? null : seat,
      you: seat,
      next: false,
      last,
      most: Math.max(...tables.map((one) => handSize(one, seat))),
      words: Object.fromEntries(wordsOn(rules.game, match.table)),
      ...(match.isYours && { moves: (move: Move) => this.#choose(move) }),
    };
    const before = look(this.#box);
    if (isNew) {
      this.#own.style.minHeight = "";
      // A button far below the table can begin a game.
      scrollTo(0, 0);
    }
    this.#drawTable(match, tricks, unseen);
    if (!isNew) follow(before, this.#box, last?.winner ?? null);
    const own = tables.slice(0, -1).findLastIndex((one) => one.seat === seat);
    const earlier =
      own < 0 ? 0 : tricksOf(tables.slice(0, own + 1), moved.slice(0, own + 1 - tables.length), rules.faces).length;
    this.#tell(
      match,
      table,
      story,
      trickOf(table) && tricks.slice(earlier),
      lesson && (match.isYours || match.isOver) ? noteAt(lesson, this.#moments(match, moved)) : null,
    );
    this.#undo.disabled = match.beforeLastChoice() === null;
    // While another seat decides, a search would take its place.
    this.#cost.disabled = this.#undo.disabled || !(match.isYours || match.isOver);
    this.#hint.disabled = !match.isYours;
    this.#copy.textContent = "Copy link";
    this.#log.replaceChildren(...drawLog(story, this.#telling(match)));
    if (match.isOver && table.returns && !lesson && this.#isPlayed)
      this.#score.count(playing, verdictOf(table.returns, seat));
    this.#drawTally(match);
    void this.#daily
      .show(playing, match.isOver ? table.returns : null, this.#isPlayed, signal)
      .catch((error: unknown) => this.#fail(error));
    this.#think(match);
    return finished !== undefined;
  }

  /** Draws the table as it is now. At the end the tricks and the unseen cards take the place of the hand and the moves. */
  #drawTable({ rules, playing, isOver }: Match, tricks: Trick[] = [], unseen: string[] = []): void {
    if (!this.#table) return;
    const hadFocus = this.#box.contains(document.activeElement);
    // A ring around the first card would look like advice to those who use no keys.
    const isSeen = this.#box.querySelector(":focus-visible") !== null;
    const { felt, own } = drawParts(this.#table, rules.faces, this.#options);
    // There is room for the tricks of two.
    if (isOver && rules.seats === 2 && trickOf(this.#table))
      own.append(...drawHistory(tricks, rules.faces, playing.seat, rules.seats));
    own.append(...drawUnseen(unseen, rules.faces));
    this.#felt.replaceChildren(...felt.children);
    // What it once needed stays its own, so that nothing moves when a card or a move is gone.
    this.#own.style.minHeight = `${this.#own.offsetHeight}px`;
    this.#own.replaceChildren(...own.children);
    this.#box.classList.toggle("over", isOver);
    this.#box.classList.toggle("choosing", this.#options.moves !== undefined);
    this.#box.setAttribute("aria-label", labelOf(this.#table, this.#options));
    const first = isSeen ? this.#box.querySelector<HTMLElement>("[data-move]") : null;
    if (hadFocus) (first ?? this.#box).focus({ preventScroll: true });
  }

  /** Tells the news, and the choices of the person. */
  #tell(match: Match, table: Table, story: Story, tricks: Trick[] | null, note: string | null): void {
    const {
      game,
      playing: { seat, position },
    } = match;
    const news = drawNews(story, this.#telling(match), tricks);
    const { from } = match.playing;
    const isBeginning = !match.isOver && position.record === undefined && from === 0 && match.choices().length === 0;
    const goal = h("span", { class: "sentence" });
    if (isBeginning && note === null) goal.innerHTML = `${goalOf(game.name)} `;
    this.#happened.replaceChildren(...(goal.innerHTML === "" ? [] : [goal]), ...news);
    if (note !== null) this.#happened.append(h("span", { class: "lesson" }, note));
    this.#prompt.textContent = match.isOver
      ? outcomeInWords(position.game, table, seat)
      : promptOf(match, this.#legal());
    const lesson = lessonOf(match.playing);
    const isLast = lesson === LESSONS.at(-1);
    const after = !lesson ? "Rematch" : isLast ? "Play a bout" : "Next lesson";
    this.#new.textContent = match.isOver ? after : lesson ? "Again" : "New deal";
    this.#new.classList.toggle("primary", match.isOver);
  }

  #telling({ playing: { seat }, rules: { faces, seats } }: Match): { you: number; seats: number; faces: typeof faces } {
    return { you: seat, seats, faces };
  }

  /** The moments of a lesson at which the teacher may say something: there is time to read it. */
  #moments({ tables, rules: { faces }, playing: { seat } }: Match, moved: Story["lines"]): Moment[] {
    const first = moved.length - (tables.length - 1);
    let before = 0;
    return tables.flatMap((table, index) => {
      if (table.seat !== null && table.seat !== seat) return [];
      const tricks = tricksOf(tables.slice(0, index + 1), moved.slice(0, first + index), faces);
      const finished = tricks.length > before ? tricks.at(-1) : undefined;
      before = tricks.length;
      return [{ table, you: seat, faces, finished }];
    });
  }

  #drawTally(match: Match): void {
    const lesson = lessonOf(match.playing);
    if (lesson) {
      this.#tally.textContent = `Lesson ${LESSONS.indexOf(lesson) + 1} of ${LESSONS.length}`;
      return;
    }
    const { won, drawn, lost } = this.#score.of(match.playing);
    const draws = drawn === 0 ? "" : `, ${counted(drawn, "draw")}`;
    this.#tally.textContent = won + drawn + lost === 0 ? "" : `Won ${won}, lost ${lost}${draws}`;
    if (this.#score.isNew && match.game.name === GAME && !dateOfDeal(match.playing)) {
      this.#tally.replaceChildren(
        button("New here? Learn it", () => void this.#start(playingOf(LESSONS[0] as Lesson), "pushState")),
      );
    }
  }

  /** Lets the panel beside the table compute, if it is open. */
  #think(match: Match): void {
    const {
      playing: { position, seat },
      rules,
      table,
    } = match;
    this.#knowledge?.update(match.isYours ? { position, seat, rules, table } : null);
  }

  #drawSetup({ game, rules, playing }: Match): void {
    const focused =
      document.activeElement instanceof HTMLElement && this.#setupBox.contains(document.activeElement)
        ? document.activeElement.getAttribute("name")
        : null;
    const open = this.#setupBox.querySelector<HTMLDetailsElement>(".options")?.open ?? false;
    const choices = { games: this.#games, game, agents: this.#agents, rules, playing };
    this.#setup = new Setup(choices, (change) => void this.#start(changed(this.#wanted, change), "pushState"));
    this.#setupBox.replaceChildren(this.#setup.element);
    this.#side.hidden = false;
    this.#lessons.hidden = game.name !== GAME;
    const options = this.#setupBox.querySelector<HTMLDetailsElement>(".options");
    if (options) options.open = open;
    if (focused) this.#setupBox.querySelector<HTMLElement>(`[name="${focused}"]`)?.focus();
    const { title } = rulebook(game.name);
    const lesson = lessonOf(playing);
    const day = dateOfDeal(playing);
    const against = h("span", { class: "against" });
    if (lesson) against.append(lesson.title);
    else if (!day) against.append(h("span", { class: "by" }, "against "), opponentInWords(playing.agent, rules));
    this.#title.replaceChildren(day ? dailyName(day) : `${title}${lesson ? ": " : " "}`, against);
    this.#box.classList.toggle("taught", lesson !== undefined);
    this.#about.textContent =
      this.#opened.has(nameOfDeal(playing)) && !lesson
        ? "You have seen all cards of this deal."
        : nameOf(playing.agent) === "oracle"
          ? "The oracle sees all cards."
          : "";
  }

  /** Draws the panels that depend on the game and the seat. */
  #drawBeside({ game, rules, playing }: Match): void {
    this.#knowledge?.close();
    this.#knowledge = new Knowledge(this.#engine, rules, playing.seat);
    const rulePanel = panel(`Rules of ${rulebook(game.name).title}`, false, drawRules(game.name, rules.faces));
    this.#beside.replaceChildren(rulePanel, this.#knowledge.element);
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#isBusy = false;
    this.#prompt.textContent = `${errorInWords(error)}.`;
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

/** The choices of the person, or the seat to move, in words. */
function promptOf({ playing: { seat }, rules: { faces, seats }, table, isYours }: Match, legal: Move[]): string {
  if (!isYours) return `${capital(seatInSentence(Number(table.seat), seat, seats))} is thinking.`;
  const others = legal.filter(({ name }) => cardOf(name, faces).card === null);
  if (others.length === legal.length) return "Your turn: choose a move.";
  const [other, ...rest] = others.map(({ name }) => actionInWords(name, faces));
  const more = other === undefined ? "" : rest.length === 0 ? `, or ${other}` : ", or a move below";
  const verb = legal.map(({ name }) => cardOf(name, faces)).find(({ card }) => card !== null)?.words || "choose";
  return `Your turn: ${verb} a card${more}.`;
}

function isSameDeal(one: Playing, other: Playing): boolean {
  return nameOfDeal(one) === nameOfDeal(other) && one.seat === other.seat;
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

/** Lets a person see a move before the next. */
function pause(signal: AbortSignal, time: number): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, isStill() ? 0 : time);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
