import type { Plugin, Rolldown } from 'vite';
import type { Pages } from '../src/preload/pages.ts';

type Bundle = Rolldown.OutputBundle;
type Chunk = Rolldown.OutputChunk;
interface Place {
  around?: string[];
  here?: string[];
  below?: Record<string, Place>;
}

/** The font of the first paint. A browser otherwise asks for it only after the styles. */
const FONT = /\.woff2$/;
const FONT_LINK = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true };

const ROUTE = /\/src\/routes\/(.+)\.tsx$/;
/** The module that every cloud page loads when it first calls the server. */
const isCalls = (id: string): boolean => /\/protocol\/src\/admin\/requests\.ts$/.test(id);
/** Matches a page that shows other pages within it. */
const OUTLET = /\bOutlet\b/;

/**
 * Passes the scripts that each page needs to the preload script, and adds the preload script and
 * the font to the HTML page.
 */
export const preloadPages = (script: string): Plugin => ({
  name: 'preload-pages',
  apply: 'build',
  enforce: 'post',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => [
      { tag: 'script', attrs: { src: `/${script}`, async: true }, injectTo: 'head-prepend' },
      ...Object.keys(bundle ?? {})
        .filter((name) => FONT.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: { ...FONT_LINK, href: `/${name}` },
          injectTo: 'head' as const,
        })),
    ],
  },
  generateBundle(_options, bundle) {
    const calls = Object.values(bundle).filter(
      (part) => part.type === 'chunk' && part.moduleIds.some(isCalls),
    );
    if (calls.length === 0) return this.error('no script contains the module that calls the server');
    const asker = bundle[script];
    if (asker?.type !== 'chunk' || asker.imports.length > 0)
      return this.error('the script that asks ahead was not built, or not as one file');
    const isAround = (id: string) => OUTLET.test(this.getModuleInfo(id)?.code ?? '');
    asker.code = `const PAGES=${JSON.stringify(pagesOf(bundle, isAround, calls))};${asker.code}`;
  },
});

/** @param calls the scripts that call the server, which each cloud page needs */
function pagesOf(
  bundle: Bundle,
  isAround: (id: string) => boolean,
  calls: readonly { readonly fileName: string }[],
): Pages {
  const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
  const first = new Set(
    chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => [...reachedFrom(bundle, chunk)]),
  );
  const root: Place = {};
  for (const chunk of chunks) {
    const route = ROUTE.exec(chunk.facadeModuleId ?? '')?.[1];
    if (route === undefined) continue;
    const scripts = [...reachedFrom(bundle, chunk)].filter((name) => !first.has(name));
    const place = placeOf(root, route);
    if (isAround(chunk.facadeModuleId ?? '')) place.around = scripts;
    else place.here = scripts;
  }
  const cloud = placeOf(root, 'cloud');
  cloud.around = [...(cloud.around ?? []), ...calls.map(({ fileName }) => fileName)];
  return root;
}

function placeOf(root: Place, route: string): Place {
  let place = root;
  for (const part of route.split('.').filter((each) => !each.startsWith('_'))) {
    place.below ??= {};
    place = place.below[part.startsWith('$') ? '$' : part] ??= {};
  }
  return place;
}

/** Returns the chunk and all chunks that it imports, except those that it loads on demand. */
function reachedFrom(bundle: Bundle, chunk: Chunk, reached = new Set<string>()): Set<string> {
  if (reached.has(chunk.fileName)) return reached;
  reached.add(chunk.fileName);
  for (const name of chunk.imports) {
    const next = bundle[name];
    if (next?.type === 'chunk') reachedFrom(bundle, next, reached);
  }
  return reached;
}
