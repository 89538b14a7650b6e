/** The HTML around the content of a page of the documentation. */
import type { Heading } from './render-page.ts';
import { NAVIGATION, pagePathOf, relativePath, type SitePage } from './site-pages.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const link = (page: SitePage, to: string, text: string, isCurrent = false): string =>
  `<a href="${relativePath(page.path, to)}"${isCurrent ? ' aria-current="page"' : ''}>${escaped(text)}</a>`;

/** Titles for the navigation of pages whose own title is too long or too general there. */
const SHORT: Readonly<Record<string, string>> = {
  'README.md': 'Quickstart',
  'CHANGELOG.md': 'Release notes',
  'docs/guide/api.md': 'API of the packages',
};

function navigation(page: SitePage, pages: ReadonlyMap<string, SitePage>): string {
  const groups = NAVIGATION.map(({ name, sources }) => {
    const items = sources.map((source) => {
      const title = SHORT[source] ?? pages.get(source)?.title ?? source;
      return `<li>${link(page, pagePathOf(source), title, source === page.source)}</li>`;
    });
    return `<section><h2>${escaped(name)}</h2><ul>${items.join('')}</ul></section>`;
  });
  return groups.join('\n');
}

function outline(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

/** Returns a page. All addresses are relative, so that the site works below any path. */
export function pageHtml(
  page: SitePage,
  content: { readonly html: string; readonly headings: readonly Heading[] },
  pages: ReadonlyMap<string, SitePage>,
): string {
  const at = (path: string) => relativePath(page.path, path);
  const outside = (path: string) => `${at('index.html').replace(/index\.html$/, '')}../${path}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(page.title)} · Fixpoint</title>
    <link rel="icon" href="${outside('favicon.svg')}" type="image/svg+xml" />
    <script src="${outside('theme.js')}"></script>
    <link rel="stylesheet" href="${at('docs.css')}" />
    <script type="module" src="${at('search.js')}"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      ${link(page, 'index.html', 'Fixpoint documentation')}
      <search data-index="${at('search.json')}">
        <label for="search">Search the documentation</label>
        <input id="search" type="search" autocomplete="off" placeholder="Search" aria-controls="found" />
        <div id="found" aria-live="polite" hidden></div>
      </search>
      <a href="${outside('')}">Console</a>
    </header>
    <div class="columns">
      <details class="menu" open><summary>All pages</summary><nav aria-label="Documentation">
${navigation(page, pages)}
      </nav></details>
      <main id="content" tabindex="-1">
        <h1>${escaped(page.title)}</h1>
${content.html}
      </main>
      ${outline(content.headings)}
    </div>
  </body>
</html>
`;
}
