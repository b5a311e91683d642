const TYPE = "application/wasm";

/** Loads a module and compiles it while it arrives. `heard` is told the share that is here, of so many bytes. */
export async function download(
  address: string,
  bytes: number,
  heard: (share: number) => void,
): Promise<WebAssembly.Module> {
  const answer = await load(address);
  void count(answer.clone().body, bytes, heard);
  // Some servers do not know the type, on which browsers insist.
  const isKnown = answer.headers.get("Content-Type") === TYPE;
  return WebAssembly.compileStreaming(
    isKnown ? answer : new Response(answer.body, { headers: { "Content-Type": TYPE } }),
  );
}

/** A file of the page that could not be loaded. It may come at another time. */
export class NotLoaded extends Error {}

/** Loads a file of the page. */
export async function load(address: string): Promise<Response> {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok) return answer;
  const reason = answer ? `${answer.status} ${answer.statusText}` : "is there a connection to the network?";
  throw new NotLoaded(`${new URL(address, location.href).pathname} could not be loaded: ${reason}`);
}

/** Takes the line about loading away, once there is something to show. */
export function endLoading(): void {
  document.querySelector("main > .loading")?.remove();
}

/** Counts the bytes as they arrive, unpacked. The connection may break: the other copy tells of it. */
async function count(
  body: ReadableStream<Uint8Array> | null,
  bytes: number,
  heard: (share: number) => void,
): Promise<void> {
  const reader = body?.getReader();
  let here = 0;
  for (;;) {
    const part = await reader?.read().catch(() => null);
    if (!part || part.done) return;
    here += part.value.length;
    heard(Math.min(here / bytes, 1));
  }
}
