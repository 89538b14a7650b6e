import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useSearchParams } from 'react-router';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { localPages } from '../../../local/database-pages.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { withSizes } from '../../../ui/sizes.fixture.ts';
import { withConflict } from '../conflicts/real-conflict.fixture.ts';
import { PastDocument, PastDocuments } from './past-view.tsx';
import { atSearch, headIn } from './version-address.ts';

withPages();
withEngine();
withSizes();

interface Given {
  readonly database: BridgedDatabase;
  readonly at: readonly string[];
  /** Shows this document instead of all. */
  readonly id?: string;
  readonly more?: string;
  readonly writing?: Writing;
}

async function draw({ database, at, id, more = '', writing = 'allowed' }: Given) {
  const pages = localPages('/db');
  function Page() {
    const head = headIn(useSearchParams()[0]);
    if (head === undefined) return <h1>Current version</h1>;
    const props = { database, head, pages };
    return (
      <WritingContext value={writing}>
        {id === undefined ? <PastDocuments {...props} /> : <PastDocument {...props} id={id} />}
      </WritingContext>
    );
  }
  const path = id === undefined ? '/db' : `/db/docs/${id}`;
  const routes = [
    { path, Component: Page },
    { path: '/db/query', Component: pageCalled('Query') },
  ];
  return drawPages(routes, `${path}?${atSearch(at)}${more}`);
}

const link = (name: string) => screen.findByRole('link', { name });
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};

/** Returns a database in which milk was changed and rice deleted since `then`. */
async function changed() {
  const database = await freshLocal([
    { _id: 'milk', litres: 1 },
    { _id: 'rice', kilos: 2 },
  ]);
  const then = await database.head();
  await database.put({ _id: 'milk', litres: 5 });
  await database.del('rice');
  return { database, then };
}

describe('the page of a past version', () => {
  test('lists the documents with the fields and values that they had', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    const grid = await screen.findByRole('grid', { name: 'Documents in this version' });
    const rows = within(grid).getAllByRole('row').slice(1);
    expect(
      rows.map((row) =>
        within(row)
          .getAllByRole('gridcell')
          .map((cell) => cell.textContent),
      ),
    ).toEqual([
      ['milk', '', '1'],
      ['rice', '2', ''],
    ]);
    expect(screen.getByText('2 documents in this version')).toBeDefined();
  });

  test('links to the same version of each document', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    expect((await link('milk')).getAttribute('href')).toBe(`/db/docs/milk?at=${then[0]}`);
  });

  test('says that the version has no documents', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await database.del('milk');
    const then = await database.head();
    await database.put({ _id: 'rice' });
    await draw({ database, at: then });
    expect(await screen.findByText('This version has no documents.')).toBeDefined();
  });

  test('says when the version was written and that it is read-only, names its commit, and links to the current version', async () => {
    const { database, then } = await changed();
    const { path } = await draw({ database, at: then });
    expect((await screen.findByText(/You can’t change anything here/)).textContent).toMatch(
      /^Today, \d+:\d+\s[AP]M\. You can’t change anything here\.$/,
    );
    expect((await screen.findByText(/2 commits before the latest/)).textContent).toContain(
      then[0]?.slice(-8),
    );
    const back = await link('Back to now');
    await act(async () => back.click());
    expect([path(), screen.getByRole('heading').textContent]).toEqual(['/db', 'Current version']);
  });

  test('links to queries of the same version', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    expect((await link('Query this version')).getAttribute('href')).toBe(`/db/query?at=${then[0]}`);
  });

  test('compares the documents with the current ones, and returns to the list', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    const compare = await link('Changes since');
    await act(async () => compare.click());
    expect(await screen.findByText('2 documents have changed since this version')).toBeDefined();
    const headings = screen.getAllByRole('heading', { level: 3 }).map((one) => one.textContent);
    expect(headings).toEqual(['milk changed', 'rice deleted']);
    const back = await link('Documents in this version');
    await act(async () => back.click());
    expect(await screen.findByRole('grid')).toBeDefined();
  });

  test('says that nothing changed since the version, until a document changes', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await draw({ database, at: await database.head(), more: '&changes' });
    expect(await screen.findByText('Nothing has changed since this version.')).toBeDefined();
    await database.put({ _id: 'tea' });
    expect(await screen.findByText('1 document has changed since this version')).toBeDefined();
  });

  test('lets users restore the version if they may write', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    await press('Restore...');
    expect(await screen.findByRole('dialog', { name: 'Restore all documents' })).toBeDefined();
  });

  test('offers no restore to users who can only read', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then, writing: 'no right' });
    await screen.findByRole('grid');
    expect(screen.queryByRole('button', { name: 'Restore...' })).toBe(null);
  });

  test('waits for a missing version, and shows the version once it has arrived', async () => {
    const { database, then } = await changed();
    let isThere = false;
    const real = database.at.bind(database);
    vi.spyOn(database, 'at').mockImplementation((head) => {
      const view = real(head);
      const missing = () => Promise.reject(new FixpointError('MISSING_BLOCK'));
      return isThere ? view : { ...view, allDocs: missing };
    });
    await draw({ database, at: then });
    expect(await screen.findByText('You don’t have this version yet')).toBeDefined();
    expect((await link('Show all changes')).getAttribute('href')).toBe('/db/history');
    isThere = true;
    await database.put({ _id: 'tea' });
    expect(await screen.findByRole('grid')).toBeDefined();
    expect(screen.queryByText('You don’t have this version yet')).toBe(null);
  });

  test('explains an address that was cut off', async () => {
    const { database } = await changed();
    await draw({ database, at: ['bafy-cut'] });
    expect(await screen.findByText('This link doesn’t lead to a version')).toBeDefined();
    expect(await link('Back to now')).toBeDefined();
  });
});

describe('one document of a past version', () => {
  test('is shown next to its current content', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then, id: 'milk' });
    expect((await screen.findByText('"litres": 1', { exact: false })).tagName).toBe('DEL');
    expect(screen.getByText('"litres": 5', { exact: false }).tagName).toBe('INS');
    expect(screen.getAllByRole('columnheader').map((one) => one.textContent)).toEqual(['-Then', '+Now']);
  });

  test('says that the document doesn’t exist any more', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then, id: 'rice' });
    expect(await screen.findByText('Now: no document')).toBeDefined();
  });

  test('says that the document didn’t exist yet', async () => {
    const { database, then } = await changed();
    await database.put({ _id: 'tea' });
    await draw({ database, at: then, id: 'tea' });
    expect(await screen.findByText('This version: no document')).toBeDefined();
  });

  test('restores the document', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then, id: 'rice' });
    await press('Restore this version');
    await screen.findByText('Document restored.');
    expect(await database.get('rice')).toEqual({ _id: 'rice', kilos: 2 });
  });

  test('restores no version of a document with a conflict', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, seen } = await withConflict();
    const [first] = (await database.history('milk')).toReversed();
    await draw({ database, at: [first?.event ?? ''], id: 'milk' });
    await press('Restore this version');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t restore this version: this document has a conflict. Choose a version or merge them first.',
    );
    expect(await database.conflicts('milk')).toEqual(seen);
  });

  test('reports a restore that failed', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, then } = await changed();
    vi.spyOn(database, 'bulk').mockRejectedValue(new FixpointError('STORE_FULL'));
    await draw({ database, at: then, id: 'rice' });
    await press('Restore this version');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t restore this version/);
  });

  test('offers no restore to users who can only read', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then, id: 'rice', writing: 'locked' });
    expect((await link('All documents in this version')).getAttribute('href')).toBe(`/db?at=${then[0]}`);
    expect(screen.queryByRole('button', { name: 'Restore this version' })).toBe(null);
  });
});

describe('the slider through the versions', () => {
  const slider = () => screen.findByRole<HTMLInputElement>('slider', { name: 'Point in time' });
  const position = async () => (await slider()).getAttribute('aria-valuetext');

  test('describes the version by its distance from the latest commit, and by what its commit wrote', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    await waitFor(async () => expect(await position()).toBe('2 commits before the latest: Wrote milk, rice'));
    expect([(await slider()).min, (await slider()).max, (await slider()).value]).toEqual(['-3', '0', '-2']);
  });

  test('moves to a newer version, and shows the documents of that version', async () => {
    const { database, then } = await changed();
    const { path } = await draw({ database, at: then });
    await waitFor(async () => expect((await slider()).disabled).toBe(false));
    await press('Newer');
    expect(await position()).toBe('1 commit before the latest: Wrote milk');
    expect(await screen.findByText('5')).toBeDefined();
    expect(path()).not.toContain(then[0]);
    await press('Newer');
    expect(await position()).toBe('Latest commit: Deleted rice');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Newer' }).disabled).toBe(true);
    expect(await screen.findByText('1 document in this version')).toBeDefined();
  });

  test('ends at the oldest version', async () => {
    const { database, then } = await changed();
    await draw({ database, at: then });
    await waitFor(async () => expect((await slider()).disabled).toBe(false));
    await press('Older');
    expect(await position()).toBe('3 commits before the latest: Database created');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Older' }).disabled).toBe(true);
  });

  test('keeps the other parameters of the address', async () => {
    const { database, then } = await changed();
    const { path } = await draw({ database, at: then, more: '&changes=' });
    await waitFor(async () => expect((await slider()).disabled).toBe(false));
    await press('Newer');
    await waitFor(() => expect(path()).toMatch(/^\/db\?at=[^&]+&changes=$/));
    await waitFor(() => expect(path()).not.toContain(then[0]));
  });
});
