const TYPE = "application/wasm";

/** Loads a module and compiles it while it arrives. `heard` is told the share that is here, of so many bytes. */
export async function download(
  address: string,
  bytes: number,
  heard: (share: number) => void,
): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok || !answer.body) {
    throw new Error(`${address} could not be loaded: ${answer.status} ${answer.statusText}`);
  }
  void count(answer.clone().body, bytes, heard);
  // Some servers do not know the type, on which browsers insist.
  const isKnown = answer.headers.get("Content-Type") === TYPE;
  return WebAssembly.compileStreaming(
    isKnown ? answer : new Response(answer.body, { headers: { "Content-Type": TYPE } }),
  );
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
