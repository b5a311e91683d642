import EngineWorker from "./worker?worker&inline";

/** A message of the page to a worker: first the compiled engine and the networks at hand, then one call at a time. */
export type Request =
  | { module: WebAssembly.Module; networks: [string, Uint8Array][] }
  | { method: string; args: unknown[] };

/** A message of a worker: the answer to a call, why it failed, what ended the engine in it, or how far it is. */
export type Reply = { result: unknown } | { error: string } | { died: string } | { progress: string };

interface Job {
  method: string;
  args: unknown[];
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
}

/**
 * A worker with an engine of its own. It does one call after the other, in the order in which they were asked. If a call
 * ends the engine, for want of memory, the call fails and another worker takes its place.
 */
export class Thread {
  readonly #module: Promise<WebAssembly.Module>;
  readonly #networks: ReadonlyMap<string, Uint8Array>;
  readonly #onProgress: (text: string) => void;
  readonly #patience: number;
  #queue: Job[] = [];
  #current: Job | null = null;
  #worker: Worker;

  /** `patience` is the milliseconds that a call may still take once its answer is no longer wanted. */
  constructor(
    module: Promise<WebAssembly.Module>,
    networks: ReadonlyMap<string, Uint8Array>,
    onProgress: (text: string) => void,
    patience: number,
  ) {
    this.#patience = patience;
    this.#module = module;
    this.#networks = networks;
    this.#onProgress = onProgress;
    this.#worker = this.#start();
  }

  /**
   * Calls the engine. When `signal` is aborted, the answer is no longer wanted: the promise rejects, and a call that
   * does not end soon is ended with its worker. The next worker knows the networks, but no analysis, review or
   * solution.
   */
  call(signal: AbortSignal | undefined, method: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const drop = (): void => this.#drop(job, signal?.reason);
      const settle =
        <T>(end: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", drop);
          end(value);
        };
      const job: Job = { method, args, resolve: settle(resolve), reject: settle(reject) };
      signal?.addEventListener("abort", drop, { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  #start(): Worker {
    const worker = new EngineWorker();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#hear(data);
    worker.onerror = ({ message }) => this.#hear({ error: message || "the engine could not be loaded" });
    const networks = [...this.#networks];
    // Each call tells of a failure by itself.
    this.#module.then(
      (module) => worker.postMessage({ module, networks } satisfies Request),
      () => {},
    );
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
    if ("progress" in reply) return this.#onProgress(reply.progress);
    const job = this.#current;
    if ("died" in reply) {
      job?.reject(new Error(`the engine ${reply.died}. It has been started again`));
      return this.#restart();
    }
    this.#current = null;
    if (job && "error" in reply) job.reject(new Error(reply.error));
    else if (job && "result" in reply) job.resolve(reply.result);
    this.#next();
  }

  #drop(job: Job, reason: unknown): void {
    job.reject(reason);
    this.#queue = this.#queue.filter((other) => other !== job);
    if (this.#current === job) setTimeout(() => this.#end(job), this.#patience);
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
