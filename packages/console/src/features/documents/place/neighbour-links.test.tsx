import { act, screen, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useParams } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { runPageAction } from '../../../ui/page-actions.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { NeighbourLinks } from './neighbour-links.tsx';
import { writeView } from './table-view.ts';

withPages();
beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

const DOCS = ['a', 'b', 'c', 'd'].map((_id, n) => ({ _id, n: 10 - n, isEven: n % 2 === 0 }));

/** Renders the links of a document, after the table was left with this search. */
async function draw(at: string, search?: string, given?: BridgedDatabase) {
  const database = given ?? (await freshDatabase(DOCS));
  if (search !== undefined) writeView(database.name, { search, place: undefined, chosen: undefined });
  const Page = () => <NeighbourLinks database={database} id={useParams()['id'] ?? ''} basePath="/docs" />;
  const pages = await drawPages(
    [
      { path: '/docs/:id', Component: Page },
      { path: '/elsewhere', Component: pageCalled('Elsewhere') },
    ],
    `/docs/${at}`,
  );
  return { ...pages, database };
}

const link = (name: RegExp) => screen.queryByRole('link', { name })?.getAttribute('href');
const links = () => [link(/^Previous/), link(/^Next/)];
const says = (text: string) => screen.findByText(text);

describe('the links to the neighbours of a document', () => {
  test.each<[string, string | undefined, string | undefined, string | undefined, string]>([
    ['b', undefined, '/docs/a', '/docs/c', '2 of 4'],
    ['a', undefined, undefined, '/docs/b', '1 of 4'],
    ['d', '', '/docs/c', undefined, '4 of 4'],
    ['b', '?sort=n', '/docs/c', '/docs/a', '3 of 4'],
    ['b', '?sort=-n', '/docs/a', '/docs/c', '2 of 4'],
    ['a', '?filter=isEven+%3D+true', undefined, '/docs/c', '1 of 2'],
  ])('leads from %s in the table with the search %j', async (at, search, previous, next, place) => {
    await draw(at, search);
    await says(place);
    expect(links()).toEqual([previous, next]);
  });

  test.each([
    ['b', '?filter=isEven+%3D+true'],
    ['gone', ''],
  ])('shows nothing for %s when the table with %j doesn’t show it', async (at, search) => {
    const { database } = await draw(at, search);
    await act(async () => void (await database.rows.count()));
    expect(screen.queryByRole('navigation')).toBeNull();
    expect([runPageAction('nextDocument'), runPageAction('previousDocument')]).toEqual([false, false]);
  });

  test('encodes ids that have a meaning in addresses', async () => {
    await draw('b', '', await freshDatabase([{ _id: 'a/?#' }, { _id: 'b' }, { _id: 'new' }]));
    await says('2 of 3');
    expect(links()).toEqual(['/docs/a%2F%3F%23', '/docs/~new']);
  });

  test('follows keys until the ends of the table', async () => {
    const { path } = await draw('b');
    await says('2 of 4');
    const go = async (to: 'nextDocument' | 'previousDocument') => {
      let isDone = false;
      await act(async () => {
        isDone = runPageAction(to);
      });
      return [isDone, path()];
    };
    expect(await go('nextDocument')).toEqual([true, '/docs/c']);
    await says('3 of 4');
    await go('nextDocument');
    await says('4 of 4');
    expect(await go('nextDocument')).toEqual([false, '/docs/d']);
    expect(await go('previousDocument')).toEqual([true, '/docs/c']);
  });

  test('shows no links of another document while the new one is looked up', async () => {
    const { database, go } = await draw('b');
    await says('2 of 4');
    const asked = vi.spyOn(database.rows, 'window').mockReturnValue(new Promise(() => undefined));
    await go('/docs/c');
    expect([asked.mock.calls.length > 0, links(), runPageAction('nextDocument')]).toEqual([
      true,
      [undefined, undefined],
      false,
    ]);
  });

  test('follows changes of the database', async () => {
    const { database } = await draw('b');
    await says('2 of 4');
    await act(async () => void (await database.bulk([{ _id: 'ab' }, { _id: 'b5' }])));
    await says('3 of 6');
    expect(links()).toEqual(['/docs/ab', '/docs/b5']);
    await act(async () => void (await database.del('b')));
    await waitFor(() => expect(screen.queryByRole('navigation')).toBeNull());
  });

  test('shows nothing when the database can’t answer, and looks again after a change', async () => {
    const database = await freshDatabase(DOCS);
    const asked = vi.spyOn(database.rows, 'window').mockRejectedValue(new Error('closed'));
    await draw('b', '', database);
    await waitFor(() => expect(asked).toHaveBeenCalled());
    expect(screen.queryByRole('navigation')).toBeNull();
    asked.mockRestore();
    await act(async () => void (await database.put({ _id: 'e' })));
    await says('2 of 5');
  });

  test('stops following when the page is left', async () => {
    const { database, go } = await draw('b');
    await says('2 of 4');
    const asked = vi.spyOn(database.rows, 'window');
    await go('/elsewhere');
    await act(async () => void (await database.put({ _id: 'e' })));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(asked).not.toHaveBeenCalled();
  });
});
