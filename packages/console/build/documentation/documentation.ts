/**
 * Builds the documentation site from the Markdown files of the repository, as files below `docs/`.
 * Its pages load nothing from elsewhere, and work below any path (docs/decisions/0165).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import type { Plugin } from 'vite';
import { SEARCH_OPTIONS } from '../../src/documentation/search-options.ts';
import { pageHtml } from './page-html.ts';
import { filePathOf, renderPage } from './render-page.ts';
import { NAVIGATION, readPages, type SitePage } from './site-pages.ts';

interface SiteFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Returns a list of all pages with their first sentences, for programs that read documentation. */
function overviewOf(pages: readonly SitePage[]): string {
  const firstText = ({ markdown }: SitePage) =>
    /\n\n([A-Z][^#|`]*?[.:])\s/.exec(`\n\n${markdown}`)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const groups = NAVIGATION.map(({ name, sources }) => {
    const lines = sources
      .flatMap((source) => bySource.get(source) ?? [])
      .map((page) => {
        const text = firstText(page);
        return `- [${page.title}](${page.path})${text && `: ${text}`}`;
      });
    return `## ${name}\n\n${lines.join('\n')}\n`;
  });
  return `# Fixpoint\n\n> A local-first, sync-capable document database for TypeScript.\n\n${groups.join('\n')}`;
}

/** Returns the files of the site. @param root the root of the repository */
export function siteFiles(root: string): SiteFile[] {
  const pages = readPages(root);
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const index = new MiniSearch(SEARCH_OPTIONS);
  const images = new Set<string>();
  const files: SiteFile[] = pages.map((page) => {
    const rendered = renderPage(page, paths);
    for (const source of rendered.files) images.add(source);
    for (const { id, heading, text } of rendered.sections)
      if (text.trim() !== '' || id !== '')
        index.add({ id: id === '' ? page.path : `${page.path}#${id}`, title: page.title, heading, text });
    return { path: page.path, content: pageHtml(page, rendered, bySource) };
  });
  for (const source of images)
    files.push({ path: filePathOf(source), content: readFileSync(join(root, source)) });
  const tokens = readFileSync(join(root, 'packages/console/src/tokens.css'), 'utf8');
  const own = readFileSync(join(root, 'packages/console/build/documentation/docs.css'), 'utf8');
  return [
    ...files,
    { path: 'docs.css', content: tokens + own },
    { path: 'search.json', content: JSON.stringify(index) },
    { path: 'llms.txt', content: overviewOf(pages) },
  ];
}

/** @param root the root of the repository */
export const documentation = (root: string): Plugin => ({
  name: 'documentation',
  apply: 'build',
  generateBundle() {
    for (const { path, content } of siteFiles(root))
      this.emitFile({ type: 'asset', fileName: `docs/${path}`, source: content });
  },
});
