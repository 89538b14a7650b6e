import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { CommitEvent, Database, DocumentConflicts, Verification } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../../ui/pages.fixture.tsx';
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

const draw = (database: Partial<Database>) => {
  const whole = { subscribe: () => () => undefined, ...database } as Database;
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
          element: (
            <CheckPanel
              database={{ subscribe: () => () => undefined, verify } as unknown as Database}
              docsPath="/docs"
            />
          ),
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

describe('the search for conflicts', () => {
  const version = (event: string, n: number) => ({ event, value: { _id: 'milk', n }, concurrent: true });
  const CONFLICT = { winner: version('e1', 1), losers: [version('e2', 2)] } as unknown as DocumentConflicts;

  /** Returns a database in which `milk` and `rice` were written twice, with these conflicts. */
  function databaseWith(
    conflicts: Record<string, DocumentConflicts | Waiting<DocumentConflicts | undefined>>,
  ) {
    const listeners = new Set<() => void>();
    const here = { conflicts: { ...conflicts } as Record<string, unknown> };
    const event = (id: string, parents: readonly string[]) =>
      ({ event: id, parents, ids: ['milk', 'rice'] }) as unknown as CommitEvent;
    const database: Partial<Database> = {
      events: async () => [event('e2', ['e1']), event('e1', [])],
      conflicts: (async (id: string) => {
        const found = here.conflicts[id];
        return found !== undefined && 'promise' in (found as object)
          ? (found as Waiting<DocumentConflicts | undefined>).promise
          : (found as DocumentConflicts | undefined);
      }) as never,
      put: async () => ({}) as never,
      subscribe: ((listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      }) as never,
    };
    const change = () =>
      act(async () => {
        for (const listener of listeners) listener();
      });
    return { database, here, change };
  }

  test('says that there are no conflicts', async () => {
    await draw(await freshLocal([{ _id: 'milk' }]));
    expect(screen.getByText('Not searched yet.')).toBeDefined();
    await press('Find conflicts');
    expect(await screen.findByText('No conflicts found.')).toBeDefined();
  });

  test('links to each document with a conflict, and lets the user resolve it there', async () => {
    const { database } = databaseWith({ milk: CONFLICT });
    await draw(database);
    await press('Find conflicts');
    const link = await screen.findByRole('link', { name: 'milk' });
    expect(link.getAttribute('href')).toBe('/docs/milk');
    expect(screen.getAllByRole('region', { name: 'Conflict' })).toHaveLength(1);
  });

  test('shows what it found so far, and keeps it when the user cancels', async () => {
    const rice = waiting<DocumentConflicts | undefined>();
    const { database } = databaseWith({ milk: CONFLICT, rice });
    await draw(database);
    await press('Find conflicts');
    expect(await screen.findByText('1 document')).toBeDefined();
    expect(screen.getByRole('link', { name: 'milk' })).toBeDefined();
    expect(button('Find conflicts').disabled).toBe(true);
    await press('Cancel');
    await rice.come(CONFLICT);
    expect(screen.queryByRole('link', { name: 'rice' })).toBe(null);
    expect(screen.getByRole('link', { name: 'milk' })).toBeDefined();
    expect(button('Find conflicts').disabled).toBe(false);
  });

  test('removes a conflict that was resolved, here or elsewhere', async () => {
    const { database, here, change } = databaseWith({ milk: CONFLICT, rice: CONFLICT });
    await draw(database);
    await press('Find conflicts');
    await screen.findByRole('link', { name: 'rice' });
    here.conflicts = { rice: CONFLICT };
    await change();
    await waitFor(() => expect(screen.queryByRole('link', { name: 'milk' })).toBe(null));
    expect(screen.getByRole('link', { name: 'rice' })).toBeDefined();
  });

  test('keeps a conflict whose state can’t be read', async () => {
    const { database, change } = databaseWith({ milk: CONFLICT });
    await draw(database);
    await press('Find conflicts');
    await screen.findByRole('link', { name: 'milk' });
    database.conflicts = () => Promise.reject(new Error('broken'));
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await change();
    expect(screen.getByRole('link', { name: 'milk' })).toBeDefined();
  });

  test('shows why the search failed, and doesn’t say that no conflicts were found', async () => {
    await draw({ events: () => Promise.reject(new FixpointError('CORRUPT')) });
    await press('Find conflicts');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
    expect(screen.queryByText('No conflicts found.')).toBe(null);
  });
});
