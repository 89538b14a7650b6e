import { act, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { partsOf } from '../../filter/filter.ts';
import { parseFilter } from '../../filter/parse-filter.ts';
import type { RowsState } from '../table/live-rows.ts';
import { SearchCost } from './search-cost.tsx';

withPages();
withEngine();

const DONE: RowsState = {
  phase: 'there',
  count: 1,
  isCounted: true,
  fields: [],
  searching: undefined,
  looked: 100_000,
  tookMs: 412.4,
  version: 0,
  error: undefined,
};

async function cost(filter: string, state: Partial<RowsState> = {}, text = '') {
  const database = await freshLocal([{ _id: 'a', scope: 'M', n: 1 }]);
  const conditions = partsOf(parseFilter(filter).filter);
  const search = { text, conditions, sort: undefined, descending: false };
  const Page = () => (
    <main>
      <SearchCost database={database} state={{ ...DONE, ...state }} search={search} />
    </main>
  );
  await drawPages([{ path: '/', Component: Page }], '/');
  return database;
}

const shown = () => screen.getByRole('main').textContent;

describe('the cost of a search', () => {
  test('says how long a search without an index took, and creates the index', async () => {
    const database = await cost('scope = "M" and n > 5');
    await expect.poll(shown).toBe('Searched 100,000 documents in 412 ms.Create an index on scope and n');
    await act(async () => screen.getByRole('button', { name: /^Create an index/ }).click());
    await screen.findByText('Created an index on scope and n. Filters on it are answered at once.');
    await expect.poll(shown).toBe('Answered by the index on scope and n.');
    const { indexes } = await database.explain({ where: { scope: 'M' } });
    expect(indexes).toEqual([['scope', 'n']]);
  });

  test('offers one index for each alternative', async () => {
    await cost('scope = "M" or n = 5');
    expect(
      await screen.findByRole('button', { name: 'Create an index on scope, and one on n' }),
    ).toBeDefined();
  });

  test.each([
    ['a fast search', 'scope = "M"', { tookMs: 20 }],
    ['conditions that no index answers', 'scope contains "M"', {}],
  ])('offers no index for %s', async (_what, filter, state) => {
    await cost(filter, state);
    await expect.poll(shown).toMatch(/^Searched 100,000 documents in \d+ ms\.$/);
  });

  test.each<[string, string, Partial<RowsState>, string]>([
    ['while the search runs', 'n = 1', { searching: 'first' }, ''],
    ['before the first search', 'n = 1', { tookMs: undefined }, ''],
    ['for a text in all fields', 'n = 1', {}, 'milk'],
    ['without a filter', '', {}, ''],
  ])('says nothing %s', async (_when, filter, state, text) => {
    await cost(filter, state, text);
    await act(async () => void (await new Promise((resolve) => setTimeout(resolve, 20))));
    expect(shown()).toBe('');
  });
});
