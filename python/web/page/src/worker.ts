import type { Reply, Request } from "./engine";
import init, { call, on_progress, provide } from "./wasm/stier_web.js";

/** The engine once it is ready. Calls that come earlier wait for it. */
let ready: Promise<void>;

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if ("module" in data) ready = begin(data.module, data.networks);
  else reply(await ready.then(() => answer(data.method, data.args)).catch(failed));
});

async function begin(module: WebAssembly.Module, networks: [string, Uint8Array][]): Promise<void> {
  await init({ module_or_path: module });
  on_progress((progress: string) => reply({ progress }));
  for (const [game, bytes] of networks) provide(game, bytes);
}

function answer(method: string, args: unknown[]): Reply {
  if (method === "provide") {
    const [game, bytes] = args as [string, Uint8Array];
    provide(game, bytes);
    return { result: null };
  }
  return { result: JSON.parse(call(method, JSON.stringify(args))) };
}

function failed(error: unknown): Reply {
  return { error: error instanceof Error ? error.message : String(error) };
}

function reply(message: Reply): void {
  postMessage(message);
}
