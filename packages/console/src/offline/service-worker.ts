/**
 * Caches the console's own files, so that the pages of local databases open without a network.
 * Pages come from the server when it answers. Files come from the cache, because their names change
 * with their content. The worker intercepts nothing else, so it never answers cloud calls.
 */

/** Defined by the build: paths of all files of the console, and a name for exactly this set. */
declare const FILES: readonly string[];
declare const VERSION: string;

interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}

const worker = self as unknown as WorkerScope;
/** The path of the console, such as `/fixpoint`; empty at the root of a host. */
const BASE = worker.location.pathname.replace(/\/[^/]*$/, '');
/** Each console of an origin has its own caches. */
const PREFIX = `console${BASE}-`;
const CACHE = PREFIX + VERSION;
const PAGE = `${BASE}/index.html`;
/** After this time, a connection that is open but delivers nothing counts as offline. */
const PATIENCE_MS = 4000;
const files = new Set(FILES.map((path) => BASE + path));

worker.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...files])));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([dropOlder(), worker.clients.claim()]));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin) return;
  if (request.mode === 'navigate' && !pathname.startsWith(`${BASE}/auth/`)) event.respondWith(page(request));
  else if (files.has(pathname)) event.respondWith(file(request, pathname));
});

async function dropOlder(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (cause) {
    const kept = await caches.match(PAGE);
    if (kept === undefined) throw cause;
    return kept;
  }
}

async function file(request: Request, path: string): Promise<Response> {
  return (await caches.match(path)) ?? fetch(request);
}
