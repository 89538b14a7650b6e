import { act, cleanup, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { DocumentsSummarizer } from '../../engine/field-summary.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { FieldPanel } from './field-panel.tsx';
import type { FieldIndexes } from './use-field-indexes.ts';

withPages();
withEngine();

const INDEXES: FieldIndexes = {
  indexed: new Set(),
  searched: new Set(),
  isKnown: true,
  again: () => undefined,
};

async function panel(path: string, docs: readonly object[], more: Partial<FieldIndexes> = {}) {
  cleanup();
  const summarizer = new DocumentsSummarizer(() => 0.5);
  for (const doc of docs) summarizer.add(doc);
  const field = summarizer.summary().fields.find((one) => one.path === path);
  if (field === undefined) throw new Error(`no field ${path}`);
  const database = await freshLocal([]);
  const closed = vi.fn();
  const Page = () => (
    <FieldPanel
      {...{ database, field }}
      basePath="/db/docs"
      documents={docs.length}
      indexes={{ ...INDEXES, ...more }}
      onConverted={() => undefined}
      onClose={closed}
    />
  );
  const pages = await drawPages([{ path: '/db', Component: Page }], '/db?show=schema');
  return { closed, shown: within(screen.getByRole('complementary')), ...pages };
}
const numbers = (values: readonly number[]) => values.map((n, at) => ({ _id: `d${at}`, n }));

describe('the panel of a field', () => {
  test('shows the share of documents that have the field', async () => {
    const { shown } = await panel('n', [...numbers([1, 2]), { _id: 'x' }]);
    expect(shown.getByText('In 2 of 3 documents')).toBeDefined();
    expect(shown.getByRole('link', { name: /^number\s*2$/ }).getAttribute('href')).toBe(
      '/db?filter=n+is+number',
    );
  });

  test('names dates', async () => {
    const { shown } = await panel('at', [{ _id: 'a', at: '2026-11-20' }]);
    expect(shown.getByRole('link', { name: /^date\s*1$/ })).toBeDefined();
  });

  test('shows the spread of numbers, and says when its scale is logarithmic', async () => {
    const { shown } = await panel('n', numbers([1, 2, 3]));
    expect(shown.getByText('average').nextElementSibling?.textContent).toBe('2');
    expect(shown.queryByText('log scale')).toBeNull();
    const wide = await panel('n', numbers([1, 1000, 1_350_000_000]));
    expect(wide.shown.getByText('log scale')).toBeDefined();
    expect(wide.shown.getByText('greatest').nextElementSibling?.textContent).toBe('1,350,000,000');
  });

  test('names at most three documents of a rare type, with links', async () => {
    const docs = [
      ...numbers(Array.from({ length: 60 }, (_, n) => n)),
      ...['constructor', 'a/b', 'c', 'd'].map((_id) => ({ _id, name: `Called ${_id}`, n: '6,600,000' })),
    ];
    const { shown } = await panel('n', docs);
    const links = shown.getAllByRole('link', { name: /^Called/ });
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/db/docs/constructor',
      '/db/docs/a%2Fb',
      '/db/docs/c',
    ]);
    expect(shown.getAllByTitle('6,600,000')).toHaveLength(3);
    const all = shown.getByRole('link', { name: /^Show in table: 4 documents with text/ });
    expect(all.getAttribute('href')).toBe('/db?filter=n+is+text');
  });

  test('lists the fields that a search by words reads', async () => {
    const { shown } = await panel('n', numbers([1]), { searched: new Set(['name', 'place.city']) });
    const heading = shown.getByRole('heading', { name: 'Search index' });
    const part = heading.parentElement?.parentElement as HTMLElement;
    expect(
      within(part)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['name', 'place.city']);
  });

  test('offers an index only where there is none, and once the indexes are known', async () => {
    const none = await panel('n', numbers([1]));
    expect(none.shown.getByText('No index on this field. Filters read 1 document.')).toBeDefined();
    expect(none.shown.getByRole('button', { name: 'Create index' })).toBeDefined();
    const one = await panel('n', numbers([1]), { indexed: new Set(['n']) });
    expect(one.shown.queryByRole('button', { name: 'Create index' })).toBeNull();
    const unknown = await panel('n', numbers([1]), { isKnown: false });
    expect(unknown.shown.queryByRole('heading', { name: 'Index' })).toBeNull();
  });

  test('reads the indexes again after it created one', async () => {
    const again = vi.fn();
    const { shown } = await panel('n', numbers([1]), { again });
    await act(async () => shown.getByRole('button', { name: 'Create index' }).click());
    await screen.findByText('Created an index on n.');
    expect(again).toHaveBeenCalledTimes(1);
  });

  test('closes', async () => {
    const { closed, shown } = await panel('n', numbers([1]));
    await act(async () => shown.getByRole('button', { name: 'Close' }).click());
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test.each(HOSTILE_NAMES.filter((name) => /^[\w]{1,20}$/.test(name)))(
    'shows a field called %s',
    async (name) => {
      const { shown } = await panel(name, [
        Object.fromEntries([
          ['_id', 'a'],
          [name, 'x'],
        ]),
      ]);
      expect(shown.getByRole('heading', { name, level: 2 })).toBeDefined();
      expect(shown.getByRole('link', { name: /^x\s*1$/ }).getAttribute('href')).toContain(name);
    },
  );
});
