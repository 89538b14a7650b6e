import type { BegunRequests } from '../preload/begin.ts';

/** An older answer may be of another session, or hold a token of which too much is over. */
const FRESH_MS = 30_000;

/** A `fetch` to which each request that was begun before the page's own script ran is answered once, with that answer. */
export function withBegun(
  fetch: typeof globalThis.fetch,
  { byPath, atMs }: BegunRequests,
  now: () => number,
): typeof globalThis.fetch {
  return async (path, init) => {
    // What is posted may begin or end a session.
    if (init?.method === 'POST' || now() - atMs > FRESH_MS) byPath.clear();
    const waiting = byPath.get(String(path));
    byPath.delete(String(path));
    const found = await waiting;
    return found !== undefined && found.body === init?.body ? found.response : fetch(path, init);
  };
}
