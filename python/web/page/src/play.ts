import { Adviser } from "./advice";
import { levelled, levelOf, nameOf, opponentInWords, opponents } from "./agents";
import { TableBox } from "./box";
import { actionInWords, capital } from "./cards";
import { Controls } from "./controls";
import { Daily, dailyName, dateOfDeal } from "./daily";
import { beginningOf, type Change, changed, dealt, dealtAgain, dealtNext, isSameDeal, isSameSeat } from "./deals";
import { errorInWords, h } from "./dom";
import { type EngineClient, isAbort } from "./engine";
import { Heading } from "./heading";
import { drawKeys, type Keys, listen } from "./keys";
import { LESSONS, type Lesson, lessonOf, playingOf, TEACHER } from "./lessons";
import { type Playing, playLink, type Route, readPlaying, readRoute } from "./link";
import { NotLoaded } from "./loading";
import { Match } from "./match";
import { pause } from "./motion";
import { seatInSentence } from "./names";
import { clearNotice, type Way, warn } from "./notice";
import { verdictOf } from "./outcome";
import type { Agent, GameInfo, Move } from "./protocol";
import { rulebook } from "./rules";
import { isStop } from "./running";
import { Score } from "./score";
import { type Seen, see } from "./seen";
import { Side } from "./side";
import { setTitle } from "./title";
import type { View } from "./view";

/** The view in which a person plays against agents. */
export class Play implements View {
  readonly #engine: EngineClient;
  readonly #closed = new AbortController();
  readonly #heading = new Heading(() => void this.#start(playingOf(LESSONS[0] as Lesson)));
  readonly #box = new TableBox(
    (move) => this.#choose(move),
    () => void this.#start(this.#wanted, "replaceState"),
  );
  readonly #controls = new Controls({
    hint: () => void this.#showHint(),
    review: () => this.#side.review(),
    cost: () => void this.#showCost(),
    again: () => void this.#start(dealtAgain(this.#wanted)),
    undo: () => this.#takeBack(),
    next: () => this.#goFurther(),
  });
  readonly #adviser: Adviser;
  readonly #daily: Daily;
  readonly #side: Side;
  readonly #score = new Score();
  /** Ends what belongs to the present position. */
  #control = new AbortController();
  #games: GameInfo[] = [];
  #agents: Agent[] = [];
  #seen: Seen | null = null;
  /** The game that the person has asked for, also while it is being loaded. */
  #wanted = dealt("");
  /** True while another position is being loaded: nothing can be chosen in one that is about to go. */
  #isBusy = false;
  /** False if the opponent cannot play this game. */
  #canPlay = Promise.resolve(true);
  /** False for a game that was over when it was opened, or in which a link has made choices. */
  #isPlayed = false;

  constructor(root: HTMLElement, engine: EngineClient, route: Route) {
    const { signal } = this.#closed;
    this.#engine = engine;
    this.#adviser = new Adviser(engine, this.#box.running, (text) => this.#box.answer(text));
    this.#daily = new Daily(engine);
    const dialog = drawKeys();
    const digits = Array.from({ length: 9 }, (_, index) => [
      String(index + 1),
      () => this.#choose(this.#match?.table.legal[index]),
    ]);
    const keys: Keys = {
      ...Object.fromEntries(digits),
      n: () => void this.#start(dealtAgain(this.#wanted)),
      u: () => this.#takeBack(),
      h: () => void this.#showHint(),
      "?": () => dialog.showModal(),
    };
    listen(() => keys, signal);
    this.#side = new Side(engine, signal, {
      change: (change) => this.#change(change),
      start: (playing) => void this.#start(playing),
      showKeys: () => dialog.showModal(),
      look: () => this.#match && this.#daily.help(this.#match.playing, "knowledge"),
      say: (text) => this.#box.prompt(text),
    });
    root.append(
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          this.#heading.element,
          this.#box.element,
          this.#controls.element,
          this.#daily.element,
        ),
        this.#side.element,
      ),
      dialog,
    );
    addEventListener("resize", () => this.#box.forgetRoom(), { signal });
    void this.#open(route);
  }

  async #open(route: Route): Promise<void> {
    try {
      this.#games = await this.#engine.ask(this.#closed.signal, "games");
      this.#agents = await this.#engine.ask(this.#closed.signal, "agents");
    } catch (error) {
      return this.#fail(error);
    }
    const [first] = this.#games;
    const game = route.game || (first?.name ?? "");
    const known = this.#games.find(({ name }) => name === game);
    try {
      if (!known) throw new Error(`there is no game “${game}”`);
      const { begun, choices } = readPlaying({ ...route, game }) ?? { begun: dealt(game, route.settings), choices: [] };
      // A newcomer whose link names nothing starts against the beginner.
      const isAny = route.game === "" && [...route.settings].length === 0;
      const agent = begun.agent || (isAny && this.#score.isNew ? TEACHER : "");
      await this.#load({ ...begun, agent }, "replaceState", choices);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      // The address keeps the link.
      if (isStop(error))
        return this.#box.prompt("The link was stopped. Reload the page to open it, or take a new deal.");
      // There must be a way on.
      const names = this.#games.map(({ name }) => name);
      const meant = known
        ? null
        : await this.#engine.ask(this.#closed.signal, "closest", game, names).catch(() => null);
      if (this.#closed.signal.aborted) return;
      const beginning = beginningOf(route);
      const begun = this.#start(dealt((known ?? first)?.name ?? ""), "replaceState");
      warn(
        `The link cannot be opened: ${errorInWords(error)} Here is another ${known ? "deal" : "game"}.`,
        ...(meant ? [[`Play ${rulebook(meant).title}`, () => void this.#open({ ...route, game: meant })] as Way] : []),
        ...(known && beginning ? [["Play this deal from its beginning", () => void this.#open(beginning)] as Way] : []),
      );
      await begun;
    }
  }

  close(): void {
    this.#closed.abort();
    this.#control.abort();
    this.#side.close();
  }

  get #match(): Match | undefined {
    return this.#seen?.match;
  }

  #start(wanted: Playing, how: "pushState" | "replaceState" = "pushState"): Promise<void> {
    clearNotice();
    return this.#load(wanted, how).catch((error: unknown) => this.#fail(error));
  }

  #change(change: Change): void {
    // A level stays what it is in another game.
    const level = change.game && this.#match ? levelOf(this.#wanted.agent, this.#match.rules) : undefined;
    void this.#start(changed(this.#wanted, { ...(level && { agent: level }), ...change }));
  }

  /** Goes to a game, at any of its moves. Without a game to go back to, errors are the caller's. */
  async #load(wanted: Playing, how: "pushState" | "replaceState", choices: number[] = []): Promise<void> {
    const signal = this.#begin();
    this.#wanted = wanted;
    this.#isBusy = true;
    if (choices.length > 0) this.#box.prompt("The game is played again up to your last choice.");
    try {
      const match = await this.#box.running.run(signal, (stop) =>
        Match.load(this.#engine, this.#games, wanted, choices, stop),
      );
      signal.throwIfAborted();
      if (!this.#match || !isSameSeat(this.#match, match)) this.#side.drawBeside(match);
      // A game that a link has brought to its end or near it is not a result of this person.
      this.#isPlayed = !match.isOver && match.isOwn;
      this.#side.draw(match, this.#games, this.#agents);
      this.#heading.name(match);
      this.#canPlay = this.#check(match, signal);
      await this.#goOn(match, how, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#match) throw error;
      // The game goes on as it was.
      this.#side.fail(errorInWords(error));
      await this.#goOn(this.#match, "replaceState", this.#begin());
    }
  }

  /** Ends what belongs to the present position. */
  #begin(): AbortSignal {
    this.#control.abort();
    this.#control = new AbortController();
    this.#box.offer(null);
    return this.#control.signal;
  }

  /** Shows a game and lets the others move until it is the person's turn. */
  async #goOn(start: Match, how: "pushState" | "replaceState", signal: AbortSignal): Promise<void> {
    let match = start;
    const name = (): string => capital(seatInSentence(Number(match.table.seat), match.playing.seat, match.rules.seats));
    try {
      let hasTrick = await this.#show(match, how, signal);
      let seen = true;
      while (!match.isOver && !match.isYours) {
        // After a move that the person cannot see, a pause would tell of it.
        const decided = this.#box.running.run(signal, (stop) => match.afterAgent(stop));
        const [next]: [Match, unknown] = await Promise.all([decided, seen && pause(signal, hasTrick)]);
        seen = next.table.knowledge !== match.table.knowledge;
        match = next;
        hasTrick = await this.#show(match, "replaceState", signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(await this.#canPlay)) {
        this.#box.prompt(`${name()} cannot play. Choose another opponent.`);
        return this.#offerOthers(match, signal);
      }
      this.#box.offer(isStop(error) ? "Go on" : "Try again");
      if (isStop(error)) return this.#box.prompt(`${name()} was stopped. Go on, or choose another opponent.`);
      this.#side.failAgent(errorInWords(error));
      this.#box.prompt(`${name()} cannot move: ${errorInWords(error)} Try again, or choose another opponent.`);
    }
  }

  /** Reports an agent in the text field that cannot play at once, rather than at its first move. */
  async #check(match: Match, signal: AbortSignal): Promise<boolean> {
    const { position, agent } = match.playing;
    if (opponents(match.rules).some(({ spec }) => spec === agent) || lessonOf(match.playing)) return true;
    try {
      await this.#engine.ask(signal, "check", position, agent);
      return true;
    } catch (error) {
      // A part that did not come may come at its first move.
      if (signal.aborted || error instanceof NotLoaded) return true;
      this.#side.failAgent(errorInWords(error));
      await this.#offerOthers(match, signal);
      return false;
    }
  }

  /** Warns of an opponent that cannot play. */
  async #offerOthers({ playing: { agent }, rules }: Match, signal: AbortSignal): Promise<void> {
    const isKnown = this.#agents.some(({ name }) => name === nameOf(agent));
    const names = rules.agents;
    const meant = isKnown ? null : await this.#engine.ask(signal, "closest", nameOf(agent), names).catch(() => null);
    if (signal.aborted) return;
    const others = new Set([...(meant ? [meant] : []), levelled("club player", rules)]);
    warn(
      isKnown ? `The opponent “${agent}” cannot play.` : `There is no opponent “${nameOf(agent)}”.`,
      ...[...others].map(
        (spec): Way => [`Play against ${opponentInWords(spec, rules)}`, () => this.#change({ agent: spec })],
      ),
      ...(isKnown ? [["See why", () => this.#side.showAgent()] satisfies Way] : []),
    );
  }

  #choose(move: Move | undefined): void {
    const match = this.#match;
    if (!move || !match?.isYours || this.#isBusy) return;
    clearNotice();
    const signal = this.#begin();
    this.#isBusy = true;
    this.#box.prompt(`You chose ${actionInWords(move.name, match.rules.faces)}.`);
    match.after(move.id, signal).then(
      (next) => this.#goOn(next, "pushState", signal),
      (error) => this.#fail(error),
    );
  }

  /** After a game, begins another one. */
  #goFurther(): void {
    const match = this.#match;
    void this.#start(match?.isOver ? dealtNext(match, this.#score.isNew) : dealtAgain(this.#wanted));
  }

  /** Shows what a search would choose. */
  async #showHint(): Promise<void> {
    const seen = this.#seen;
    if (!seen?.match.isYours || this.#isBusy) return;
    if (seen.table.legal.length > 1) this.#daily.help(seen.match.playing, "hint");
    await this.#advise(seen, (signal) => this.#adviser.hint(seen.match, signal));
  }

  /** Shows what the person's last choice lost. */
  async #showCost(): Promise<void> {
    const seen = this.#seen;
    const before = seen?.match.beforeLastChoice();
    if (!seen || !before || this.#isBusy) return;
    await this.#advise(seen, (signal) => this.#adviser.cost(seen.match, before.position, signal));
  }

  async #advise(seen: Seen, ask: (signal: AbortSignal) => ReturnType<Adviser["hint"]>): Promise<void> {
    const { signal } = this.#control;
    // A search that is ended would take the analysis of the panel with it.
    this.#side.think(null);
    const advice = await ask(signal);
    if (signal.aborted) return;
    this.#side.think(seen.match);
    if (!advice) return;
    if (advice.best !== undefined) this.#box.draw(seen, advice.best);
    this.#box.answer(advice.text);
  }

  #takeBack(): void {
    const before = this.#match?.beforeLastChoice();
    if (!before) return;
    this.#daily.help(before, "undo");
    void this.#start(before);
  }

  /** Draws a game and puts it into the address. True if its last move has finished a trick. */
  async #show(match: Match, how: "pushState" | "replaceState", signal: AbortSignal): Promise<boolean> {
    const seen = await see(this.#engine, match, signal);
    const { playing } = match;
    const isNew = !this.#match || !isSameDeal(this.#match.playing, playing);
    const link = playLink(playing, match.choices());
    // The address may already name another view, which is about to open.
    if (link !== location.hash && readRoute(location.hash).tab === "play") history[how](null, "", link);
    const day = dateOfDeal(playing);
    setTitle(readRoute(link), day ? dailyName(day) : "");
    this.#seen = seen;
    this.#wanted = playing;
    this.#isBusy = false;
    this.#box.show(seen, isNew);
    // A button far below the table can begin a game.
    if (isNew) scrollTo(0, 0);
    this.#controls.show(match);
    const { returns } = seen.table;
    if (match.isOver && returns && !lessonOf(playing) && this.#isPlayed)
      this.#score.count(playing, verdictOf(returns, playing.seat));
    this.#heading.count(match, this.#score);
    this.#daily.follow(match);
    this.#side.show(match, seen.story);
    void this.#daily
      .show(match, match.isOver ? returns : null, this.#isPlayed, signal)
      .catch((error: unknown) => this.#fail(error));
    return seen.finished.at(-1) != null;
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#isBusy = false;
    this.#box.prompt(errorInWords(error));
  }
}
