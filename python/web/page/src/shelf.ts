/** Solutions that this browser keeps: those that took long. Where its storage is blocked, none are kept. */
const NAME = "stier-solutions";

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
  try {
    await (await caches.open(NAME)).put(addressOf(game, rules, iterations), new Response(bytes));
  } catch {
    // It can be solved again.
  }
}
