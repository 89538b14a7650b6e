import { act, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_IDS } from '../../../values/hostile-names.fixture.ts';
import { draftOf, withText } from '../document/draft.ts';
import { DocumentLinks } from './document-links.tsx';

withPages();

/** Renders the links of a document, and returns a function that changes its text. */
async function draw(database: BridgedDatabase, text: string, id?: string) {
  let change: (text: string) => void = () => undefined;
  function Page() {
    const [now, setText] = useState(text);
    change = setText;
    return (
      <DocumentLinks database={database} draft={withText(draftOf(id, undefined), now)} basePath="/docs" />
    );
  }
  const { path } = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/docs/:id', Component: pageCalled('A document') },
    ],
    '/',
  );
  return { path, change: (next: string) => act(async () => change(next)) };
}

const links = () =>
  screen
    .queryAllByRole('listitem')
    .map((one) => [one.firstChild?.textContent, within(one).getByRole('link').textContent]);

describe('the links of a document', () => {
  test('names the fields, also nested ones, and leads to the documents', async () => {
    const database = await freshDatabase([{ _id: 'rice' }, { _id: 'a/b' }]);
    const text = JSON.stringify({ main: 'rice', also: { of: ['x', 'a/b'] }, again: 'rice', n: 1 });
    const { path } = await draw(database, text);
    await waitFor(() =>
      expect(links()).toEqual([
        ['main', 'rice'],
        ['also › of › 1', 'a/b'],
        ['again', 'rice'],
      ]),
    );
    await act(async () => screen.getByRole('link', { name: 'a/b' }).click());
    expect(path()).toBe('/docs/a%2Fb');
  });

  test('finds every id, and no name that only looks like one', async () => {
    const database = await freshDatabase(HOSTILE_IDS.map((_id) => ({ _id })));
    const text = JSON.stringify({ ids: HOSTILE_IDS, not: ['isPrototypeOf', 'é', '', 'x'.repeat(5000)] });
    await draw(database, text);
    await waitFor(() => expect(links()).toHaveLength(HOSTILE_IDS.length));
    expect(links().every(([field]) => field?.startsWith('ids › '))).toBe(true);
  });

  test('shows nothing for a document without links, and asks nothing of the database', async () => {
    const database = await freshDatabase([{ _id: 'rice' }]);
    const asked = vi.spyOn(database.rows, 'window');
    await draw(database, '{"n": 1, "name": "ä"}');
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect([screen.queryByRole('region', { name: 'Links to documents' }), asked.mock.calls]).toEqual([
      null,
      [],
    ]);
  });

  test('shows no link from a document to itself', async () => {
    const database = await freshDatabase([{ _id: 'rice' }, { _id: 'milk' }]);
    await draw(database, '{"self": "rice", "other": "milk"}', 'rice');
    await waitFor(() => expect(links()).toEqual([['other', 'milk']]));
  });

  test('follows the text, and asks once for what is typed quickly', async () => {
    const database = await freshDatabase([{ _id: 'rice' }, { _id: 'milk' }]);
    const asked = vi.spyOn(database.rows, 'window');
    const { change } = await draw(database, '{"a": "m"}');
    await change('{"a": "mi"}');
    await change('{"a": "milk"}');
    await waitFor(() => expect(links()).toEqual([['a', 'milk']]));
    expect(asked).toHaveBeenCalledTimes(1);
    await change('{"a": "milk", "b"');
    expect(links()).toEqual([]);
    await change('{"b": "rice"}');
    await waitFor(() => expect(links()).toEqual([['b', 'rice']]));
  });

  test('shows at most 50 links', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `d${n}`);
    const database = await freshDatabase(ids.map((_id) => ({ _id })));
    await draw(database, JSON.stringify({ ids }));
    await waitFor(() => expect(links()).toHaveLength(50));
  });

  test('looks at the first 500 different texts', async () => {
    const database = await freshDatabase([{ _id: 'n499' }, { _id: 'n500' }]);
    const texts = Array.from({ length: 501 }, (_, n) => `n${n}`);
    await draw(database, JSON.stringify({ twice: texts.slice(0, 100), texts }));
    await waitFor(() => expect(links()).toEqual([['texts › 499', 'n499']]));
  });

  test('shows no links when the database can’t answer', async () => {
    const database = await freshDatabase([{ _id: 'rice' }]);
    const asked = vi.spyOn(database.rows, 'window').mockRejectedValueOnce(new Error('closed'));
    const { change } = await draw(database, '{"a": "rice"}');
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    expect(links()).toEqual([]);
    await change('{"a": "rice", "b": "x"}');
    await waitFor(() => expect(links()).toEqual([['a', 'rice']]));
  });
});
