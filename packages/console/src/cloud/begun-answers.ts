import type { BegunRequests } from '../preload/begun-requests.ts';

/**
 * Older answers aren't reused. An older answer may belong to another session, or contain a token
 * that expires soon.
 */
const FRESH_MS = 30_000;

/**
 * Returns a `fetch` that reuses answers of requests that began before the page's own script ran.
 * Each answer is used only once.
 */
export function withBegun(
  fetch: typeof globalThis.fetch,
  { byPath, atMs }: BegunRequests,
  now: () => number,
): typeof globalThis.fetch {
  return async (path, init) => {
    // A POST may begin or end a session.
    if (init?.method === 'POST' || now() - atMs > FRESH_MS) byPath.clear();
    const waiting = byPath.get(String(path));
    byPath.delete(String(path));
    const found = await waiting;
    return found !== undefined && found.body === init?.body ? found.response : fetch(path, init);
  };
}
