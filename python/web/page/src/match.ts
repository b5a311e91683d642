import { fitting } from "./agents";
import type { EngineClient } from "./engine";
import type { Playing } from "./link";
import { Memory } from "./memory";
import type { GameInfo, Position, Rules, Table } from "./protocol";
import { inTab } from "./storage";

const memory = new Memory(inTab);

/** A game between a person and agents, as the person sees it. */
export class Match {
  private constructor(
    readonly engine: EngineClient,
    readonly game: GameInfo,
    readonly rules: Rules,
    readonly playing: Playing,
    /** The table before each move and after the last. */
    readonly tables: Table[],
    /** True if all choices were made in this tab: those of a link may be another person's. */
    readonly isOwn: boolean,
  ) {}

  /** Loads a game, goes through its moves and then through the person's choices, which the agents answer. */
  static async load(
    engine: EngineClient,
    games: GameInfo[],
    wanted: Playing,
    choices: number[],
    signal: AbortSignal,
  ): Promise<Match> {
    const { position, seat } = wanted;
    const rules = await engine.rules(signal, position.game, position.rules);
    const game = games.find(({ name }) => name === rules.game);
    if (!game) throw new Error(`unknown game '${position.game}'`);
    const agent = fitting(wanted.agent, rules);
    const tables: Table[] = [];
    for (let count = 0; count <= position.moves.length; count++) {
      tables.push(await engine.ask(signal, "table", { ...position, moves: position.moves.slice(0, count) }, seat));
    }
    // Each deal has one name: 007 is 7.
    const seed = BigInt(position.seed).toString();
    const playing = { ...wanted, position: { ...position, rules: rules.rules, seed }, agent };
    let match = new Match(engine, game, rules, playing, tables, true);
    for (const choice of choices) {
      while (!match.isOver && !match.isYours) match = await match.afterAgent(signal);
      const isOwn = match.isOwn && memory.knows(match.playing, choice);
      match = await match.after(choice, signal, isOwn);
    }
    return match;
  }

  /** The table now. */
  get table(): Table {
    return this.tables.at(-1) as Table;
  }

  get isOver(): boolean {
    return this.table.seat === null;
  }

  /** True if the person is to move. */
  get isYours(): boolean {
    return this.table.seat === this.playing.seat;
  }

  /** The game after one more move. */
  async after(id: number, signal: AbortSignal, isOwn = this.isOwn): Promise<Match> {
    const { position, seat } = this.playing;
    const next: Position = { ...position, moves: [...position.moves, id] };
    const table = await this.engine.ask(signal, "table", next, seat);
    const playing = { ...this.playing, position: next };
    memory.keep(playing);
    return new Match(this.engine, this.game, this.rules, playing, [...this.tables, table], isOwn);
  }

  /** The game after the decision of the agent that is to move. Its seed is that of the deal. */
  async afterAgent(signal: AbortSignal): Promise<Match> {
    const { position, agent } = this.playing;
    const id =
      memory.next(this.playing) ?? (await this.engine.ask(signal, "decide", position, agent, position.seed)).id;
    return this.after(id, signal);
  }

  /** The game before the person's last choice; null if there was none. */
  beforeLastChoice(): Playing | null {
    const { position, seat, from } = this.playing;
    const last = this.tables.slice(0, -1).findLastIndex((table) => table.seat === seat);
    return last < from ? null : { ...this.playing, position: { ...position, moves: position.moves.slice(0, last) } };
  }

  /** The person's choices since the beginning. */
  choices(): number[] {
    const { position, seat, from } = this.playing;
    return position.moves.filter((_, index) => index >= from && this.tables[index]?.seat === seat);
  }
}
