import type { EngineClient } from "./engine";
import type { Match } from "./match";
import type { Story, Table } from "./protocol";
import { finishedTricks, type Trick } from "./trick";

/** A game at one moment, as the person sees it. */
export interface Seen {
  match: Match;
  /** The table. At the end all its cards are open. */
  table: Table;
  /** The cards that nobody has seen, once the game is over. */
  unseen: string[];
  story: Story;
  /** The trick that each move has finished; null for a move that finished none. */
  finished: (Trick | null)[];
}

/** Looks at a game as it is now. */
export async function see(engine: EngineClient, match: Match, signal: AbortSignal): Promise<Seen> {
  const {
    playing: { position, seat },
    isOver,
    rules,
    tables,
  } = match;
  const table = isOver ? await engine.ask(signal, "open_table", position) : match.table;
  const unseen = isOver ? await engine.ask(signal, "unseen", position) : [];
  const story = await engine.ask(signal, "story", position, seat);
  signal.throwIfAborted();
  const moved = story.lines.filter(({ mover }) => mover !== null);
  return { match, table, unseen, story, finished: finishedTricks(tables, moved, rules.faces) };
}
