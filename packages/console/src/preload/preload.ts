/** Asks for the scripts of the page that is opened while the first script is still on its way; they would be asked for only after that one had run. */
import { type Pages, scriptsOf } from './pages.ts';

/** Who vouches for people here: `cloud/identity/read-provider.ts` asks for it on each page. */
const PROVIDER = '/.well-known/fixpoint.json';
/** Put before this file by the build. */
declare const PAGES: Pages;

const own = document.currentScript;
if (own instanceof HTMLScriptElement) {
  const root = new URL('.', own.src);
  for (const path of scriptsOf(PAGES, location.pathname)) ask('modulepreload', new URL(path, root).href);
  ask('preload', PROVIDER, 'fetch');
}

function ask(rel: string, href: string, as = ''): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href, as, crossOrigin: '' }));
}
