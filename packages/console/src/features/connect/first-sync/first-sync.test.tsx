import { FixpointError } from '@fixpoint/protocol';
import { act, screen, within } from '@testing-library/react';
import type { SyncStatus } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { FirstSync } from './first-sync.tsx';

withPages();
withEngine();
afterEach(() => void vi.restoreAllMocks());

/** Shows the first sync of a database, whose status `become` changes. */
async function sync(database: BridgedDatabase, first: Partial<SyncStatus> = {}, wasDone = false) {
  let change: (status: Partial<SyncStatus>, isDone: boolean) => void = () => undefined;
  function Page() {
    const [now, set] = useState({
      status: { state: 'catching-up', toSend: 0, toFetch: 0, ...first } as SyncStatus,
      isDone: wasDone,
    });
    change = (status, isDone) => set({ status: { ...now.status, ...status }, isDone });
    return <FirstSync database={database} sync={database} docsPath="/docs" remoteName="pantry" {...now} />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return {
    become: (status: Partial<SyncStatus>, isDone = false) => act(async () => change(status, isDone)),
  };
}

const bar = () => screen.getByRole('progressbar', { name: 'First sync' });
const headline = () => screen.getByRole('status').textContent;
const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;

describe('the progress of a first sync', () => {
  test('has no number until there is something to count', async () => {
    const { become } = await sync(await freshLocal());
    expect([headline(), bar().hasAttribute('value')]).toEqual(['Comparing...', false]);
    expect([fact('Sent'), fact('Fetched'), fact('Rate')]).toEqual(['–', '–', '–']);
    await become({ toSend: 4 });
    expect([headline(), bar().getAttribute('value'), bar().getAttribute('max')]).toEqual(['0%', '0', '100']);
  });

  test('counts what is sent and fetched', async () => {
    const { become } = await sync(await freshLocal(), { toSend: 1500, toFetch: 1 });
    await become({ toSend: 1000, toFetch: 0 });
    expect([fact('Sent'), fact('Fetched')]).toEqual(['500 of 1,500 parts', '1 of 1 part']);
    expect(headline()).toBe('33%');
  });

  test('rounds down, so that 100% is shown only when all is done', async () => {
    const { become } = await sync(await freshLocal(), { toSend: 1000 });
    await become({ toSend: 1 });
    expect(headline()).toBe('99%');
  });

  test('counts work that appears while it runs', async () => {
    const { become } = await sync(await freshLocal(), { toSend: 2 });
    await become({ toSend: 1 });
    expect(headline()).toBe('50%');
    await become({ toSend: 3 });
    expect([headline(), fact('Sent')]).toEqual(['25%', '1 of 4 parts']);
  });

  test('says what happens next, and no longer once it is done', async () => {
    const { become } = await sync(await freshLocal(), { toSend: 2 });
    const next = within(screen.getByRole('region', { name: 'What happens next' }));
    expect(next.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '2 parts followPeople with access to pantry see your documents as they arrive.',
      'Then it syncs by itselfIn every tab, and again after you were offline.',
      'Disconnect keeps both copiesYou find it in the settings of this database.',
    ]);
    await become({ toSend: 1 });
    next.getByText('1 part follows');
    await become({ toSend: 0 }, true);
    expect(screen.queryByRole('region', { name: 'What happens next' })).toBeNull();
  });

  test('keeps its count when the connection is lost and returns', async () => {
    const { become } = await sync(await freshLocal(), { toSend: 4 });
    await become({ toSend: 2 });
    await become({ state: 'offline' });
    expect(headline()).toBe('50%');
    await become({ state: 'catching-up', toSend: 1 });
    expect(headline()).toBe('75%');
  });

  test('says how long the rest takes and how fast it is, once it has run for a second', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const tick = vi.spyOn(globalThis, 'setInterval');
    const { become } = await sync(await freshLocal(), { toSend: 100 });
    const ticking = tick.mock.calls.flatMap(([run, ms]) => (ms === 500 ? [run as () => void] : []));
    await become({ toSend: 80 });
    expect([fact('Rate'), screen.queryByText(/left$/)]).toEqual(['–', null]);
    clock.mockReturnValue(2000);
    await act(async () => {
      for (const run of ticking) run();
    });
    expect(fact('Rate')).toBe('10 parts/s');
    expect(screen.getByText('About 8 seconds left')).toBeDefined();
    await become({ toSend: 0 }, true);
    expect(screen.queryByText(/left$/)).toBeNull();
  });

  test('is complete when both are in sync, also if nothing had to be sent', async () => {
    await sync(await freshLocal(), { state: 'in-sync' }, true);
    expect([headline(), bar().getAttribute('value')]).toEqual(['In sync', '100']);
  });
});

describe('the documents of a first sync', () => {
  test('counts them, and those that the sync added', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    const { become } = await sync(database, { toFetch: 2 });
    await expect.poll(() => fact('On this device')).toBe('1 document');
    await database.bulk([{ _id: 'rice' }, { _id: 'salt' }]);
    await become({ toFetch: 1 });
    await expect.poll(() => fact('On this device')).toBe('3 documents (2 new)');
    await database.bulk([], { del: ['milk', 'rice', 'salt'] });
    await become({ toFetch: 0 });
    await expect.poll(() => fact('On this device')).toBe('0 documents');
  });

  test('compares the documents before, those that were added, and conflicts at the end', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    const conflicts = [{ id: 'milk', winner: {}, losers: [] }];
    vi.spyOn(database, 'conflicts').mockResolvedValue({ conflicts, unread: [] } as never);
    const { become } = await sync(database, { toFetch: 2 });
    await expect.poll(() => fact('On this device')).toBe('1 document');
    expect(screen.queryByRole('region', { name: 'Documents' })).toBeNull();
    await database.bulk([{ _id: 'rice' }, { _id: 'salt' }]);
    await become({ toFetch: 0, state: 'in-sync' }, true);
    await expect
      .poll(() => ['Here before', 'Added here', 'Waiting for you'].map(fact))
      .toEqual(['1', '2', '1']);
  });

  test('ignores a count that is older than the status', async () => {
    const database = await freshLocal();
    const answers: ((count: number) => void)[] = [];
    vi.spyOn(database.rows, 'count').mockImplementation(() => new Promise((end) => answers.push(end)));
    const { become } = await sync(database, { toFetch: 2 });
    await become({ toFetch: 1 });
    const [old, fresh] = answers;
    await act(async () => fresh?.(5));
    await act(async () => old?.(2));
    expect(fact('On this device')).toBe('5 documents');
  });

  test('says that counting failed, and shows the number once it succeeds', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    const count = vi.spyOn(database.rows, 'count').mockRejectedValueOnce(new Error('closed'));
    const { become } = await sync(database, { toFetch: 2 });
    await expect.poll(() => fact('On this device')).toBe('Couldn’t count the documents.');
    await become({ toFetch: 1 });
    await expect.poll(() => fact('On this device')).toBe('1 document');
    // A later failure keeps the number that is known.
    count.mockRejectedValueOnce(new Error('closed'));
    await become({ toFetch: 0 });
    expect(fact('On this device')).toBe('1 document');
  });

  test('does not say that a count failed that the next status ended', async () => {
    const database = await freshLocal();
    vi.spyOn(database.rows, 'count').mockImplementation(
      ({ signal } = {}) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const { become } = await sync(database, { toFetch: 2 });
    await become({ toFetch: 1 });
    expect(fact('On this device')).toBe('Counting documents...');
  });
});

describe('the conflicts that a first sync finds', () => {
  const found = (database: BridgedDatabase, ids: readonly string[]) =>
    vi.spyOn(database, 'conflicts').mockResolvedValue({
      conflicts: ids.map((id) => ({ id, winner: { value: { n: 1 } }, losers: [{ value: { n: 2 } }] })),
      unread: [],
    } as never);
  /** Shows the end of a sync of one document, whose conflicts `conflicts` returns. */
  const done = async (conflicts: () => Promise<unknown>) => {
    const database = await freshLocal([{ _id: 'milk' }]);
    vi.spyOn(database, 'conflicts').mockImplementation(conflicts as never);
    await sync(database, { state: 'in-sync' }, true);
    await expect.poll(() => screen.queryByText('Waiting for you')).not.toBeNull();
  };
  const waitingForYou = () => fact('Waiting for you');
  const list = async () => within(await screen.findByRole('region', { name: 'Conflicts found' }));

  test('links them once the sync is done, and not before', async () => {
    const database = await freshLocal();
    found(database, ['milk/a b']);
    const { become } = await sync(database, { toFetch: 1 });
    expect(screen.queryByRole('region', { name: 'Conflicts found' })).toBeNull();
    await become({ toFetch: 0, state: 'in-sync' }, true);
    const link = (await list()).getByRole('link', { name: 'milk/a b' });
    expect(link.getAttribute('href')).toBe('/docs/milk%2Fa%20b');
    expect(screen.getByRole('heading', { name: '1 conflict to merge' })).toBeDefined();
    // The field in which the versions differ.
    expect(link.closest('li')?.textContent).toBe('milk/a bn');
  });

  test('shows up to five, with the number of the others', async () => {
    const database = await freshLocal();
    found(
      database,
      Array.from({ length: 1205 }, (_, at) => `d-${at}`),
    );
    await sync(database, { state: 'in-sync' }, true);
    const conflicts = await list();
    expect(conflicts.getByRole('heading').textContent).toBe('1,205 conflicts to merge');
    expect(conflicts.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'd-0',
      'd-1',
      'd-2',
      'd-3',
      'd-4',
    ]);
    expect(conflicts.getByText('and 1,200 more')).toBeDefined();
  });

  test('shows no part on the page when there are none', async () => {
    const database = await freshLocal();
    const asked = found(database, []);
    await sync(database, { state: 'in-sync' }, true);
    await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(0);
    expect(screen.queryByRole('region', { name: 'Conflicts found' })).toBeNull();
  });

  test('counts none only once the search has ended', async () => {
    const answer = waiting<unknown>();
    await done(() => answer.promise);
    expect(waitingForYou()).toBe('–');
    await answer.come({ conflicts: [], unread: [] });
    await expect.poll(waitingForYou).toBe('0');
    expect(screen.queryByText(/Couldn’t read/)).toBeNull();
  });

  test('doesn’t count none if a change can’t be read, and says so', async () => {
    await done(async () => ({ conflicts: [], unread: ['e0'] }));
    expect((await screen.findByText(/Couldn’t read/)).textContent?.trim()).toBe(
      'Couldn’t read an old change, so more documents may have a conflict.',
    );
    expect(waitingForYou()).toBe('–');
    expect(screen.queryByRole('region', { name: 'Conflicts found' })).toBeNull();
  });

  test('counts the known conflicts, and says that there may be more', async () => {
    const conflicts = [{ id: 'milk', winner: { value: { n: 1 } }, losers: [{ value: { n: 2 } }] }];
    await done(async () => ({ conflicts, unread: ['e0', 'e1'] }));
    (await list()).getByRole('link', { name: 'milk' });
    expect(waitingForYou()).toBe('1+');
    screen.getByText(/Couldn’t read 2 old changes, so more documents may have a conflict\./);
  });

  test('says why conflicts can’t be looked for, and counts none of them', async () => {
    await done(() => Promise.reject(new FixpointError('CORRUPT')));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
    expect(waitingForYou()).toBe('–');
  });
});
