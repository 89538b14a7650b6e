import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { ConflictingDocument, Database, Verification } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { CheckPanel } from './check-panel.tsx';

withPages();
withEngine();

const INTACT: Verification = {
  documents: 1200,
  events: 7,
  blocks: 30,
  archives: 2,
  bytes: 2048,
  files: 0,
  filesAbsent: 0,
  damaged: [],
  missing: [],
  missingOfPast: 0,
  signers: [],
  unsigned: 7,
  badSignatures: [],
  unsignedFrom: [],
  backDated: [],
};

const unheard = () => () => undefined;
const QUIET = {
  ...{ device: async () => 'own', subscribe: unheard, onClosed: unheard, onConflicts: unheard },
  conflicts: async () => ({ conflicts: [], unread: [] }),
} as unknown as Database;

const draw = (database: Partial<Database>) => {
  const whole = { ...QUIET, ...database };
  return drawPages([{ path: '/', element: <CheckPanel database={whole} docsPath="/docs" /> }], '/');
};
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const press = (name: string) => act(async () => button(name).click());

/** Returns a check whose progress and result the test controls. */
function controlled() {
  const result = waiting<Verification | Error>();
  let options: Parameters<Database['verify']>[0];
  const verify: Database['verify'] = async (given) => {
    options = given;
    const found = await result.promise;
    given?.signal?.throwIfAborted();
    if (found instanceof Error) throw found;
    return found;
  };
  return {
    verify,
    result,
    progress: (done: number, of: number) => act(async () => void options?.onProgress?.(done, of)),
    signal: () => options?.signal,
  };
}

const verified = async (found: Partial<Verification>) => {
  const { verify, result } = controlled();
  await draw({ verify });
  await press('Verify');
  await result.come({ ...INTACT, ...found });
};
const text = () => document.body.textContent ?? '';

describe('the check of stored data', () => {
  test('starts on request, and finds a real database intact', async () => {
    const database = await freshLocal([{ _id: 'milk' }, { _id: 'rice' }]);
    await draw(database);
    expect(screen.getByText('Not verified yet.')).toBeDefined();
    await press('Verify');
    expect(await screen.findByText('Intact')).toBeDefined();
    expect(text()).toContain('Documents2');
    expect(screen.queryByText('Not verified yet.')).toBe(null);
  });

  test('shows its progress, and can’t be started twice', async () => {
    const { verify, progress } = controlled();
    await draw({ verify });
    await press('Verify');
    expect(button('Verify').disabled).toBe(true);
    await progress(3, 1000);
    expect(screen.getByText('3 of 1,000 archives')).toBeDefined();
    const bar = screen.getByRole<HTMLProgressElement>('progressbar', { name: 'Verifying' });
    expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['3', '1000']);
  });

  test('ends without a result when the user cancels it', async () => {
    const { verify, result, signal, progress } = controlled();
    await draw({ verify });
    await press('Verify');
    await press('Cancel');
    expect(signal()?.aborted).toBe(true);
    await progress(4, 9);
    await result.come(INTACT);
    await waitFor(() => expect(screen.getByText('Not verified yet.')).toBeDefined());
    expect(screen.queryByText('Intact')).toBe(null);
    expect(button('Verify').disabled).toBe(false);
  });

  test('is aborted when the user leaves the page', async () => {
    const { verify, signal } = controlled();
    const { go } = await drawPages(
      [
        {
          path: '/',
          element: <CheckPanel database={{ ...QUIET, verify }} docsPath="/docs" />,
        },
        { path: '/other', element: <h1>Other</h1> },
      ],
      '/',
    );
    await press('Verify');
    await go('/other');
    expect(signal()?.aborted).toBe(true);
  });

  test('shows why it failed, and can be repeated', async () => {
    const { verify, result } = controlled();
    await draw({ verify });
    await press('Verify');
    await result.come(new FixpointError('STORE_UNREADABLE'));
    expect(screen.getByRole('alert').textContent).toMatch(/couldn’t open its storage/);
    expect(button('Verify').disabled).toBe(false);
  });

  test('names each damaged and each missing part, and says what to do', async () => {
    await verified({
      damaged: [{ cid: 'bafy-1', why: 'hash differs' }] as never,
      missing: ['bafy-2'] as never,
    });
    expect(screen.getByText('Damaged')).toBeDefined();
    expect(screen.getByText(/Export the documents that can still be read/)).toBeDefined();
    expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      'bafy-1: hash differs',
      'bafy-2: missing',
    ]);
  });

  test('names commits that somebody changed after they were signed, and wrong times', async () => {
    await verified({ badSignatures: ['bafy-12345678'], backDated: ['a1', 'a2', 'a3', 'a4'] });
    const text = (await screen.findByRole('status')).textContent;
    expect(text).toContain('Somebody changed commit 12345678 after a device signed it.');
    expect(text).toContain('The time of commits a1, a2, a3 and 1 more is more than 10 minutes earlier');
    expect(screen.getByText('Changed')).toBeDefined();
    expect(screen.queryByText('Intact')).toBe(null);
  });

  test('counts blocks that compaction removed, without calling the database damaged', async () => {
    await verified({ missingOfPast: 1500 });
    expect(screen.getByText('Intact')).toBeDefined();
    expect(screen.getByText(/Compaction removed 1,500 blocks of earlier versions/)).toBeDefined();
  });

  test.each([
    [1, '1 attached file is not on this device, and will be fetched when you open it.'],
    [2, '2 attached files are not on this device, and will be fetched when you open them.'],
  ])('says that absent files are fetched later (number of files: %s)', async (filesAbsent, expected) => {
    await verified({ filesAbsent });
    expect(screen.getByText(expected)).toBeDefined();
    expect(screen.getByText('Intact')).toBeDefined();
  });
});

describe('the list of conflicts', () => {
  const version = (event: string, n: number) => ({ event, value: { _id: 'milk', n }, concurrent: true });
  const conflict = (id: string) =>
    ({ id, winner: version('e1', 1), losers: [version('e2', 2)] }) as unknown as ConflictingDocument;

  /** Returns a database whose documents with these ids have conflicts. */
  function databaseWith(...ids: readonly string[]) {
    const listeners = new Set<() => void>();
    const here: { found: readonly ConflictingDocument[] | Error; unread: readonly string[] } = {
      found: ids.map(conflict),
      unread: [],
    };
    const database: Partial<Database> = {
      conflicts: (async () => {
        if (here.found instanceof Error) throw here.found;
        return { conflicts: here.found, unread: here.unread };
      }) as never,
      put: async () => ({}) as never,
      onConflicts: (listener) => {
        const tell = () => listener([], []);
        listeners.add(tell);
        return () => listeners.delete(tell);
      },
    };
    const change = (found: typeof here.found, unread: typeof here.unread = []) =>
      act(async () => {
        Object.assign(here, { found, unread });
        for (const listener of listeners) listener();
      });
    return { database, change };
  }

  test('says that there are no conflicts', async () => {
    await draw(await freshLocal([{ _id: 'milk' }]));
    expect(await screen.findByText('No conflicts found.')).toBeDefined();
  });

  test('links to each document with a conflict, and lets the user resolve it there', async () => {
    await draw(databaseWith('milk').database);
    const link = await screen.findByRole('link', { name: 'milk' });
    expect(link.getAttribute('href')).toBe('/docs/milk');
    expect(screen.getAllByRole('region', { name: 'Conflict' })).toHaveLength(1);
  });

  test('shows a conflict that begins, and removes one that was resolved, here or elsewhere', async () => {
    const { database, change } = databaseWith('milk');
    await draw(database);
    await screen.findByRole('link', { name: 'milk' });
    await change([conflict('milk'), conflict('rice')]);
    expect(screen.getByRole('link', { name: 'rice' })).toBeDefined();
    await change([conflict('rice')]);
    await waitFor(() => expect(screen.queryByRole('link', { name: 'milk' })).toBe(null));
    expect(screen.getByRole('link', { name: 'rice' })).toBeDefined();
  });

  test('shows why conflicts can’t be read, and keeps those that it knows', async () => {
    const { database, change } = databaseWith('milk');
    await draw(database);
    await screen.findByRole('link', { name: 'milk' });
    await change(new FixpointError('CORRUPT'));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
    expect(screen.getByRole('link', { name: 'milk' })).toBeDefined();
  });

  test('lists the known conflicts, and says that others may be missing if a change can’t be read', async () => {
    const { database, change } = databaseWith('milk');
    await draw(database);
    await screen.findByRole('link', { name: 'milk' });
    expect(screen.queryByText(/old change/)).toBe(null);
    await change([conflict('milk')], ['e0']);
    expect(screen.getByText(/Couldn’t read an old change, so more documents may/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'milk' })).toBeDefined();
    await change([], ['e0', 'e1']);
    expect(screen.getByText(/Couldn’t read 2 old changes/)).toBeDefined();
    expect(screen.queryByText('No conflicts found.')).toBe(null);
  });

  test('doesn’t say that no conflicts were found if they can’t be read', async () => {
    const conflicts = () => Promise.reject(new FixpointError('CORRUPT'));
    await draw({ conflicts: conflicts as never });
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
    expect(screen.queryByText('No conflicts found.')).toBe(null);
  });
});
