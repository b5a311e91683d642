import { Analyst } from "./analyst";
import { download, load } from "./loading";
import { ARGUMENTS, type Engine, type Position, type Rules } from "./protocol";
import { Thread } from "./thread";
import wasm from "./wasm/stier_web_bg.wasm?url";

type Method = keyof Engine;

/** The games whose networks lie beside the page, and the bytes of the engine: vite.config.ts knows both. */
declare const NETWORKS: string[];
declare const ENGINE_BYTES: number;

/**
 * The workers of the page. What is shown at once never waits for a search, and a search that is ended takes no solution
 * with it. One that solves is given time to stop by itself: with it all iterations so far would be lost.
 */
type Kind = "table" | "search" | "solution";
const PATIENCE: Record<Kind, number> = { table: 100, search: 100, solution: 5000 };
const KINDS: Partial<Record<Method, Kind>> = {
  decide: "search",
  analyse: "search",
  search: "search",
  known: "search",
  checksums: "search",
  judge: "search",
  hint: "search",
  review: "search",
  size: "search",
  iterate: "solution",
  solve: "solution",
  openings: "solution",
  node: "solution",
  held_table: "solution",
};

/** The engine, in workers that begin when they are first needed. */
export class EngineClient {
  /** Hears how far the present calculation is. */
  onProgress: (text: string) => void = () => {};
  /** Hears how much of the engine has arrived, from 0 to 1. */
  onArrival: (share: number) => void = () => {};
  readonly analyst = new Analyst(this);
  readonly #module = download(wasm, ENGINE_BYTES, (share) => this.onArrival(share));
  readonly #loading = new Map<string, Promise<void>>();
  readonly #networks = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #threads = new Map<Kind, Thread>();

  /** Asks the engine. When `signal` is aborted, the answer is no longer wanted: see `Thread`. */
  async ask<M extends Method>(
    signal: AbortSignal | undefined,
    method: M,
    ...args: Parameters<Engine[M]>
  ): Promise<ReturnType<Engine[M]>> {
    const agent = ARGUMENTS[method].indexOf("agent");
    if (agent > 0) await this.#networksFor(signal, args[0], args[agent] as string);
    signal?.throwIfAborted();
    const thread = this.#thread(KINDS[method] ?? "table");
    return thread.call(signal, method, args) as Promise<ReturnType<Engine[M]>>;
  }

  /** Waits until the engine can be asked; rejects if it cannot be loaded. */
  async ready(): Promise<void> {
    await this.#module;
  }

  /**
   * A game under its rules. The engine lists agents with a network only once it is loaded; under the default rules they
   * are listed at once.
   */
  async rules(signal: AbortSignal, game: string, text: string): Promise<Rules> {
    const rules = await this.ask(signal, "rules", game, text);
    if (!NETWORKS.includes(game) || rules.agents.includes("network")) return rules;
    if (rules.rules === "") {
      const agents = await this.ask(signal, "agents");
      const others = agents.filter((agent) => agent.needs_network).map(({ name }) => name);
      return { ...rules, agents: [...others, ...rules.agents] };
    }
    // Without the network the other agents can still play.
    await this.#loadNetwork(game).catch(() => {});
    return this.ask(signal, "rules", game, text);
  }

  /** Loads all networks, that of `game` first. */
  async loadNetworks(game: string): Promise<void> {
    const others = NETWORKS.filter((name) => name !== game);
    for (const name of [...NETWORKS.filter((known) => known === game), ...others]) await this.#loadNetwork(name);
  }

  /** The solution that is looked at, as bytes. */
  solution(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#thread("solution").call(undefined, "solution", []) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Makes a solution the one that is looked at. Then `solve` with its iterations returns at once. */
  async restore(
    signal: AbortSignal,
    game: string,
    rules: string,
    iterations: number,
    bytes: Uint8Array,
  ): Promise<void> {
    await this.#thread("solution").call(signal, "restore", [game, rules, iterations, bytes]);
  }

  /** Waits for the network of the game if the agent uses it. */
  async #networksFor(signal: AbortSignal | undefined, at: unknown, agent: string): Promise<void> {
    // A record names its game, too.
    const games = NETWORKS.filter((game) =>
      typeof at === "string" ? at.includes(game) : game === (at as Position).game,
    );
    if (games.every((game) => this.#networks.has(game))) return;
    if (!(await this.ask(signal, "has_network", agent))) return;
    await Promise.all(games.map((game) => this.#loadNetwork(game)));
  }

  #loadNetwork(game: string): Promise<void> {
    const loading = this.#loading.get(game) ?? this.#fetchNetwork(game);
    this.#loading.set(game, loading);
    // A failure may be tried again.
    loading.catch(() => this.#loading.delete(game));
    return loading;
  }

  async #fetchNetwork(game: string): Promise<void> {
    const answer = await load(`networks/${game}.safetensors`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    this.#networks.set(game, bytes);
    const provide = (thread: Thread): Promise<unknown> => thread.call(undefined, "provide", [game, bytes]);
    // A busy worker has it before its next call: nobody waits for that.
    for (const [kind, thread] of this.#threads) if (kind !== "table") provide(thread).catch(() => {});
    try {
      await provide(this.#thread("table"));
    } catch (error) {
      this.#networks.delete(game);
      throw error;
    }
  }

  #thread(kind: Kind): Thread {
    const thread =
      this.#threads.get(kind) ??
      new Thread(this.#module, this.#networks, (text) => this.onProgress(text), PATIENCE[kind]);
    this.#threads.set(kind, thread);
    return thread;
  }
}

/** True for the error of a call whose answer was no longer wanted. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
