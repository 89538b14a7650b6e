import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { RowsState } from '../table/live-rows.ts';
import { sortedBy, type TableSearch, withFilter } from '../table/table-search.ts';
import { StatusBar } from './status-bar.tsx';
import { useTableSearch } from './use-table-search.ts';

withPages();
withEngine();
beforeEach(() => localStorage.clear());

const DONE: RowsState = {
  ...{ phase: 'there', count: 1234, isCounted: true, fields: [], searching: undefined },
  ...{ looked: 5000, tookMs: undefined, version: 0, error: undefined },
};
const N_IS_1 = { kind: 'test', path: 'n', test: 'equals', value: 1 } as const;
const ALL: TableSearch = { text: '', conditions: [], sort: undefined, descending: false };

describe('the status bar', () => {
  test.each<[string, Partial<RowsState>, Partial<TableSearch>, string, 'polite' | 'off']>([
    ['all documents', {}, {}, '1,234 documents', 'polite'],
    ['one document', { count: 1 }, {}, '1 document', 'polite'],
    ['no document', { count: 0 }, {}, '0 documents', 'polite'],
    ['documents that are being counted', { isCounted: false }, {}, '1,234+ documents, counting...', 'polite'],
    ['the beginning', { phase: 'loading', count: 0 }, {}, 'Loading...', 'off'],
    ['a failure', { phase: 'failed' }, {}, '', 'polite'],
    ['found documents', { count: 1 }, { text: 'x' }, '1 document found', 'polite'],
    [
      'a first search',
      { searching: 'first', count: 2 },
      { text: 'x' },
      '2 documents found so far (5,000 searched)',
      'off',
    ],
    ['sorting', { searching: 'first' }, { sort: 'n' }, 'Sorting... (5,000 searched)', 'off'],
    [
      'a search after a change',
      { searching: 'again' },
      { conditions: [N_IS_1] },
      '1,234 documents found, checking changes...',
      'off',
    ],
  ])('describes %s, and announces only what is final', async (_what, state, search, text, live) => {
    const database = await freshLocal([]);
    const Page = () => (
      <StatusBar database={database} state={{ ...DONE, ...state }} search={{ ...ALL, ...search }} />
    );
    await drawPages([{ path: '/', Component: Page }], '/');
    const status = screen.getByText(
      (_text, element) =>
        element?.hasAttribute('aria-live') === true &&
        element.textContent === text &&
        element.tagName === 'P',
    );
    expect(status.getAttribute('aria-live')).toBe(live);
  });
});

describe('the search in the address', () => {
  async function page(address: string) {
    let now = { search: ALL } as ReturnType<typeof useTableSearch>;
    function Page() {
      now = useTableSearch();
      return null;
    }
    const pages = await drawPages([{ path: '/db', Component: Page }], address);
    const change = (how: (search: TableSearch) => TableSearch) => act(async () => now.changeSearch(how));
    return { ...pages, change, search: () => now.search };
  }

  test('makes a filter and an order steps of the history, but not typed text', async () => {
    const { change, go, path } = await page('/db?at=7');
    await change((search) => withFilter(search, [N_IS_1]));
    for (const text of ['m', 'mi', 'mil']) await change((search) => ({ ...search, text }));
    await change((search) => sortedBy(search, 'n'));
    expect(path()).toBe('/db?at=7&find=mil&filter=n+%3D+1&sort=n');
    await go(-1);
    expect(path()).toBe('/db?at=7&find=mil&filter=n+%3D+1');
    await go(-1);
    expect(path()).toBe('/db?at=7');
  });

  test('applies changes that follow each other before the page is drawn', async () => {
    const { change, search } = await page('/db');
    await act(async () => {
      void change((one) => sortedBy(one, 'n'));
      void change((one) => sortedBy(one, 'n'));
      void change((one) => ({ ...one, text: 'x' }));
    });
    expect(search()).toEqual({ text: 'x', conditions: [], sort: 'n', descending: true });
  });

  test('changes nothing but the search, and drops a filter that can’t be read', async () => {
    const { change, path, search } = await page('/db?filter=n+%3D&view=v1');
    expect(search().malformed).toBe('n =');
    await change((one) => ({ ...one, text: 'x' }));
    expect(path()).toBe('/db?view=v1&find=x&filter=n+%3D');
    await change((one) => withFilter(one, []));
    expect(path()).toBe('/db?view=v1&find=x');
  });
});
