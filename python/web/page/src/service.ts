// Answers for the page without a network. It is a program of its own, which the browser starts for any request.

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** All that belongs to the page, with a digest of each file: vite.config.ts lists them. The page itself is "./". */
declare const FILES: Record<string, string>;
const PAGE = "./";

const scope = self as unknown as EventTarget & {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};
const here = new URL("./", location.href).href;
/** Other copies of the page can have the same origin. */
const CACHE = `stier ${here}`;

/** The place of a file in the cache. A file that has changed has another one. */
function placeOf(file: string): string {
  return new URL(`${file}?${FILES[file]}`, here).href;
}

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all(
    Object.keys(FILES).map(async (file) => {
      if (await cache.match(placeOf(file))) return;
      // The names of assets have a digest: what the browser has of them is right.
      const answer = await fetch(new URL(file, here), { cache: file.startsWith("assets/") ? "default" : "no-cache" });
      if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
      await cache.put(placeOf(file), answer);
    }),
  );
  await scope.skipWaiting();
}

async function tidy(): Promise<void> {
  const cache = await caches.open(CACHE);
  const wanted = new Set(Object.keys(FILES).map(placeOf));
  const others = (await cache.keys()).filter(({ url }) => !wanted.has(url));
  await Promise.all(others.map((request) => cache.delete(request)));
  await scope.clients.claim();
}

/** The file that a request asks for; undefined if it is none of the page. Every entrance leads to the page. */
function fileOf({ url, method, mode }: Request): string | undefined {
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || !(origin + pathname).startsWith(here)) return undefined;
  const file = (origin + pathname).slice(here.length);
  if (Object.hasOwn(FILES, file)) return file;
  return mode === "navigate" && /^([a-z_]+\.html)?$/.test(file) ? PAGE : undefined;
}

async function answer(file: string, request: Request): Promise<Response> {
  const kept = await (await caches.open(CACHE)).match(placeOf(file));
  return kept ?? fetch(request);
}

scope.addEventListener("install", (event) => (event as Waiting).waitUntil(install()));
scope.addEventListener("activate", (event) => (event as Waiting).waitUntil(tidy()));
scope.addEventListener("fetch", (event) => {
  const { request } = event as Fetching;
  const file = fileOf(request);
  if (file !== undefined) (event as Fetching).respondWith(answer(file, request));
});
