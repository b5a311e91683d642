/** Solutions that this browser keeps: those that took long. Where its storage is blocked, none are kept. */
const NAME = "stier-solutions";
/** The most solutions that are kept, and their most bytes together. The oldest go first. */
const MOST = 20;
const MOST_BYTES = 200_000_000;

function addressOf(game: string, rules: string, iterations: number): string {
  return `solutions/${encodeURIComponent(`${game}:${rules}:${iterations}`)}`;
}

/** The bytes of a solution; null if they are not kept. */
export async function find(game: string, rules: string, iterations: number): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const found = await (await caches.open(NAME)).match(addressOf(game, rules, iterations));
    return found ? new Uint8Array(await found.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

export async function keep(
  game: string,
  rules: string,
  iterations: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (bytes.length > MOST_BYTES) return;
  try {
    const kept = await caches.open(NAME);
    await clear(kept, MOST - 1, MOST_BYTES - bytes.length);
    await kept.put(addressOf(game, rules, iterations), new Response(bytes));
  } catch {
    // It can be solved again.
  }
}

/** Throws the oldest solutions away, until so many with so many bytes are left. */
async function clear(kept: Cache, most: number, bytes: number): Promise<void> {
  let [count, sum] = [0, 0];
  // In the order in which they were put there.
  for (const request of (await kept.keys()).toReversed()) {
    sum += (await (await kept.match(request))?.blob())?.size ?? 0;
    if (++count > most || sum > bytes) await kept.delete(request);
  }
}
