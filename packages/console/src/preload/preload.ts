/**
 * While the opened page's first script loads, requests the data and the other scripts that the page
 * needs. Otherwise these requests would start only after the first script ran.
 */
import { beginRequests } from './begun-requests.ts';
import { isOfCloud, type Pages, scriptsOf } from './pages.ts';

/** Defined by the build. */
declare const PAGES: Pages;

const own = document.currentScript;
if (own instanceof HTMLScriptElement) {
  const root = new URL('.', own.src);
  // The server writes the path of the console into the page.
  const base = document.documentElement.dataset['base'] ?? '';
  const pathname = location.pathname.slice(location.pathname.startsWith(`${base}/`) ? base.length : 0);
  window.begunRequests ??= beginRequests((path, init) => fetch(`${base}${path}`, init), {
    isOfCloud: isOfCloud(pathname),
    signIn: document.documentElement.dataset['signIn'],
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
