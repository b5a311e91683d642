import { isFromHere } from "./link";

/**
 * Lets the browser keep the page and all that belongs to it: it then opens without a network, too. Not on the machine
 * that serves it, whose address may be another program's tomorrow.
 */
export async function keepOffline(): Promise<void> {
  if (import.meta.env.DEV || isFromHere()) return;
  try {
    await navigator.serviceWorker?.register("service.js");
  } catch {
    // Where it is forbidden, the page works as long as it is open.
  }
}
