import type { Reply, Request } from "./thread";
import init, { call, listen, provide, restore, solution } from "./wasm/stier_web.js";

/** The engine once it is ready. Calls that come earlier wait for it. */
let ready: Promise<void>;
/** The memory of the engine, which only grows. */
let memory: WebAssembly.Memory | undefined;
/** The reason of a panic, told before it ends the call. */
let panic = "";

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if ("module" in data) ready = begin(data.module, data.networks);
  else reply(await ready.then(() => answer(data.method, data.args)).catch(failed));
});

async function begin(module: WebAssembly.Module, networks: [string, Uint8Array][]): Promise<void> {
  ({ memory } = await init({ module_or_path: module }));
  listen((kind: "progress" | "panic", text: string) => {
    if (kind === "panic") panic = text;
    else reply({ progress: text });
  });
  for (const [game, bytes] of networks) provide(game, bytes);
}

function answer(method: string, args: unknown[]): Reply {
  if (method === "provide") {
    const [game, bytes] = args as [string, Uint8Array];
    provide(game, bytes);
    return { result: null };
  }
  if (method === "solution") return { result: solution() };
  if (method === "restore") {
    const [game, rules, iterations, bytes] = args as [string, string, number, Uint8Array];
    restore(game, rules, iterations, bytes);
    return { result: null };
  }
  return { result: JSON.parse(call(method, JSON.stringify(args))) };
}

/** The errors of the engine itself are plain. After any other, a trap, it cannot be called again. */
function failed(error: unknown): Reply {
  if (error instanceof Error && error.constructor === Error) return { error: error.message };
  if (panic !== "") return { died: `failed (${panic})` };
  // Nothing else ends without a reason.
  const isFull = error instanceof WebAssembly.RuntimeError && error.message.includes("unreachable");
  const used = ((memory?.buffer.byteLength ?? 0) / 2 ** 30).toFixed(1);
  return { died: isFull ? `ran out of memory, with ${used} of at most 4 GiB in use` : `failed (${String(error)})` };
}

function reply(message: Reply): void {
  postMessage(message);
}
