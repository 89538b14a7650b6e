/** Asks for what the page that is opened needs while its first script is still on its way: it would be asked for only after that one had run. */
import { beginRequests } from './begin.ts';
import { isOfCloud, type Pages, scriptsOf } from './pages.ts';

/** Put before this file by the build. */
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
    // A browser has six requests on their way to a server at once: those above, which wait for each other, shall not wait for these.
    const asked = { rel: 'modulepreload', href, crossOrigin: '', fetchPriority: 'low' };
    document.head.append(Object.assign(link, asked));
  }
}
