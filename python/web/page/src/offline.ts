/** Machines that serve the page to themselves, as `stier web` does. Tomorrow the same address may be another program's. */
const OWN = ["127.0.0.1", "localhost", "[::1]"];

/** Lets the browser keep the page and all that belongs to it: it then opens without a network, too. */
export async function keepOffline(): Promise<void> {
  if (import.meta.env.DEV || OWN.includes(location.hostname)) return;
  try {
    await navigator.serviceWorker?.register("service.js");
  } catch {
    // Where it is forbidden, the page works as long as it is open.
  }
}
