import type { Engine, Position, Rules } from "./protocol";
import wasm from "./wasm/stier_web_bg.wasm?url";
import EngineWorker from "./worker?worker&inline";

type Method = keyof Engine;

/** What the page sends to the worker: first the compiled engine and the networks at hand, then one call at a time. */
export type Request =
  | { module: WebAssembly.Module; networks: [string, Uint8Array][] }
  | { method: Method; args: unknown[] };

/** What the worker sends: the answer to a call, why it failed, what ended the engine in it, or how far it is. */
export type Reply = { result: unknown } | { error: string } | { died: string } | { progress: string };

interface Job {
  method: Method;
  args: unknown[];
  resolve: (result: never) => void;
  reject: (reason: unknown) => void;
}

/** The games whose networks lie beside the page: vite.config.ts lists them. */
declare const NETWORKS: string[];
/** Calls whose second argument is an agent. */
const WITH_AGENT: Method[] = ["check", "decide", "analyse", "review"];
/** Milliseconds that a call may still take once its answer is no longer wanted. Then its worker is ended. */
const PATIENCE = 100;

/**
 * The engine in its worker. It does one call after the other, in the order in which they were asked. If a call ends the
 * engine, for want of memory, the call fails and another worker takes its place.
 */
export class EngineClient {
  /** Hears how far the present call is. */
  onProgress: (text: string) => void = () => {};
  readonly #module = load(wasm).then((bytes) => WebAssembly.compile(bytes));
  readonly #loading = new Map<string, Promise<void>>();
  readonly #networks = new Map<string, Uint8Array<ArrayBuffer>>();
  #queue: Job[] = [];
  #current: Job | null = null;
  #worker = this.#start();

  /**
   * Asks the engine. When `signal` is aborted, the answer is no longer wanted: the promise rejects, and a call that
   * does not end soon is ended with its worker. The next worker knows the networks, but no analysis, review or
   * solution.
   */
  async ask<M extends Method>(
    signal: AbortSignal | undefined, method: M, ...args: Parameters<Engine[M]>
  ): Promise<ReturnType<Engine[M]>> {
    if (WITH_AGENT.includes(method)) await this.#networksFor(signal, args);
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const job: Job = { method, args, resolve, reject };
      signal?.addEventListener("abort", () => this.#drop(job, signal.reason), { once: true });
      this.#queue.push(job);
      this.#next();
    });
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

  /** Waits for the network of the game if the agent among the arguments uses it. */
  async #networksFor(signal: AbortSignal | undefined, [at, agent]: unknown[]): Promise<void> {
    // A review names a seat, but no game.
    const games = NETWORKS.filter((game) => typeof at === "number" || game === (at as Position).game);
    if (games.every((game) => this.#networks.has(game))) return;
    if (!(await this.ask(signal, "has_network", agent as string))) return;
    await Promise.all(games.map((game) => this.#loadNetwork(game)));
  }

  #loadNetwork(game: string): Promise<void> {
    const loading = this.#loading.get(game) ?? load(`networks/${game}.safetensors`).then((bytes) => {
      this.#networks.set(game, bytes);
      return this.ask(undefined, "provide", game, bytes);
    }).then(() => undefined);
    this.#loading.set(game, loading);
    // A failure may be tried again.
    loading.catch(() => this.#loading.delete(game));
    return loading;
  }

  #start(): Worker {
    const worker = new EngineWorker();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#hear(data);
    worker.onerror = ({ message }) => this.#hear({ error: message || "the engine could not be loaded" });
    const networks = [...this.#networks];
    // Each call tells of a failure by itself.
    this.#module.then((module) => worker.postMessage({ module, networks } satisfies Request), () => {});
    return worker;
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#current = job;
    const { method, args } = job;
    // Never before the engine itself, which is sent when it is compiled.
    this.#module.then(
      () => this.#worker.postMessage({ method, args } satisfies Request),
      (error: Error) => this.#hear({ error: error.message }),
    );
  }

  #hear(reply: Reply): void {
    if ("progress" in reply) return this.onProgress(reply.progress);
    const job = this.#current;
    if ("died" in reply) {
      job?.reject(new Error(`the engine ${reply.died}. It has been started again`));
      return this.#restart();
    }
    this.#current = null;
    if (job && "error" in reply) job.reject(new Error(reply.error));
    else if (job && "result" in reply) job.resolve(reply.result as never);
    this.#next();
  }

  #drop(job: Job, reason: unknown): void {
    job.reject(reason);
    this.#queue = this.#queue.filter((other) => other !== job);
    if (this.#current === job) setTimeout(() => this.#end(job), PATIENCE);
  }

  /** Ends the worker if it is still at this call. */
  #end(job: Job): void {
    if (this.#current === job) this.#restart();
  }

  #restart(): void {
    this.#worker.terminate();
    this.#worker = this.#start();
    this.#current = null;
    this.#next();
  }
}

/** True for the error of a call whose answer was no longer wanted. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

async function load(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} could not be loaded: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
