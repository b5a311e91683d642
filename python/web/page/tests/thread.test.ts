// The calls of a worker: their order, and what happens when one is no longer wanted or ends the engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Reply, type Request, Thread } from "../src/thread";

/** A worker that notes what it is asked and answers when it is told to. */
class Fake {
  readonly asked: Request[] = [];
  isEnded = false;
  onmessage: (event: { data: Reply }) => void = () => {};

  postMessage(request: Request): void {
    this.asked.push(request);
  }

  terminate(): void {
    this.isEnded = true;
  }

  methods(): string[] {
    return this.asked.map((request) => ("method" in request ? request.method : "module"));
  }

  answer(data: Reply): Promise<void> {
    this.onmessage({ data });
    return settled();
  }
}

/** Lets all promises settle that can. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function start(
  networks = new Map<string, Uint8Array>(),
  patience = 100,
): { workers: Fake[]; thread: Thread; told: string[] } {
  const workers: Fake[] = [];
  const told: string[] = [];
  Object.assign(globalThis, {
    startWorker: () => {
      workers.push(new Fake());
      return workers.at(-1);
    },
  });
  const module = Promise.resolve({} as WebAssembly.Module);
  return { workers, told, thread: new Thread(module, networks, (text) => told.push(text), patience) };
}

test("calls are answered one after the other, in their order", async () => {
  const { workers, thread, told } = start();
  const answers = Promise.all([thread.call(undefined, "games", []), thread.call(undefined, "agents", [])]);
  await settled();
  assert.deepEqual(workers[0]?.methods(), ["module", "games"]);
  await workers[0]?.answer({ progress: "half" });
  await workers[0]?.answer({ result: 1 });
  assert.deepEqual(workers[0]?.methods(), ["module", "games", "agents"]);
  await workers[0]?.answer({ result: 2 });
  assert.deepEqual([await answers, told], [[1, 2], ["half"]]);
});

test("a call that is no longer wanted leaves the queue, or ends with its worker", async () => {
  const networks = new Map<string, Uint8Array>();
  const { workers, thread } = start(networks);
  const [control, other] = [new AbortController(), new AbortController()];
  const long = thread.call(control.signal, "search", []).catch((error: Error) => error.name);
  const waiting = thread.call(other.signal, "known", []).catch((error: Error) => error.name);
  const next = thread.call(undefined, "games", []);
  networks.set("schwinget", new Uint8Array(1));
  await settled();
  other.abort();
  assert.equal(await waiting, "AbortError");
  control.abort();
  assert.equal(await long, "AbortError");
  // It may still end by itself, soon.
  assert.equal(workers.length, 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual([workers[0]?.isEnded, workers[0]?.methods()], [true, ["module", "search"]]);
  assert.deepEqual(workers[1]?.methods(), ["module", "games"]);
  assert.deepEqual(workers[1]?.asked[0], { module: {}, networks: [["schwinget", new Uint8Array(1)]] });
  await workers[1]?.answer({ result: 3 });
  assert.equal(await next, 3);
});

test("solving that is stopped keeps its worker, and what it has found there", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { workers, thread } = start(undefined, 5000);
  const control = new AbortController();
  const stopped = thread.call(control.signal, "iterate", []).catch((error: Error) => error.name);
  await settled();
  control.abort();
  assert.equal(await stopped, "AbortError");
  const again = thread.call(undefined, "iterate", []);
  mock.timers.tick(1000);
  await workers[0]?.answer({ result: 7 });
  await workers[0]?.answer({ result: 12 });
  assert.deepEqual([await again, workers.length], [12, 1]);
});

test("a call that ends the engine fails, and the next one has another engine", async () => {
  const { workers, thread } = start();
  const fatal = thread.call(undefined, "solve", []).catch((error: Error) => error.message);
  const plain = thread.call(undefined, "rules", []).catch((error: Error) => error.message);
  await settled();
  await workers[0]?.answer({ died: "ran out of memory" });
  assert.equal(await fatal, "the engine ran out of memory. It has been started again");
  assert.deepEqual([workers[0]?.isEnded, workers[1]?.methods()], [true, ["module", "rules"]]);
  await workers[1]?.answer({ error: "unknown game" });
  assert.equal(await plain, "unknown game");
  assert.equal(workers.length, 2);
});
