/**
 * Requests data and scripts that the opened page needs while its first script still loads.
 * Otherwise these requests would start only after that script ran.
 */
import { beginRequests } from './begun-requests.ts';
import { isOfCloud, type Pages, scriptsOf } from './pages.ts';

/** Defined by the build. */
declare const PAGES: Pages;

const own = document.currentScript;
if (own instanceof HTMLScriptElement) {
  const root = new URL('.', own.src);
  const { pathname } = location;
  window.begunRequests ??= beginRequests((...request) => fetch(...request), {
    isOfCloud: isOfCloud(pathname),
    atMs: performance.now(),
  });
  for (const path of scriptsOf(PAGES, pathname)) {
    const link = document.createElement('link');
    const { href } = new URL(path, root);
    // Browsers allow six simultaneous requests to a server. The requests above depend on each
    // other, so they must not wait for these scripts.
    const asked = { rel: 'modulepreload', href, crossOrigin: '', fetchPriority: 'low' };
    document.head.append(Object.assign(link, asked));
  }
}
