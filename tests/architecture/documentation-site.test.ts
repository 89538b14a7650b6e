/** The documentation site that the build makes of the Markdown files. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { describe, expect, test } from 'vitest';
import { siteFiles } from '../../packages/console/build/documentation/documentation.ts';
import { renderPage } from '../../packages/console/build/documentation/render-page.ts';
import { SEARCH_OPTIONS } from '../../packages/console/src/documentation/search-options.ts';
import { QUOTES } from '../../packages/console/src/features/sign-in-aside/sign-in-aside.tsx';

const files = new Map(
  siteFiles('.').map(({ path, content }) => [path, typeof content === 'string' ? content : '']),
);
const pages = [...files].filter(([path]) => path.endsWith('.html'));
/** Files of the console that the build adds outside this list. */
const BUILT = ['search.js', '../favicon.svg', '../theme.js', '..', '../'];

const addressesIn = (html: string) =>
  [...html.matchAll(/\b(?:href|src|srcset|data-index)="([^"]*)"/g)].map(([, address = '']) => address);

describe('the documentation site', () => {
  test('has a page for each guide, for the reports, and for the release notes', () => {
    for (const path of ['index.html', 'guide/sync.html', 'reliability.html', 'project/changelog.html'])
      expect([...files.keys()]).toContain(path);
    expect(pages.length).toBeGreaterThan(150);
  });

  test('has no link to a page, heading or file that is missing', () => {
    const missing = pages.flatMap(([from, html]) =>
      addressesIn(html)
        .filter((address) => !/^(https?:|mailto:)/.test(address))
        .filter((address) => {
          const [target = '', id] = address.split('#');
          const path = target === '' ? from : posix.join(posix.dirname(from), target);
          if (BUILT.includes(path)) return false;
          const content = files.get(path);
          return content === undefined || (id !== undefined && id !== '' && !content.includes(`id="${id}"`));
        })
        .map((address) => `${from}: ${address}`),
    );
    expect(missing).toEqual([]);
  });

  test('loads nothing from other servers, and contains no scripts within pages', () => {
    for (const [path, html] of pages) {
      expect(html.match(/<(?:script|link|img|source)[^>]*(?:src|href|srcset)="https?:/g), path).toBeNull();
      expect(html.match(/<script(?![^>]*\bsrc=)|\bstyle="|\son\w+="/g), path).toBeNull();
    }
  });

  test('compares only with figures that the benchmark measured', () => {
    const measured = readFileSync('docs/benchmarks.md', 'utf8');
    const cells = readFileSync('docs/guide/comparison.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cell) => /^[\d.,]+ (\/s|ms|kB|MB)$/.test(cell));
    expect(cells.length).toBeGreaterThan(40);
    expect(cells.filter((cell) => !measured.includes(`| ${cell} (`))).toEqual([]);
  });

  test('finds pages by words, also by the start of a word and with a typo', () => {
    const index = MiniSearch.loadJSON(files.get('search.json') ?? '', SEARCH_OPTIONS);
    const first = (text: string) =>
      index
        .search(text)
        .slice(0, 5)
        .map(({ id }) => String(id));
    expect(first('durability').join(' ')).toContain('glossary.html#durability');
    expect(first('recovery cod').join(' ')).toContain('.html#');
    expect(first('colections').join(' ')).toContain('guide/collections.html');
    expect(first('qqqqzzzz')).toEqual([]);
  });

  test('lists its pages with their first sentences in llms.txt', () => {
    const text = files.get('llms.txt') ?? '';
    expect(text).toMatch(/^- \[.+\]\(guide\/sync\.html\): [A-Z].+[.:]$/m);
    expect(text.split('\n').length).toBeGreaterThan(30);
  });

  test('keeps text of a link whose target is not on the site', () => {
    const page = {
      source: 'docs/a.md',
      path: 'a.html',
      title: 'A',
      markdown: '# A\n\n[code](../x.ts) [b](b.md#c)',
    };
    const { html } = renderPage(page, new Map([['docs/b.md', 'guide/b.html']]));
    expect(html).toContain('<a>code</a>');
    expect(html).toContain('<a href="guide/b.html#c">b</a>');
  });
});

test('quotes sentences on the sign-in page that are in the reports it links to', () => {
  for (const { text, page } of QUOTES) {
    const [path = '', id] = page.split('#');
    const source = readFileSync(`docs/${path.replace('.html', '.md')}`, 'utf8').replaceAll(/\s+/g, ' ');
    expect(source).toContain(text);
    expect(files.get(path)).toContain(`id="${id}"`);
  }
  const kills = readFileSync('docs/benchmarks/night-runs-2026-11.md', 'utf8');
  const counts = [...kills.matchAll(/^\| 2026-11-2\d[^|]*\| ([\d,]+)[:,]/gm)].map(([, n = '']) =>
    Number(n.replaceAll(',', '')),
  );
  expect(counts.reduce((a, b) => a + b, 0)).toBe(5344);
});
