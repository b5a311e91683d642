import type { EngineClient } from "./engine";
import type { Analysis, Position } from "./protocol";

/** The searches of one position at a time: the engine has one analysis, and a search continues the last that was begun. */
export class Analyst {
  readonly #engine: Pick<EngineClient, "ask">;
  /** The end of the run before. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(engine: Pick<EngineClient, "ask">) {
    this.#engine = engine;
  }

  /** Searches a position several times, once the run before has ended. `tell` hears the results after each search. */
  run(
    signal: AbortSignal,
    position: Position,
    agent: string,
    searches: number,
    tell: (analysis: Analysis) => void,
  ): Promise<void> {
    const run = this.#before.then(async () => {
      signal.throwIfAborted();
      await this.#engine.ask(signal, "analyse", position, agent);
      for (let count = 0; count < searches; count++) tell(await this.#engine.ask(signal, "search"));
    });
    this.#before = run.catch(() => {});
    return run;
  }
}
