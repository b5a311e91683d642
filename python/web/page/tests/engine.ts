// The compiled engine without a worker.
import { existsSync, readFileSync } from "node:fs";
import type { Engine } from "../src/protocol";

const WASM = new URL("../src/wasm/", import.meta.url);
/** The reason to skip a test of it. */
export const skip = existsSync(new URL("stier_web_bg.wasm", WASM)) ? false : "make web has not compiled the engine";

export type Ask = <M extends keyof Engine>(method: M, ...args: Parameters<Engine[M]>) => ReturnType<Engine[M]>;

export async function start(): Promise<Ask> {
  const engine = await import(new URL("stier_web.js", WASM).href);
  engine.initSync({ module: readFileSync(new URL("stier_web_bg.wasm", WASM)) });
  return (method, ...args) => JSON.parse(engine.call(method, JSON.stringify(args)));
}
