import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { withConflict } from '../conflicts/real-conflict.fixture.ts';
import { RestoreDialog } from './restore-dialog.tsx';

withPages();
withEngine();

function Page({ database, head }: { database: Database; head: readonly string[] }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <h1>Documents</h1>
      <UndoBar database={database} />
      {isOpen && <RestoreDialog database={database} head={head} onClose={() => setOpen(false)} />}
    </>
  );
}

const draw = (database: Database, head: readonly string[]) =>
  drawPages([{ path: '/', element: <Page database={database} head={head} /> }], '/');
const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });
const press = async (name: string) => {
  const found = await button(name);
  await act(async () => found.click());
};
const isOpen = () => screen.queryByRole('dialog') !== null;
const contents = async (database: Database) =>
  (await database.allDocs()).rows.map(({ value }) => `${value._id} ${value['n'] ?? ''}`);

/** Returns a database in which `a` was changed, `b` deleted, and `new` created since `then`. */
async function changedSince() {
  const database = await freshLocal([
    { _id: 'a', n: 1 },
    { _id: 'b', n: 1 },
  ]);
  const then = await database.head();
  await database.put({ _id: 'a', n: 2 });
  await database.del('b');
  await database.put({ _id: 'new', n: 2 });
  return { database, then };
}

describe('the dialog that restores all documents', () => {
  test('says what the restore would change before it writes', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    expect(
      await screen.findByText(
        '1 document will get the content of this version, 1 document will be restored, 1 document will be deleted because it was created later.',
      ),
    ).toBeDefined();
    expect(await contents(database)).toEqual(['a 2', 'new 2']);
  });

  test('has nothing to restore for the current version', async () => {
    const database = await freshLocal([{ _id: 'a' }]);
    await draw(database, await database.head());
    await screen.findByText('Nothing has changed since this version.');
    expect((await button('Restore')).disabled).toBe(true);
  });

  test('disables the restore until the versions are compared', async () => {
    const { database, then } = await changedSince();
    let compare: () => void = () => undefined;
    vi.spyOn(database, 'diff').mockReturnValue(
      new Promise((resolve) => {
        compare = () => resolve([]);
      }),
    );
    await draw(database, then);
    expect(screen.getByText('Comparing...')).toBeDefined();
    expect((await button('Restore')).disabled).toBe(true);
    await act(async () => compare());
  });

  test('restores the version, closes, and undoes the restore', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    await screen.findByText(/will be restored/);
    await press('Restore');
    await screen.findByText('Restored 3 documents.');
    await waitFor(() => expect(isOpen()).toBe(false));
    expect(await contents(database)).toEqual(['a 1', 'b 1']);
    await press('Undo');
    await waitFor(async () => expect(await contents(database)).toEqual(['a 2', 'new 2']));
  });

  test('asks before Undo overwrites a later change, and can keep it', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    await screen.findByText(/will be restored/);
    await press('Restore');
    await screen.findByText('Restored 3 documents.');
    await database.put({ _id: 'b', n: 3 });
    await press('Undo');
    expect((await screen.findByRole('alert')).textContent).toContain('b: n is now 3');
    await press('Undo the other 2');
    await screen.findByText(/but not in 1 document that changed since/);
    expect(await contents(database)).toEqual(['a 2', 'b 3', 'new 2']);
  });

  test('writes nothing when it is cancelled', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    await screen.findByText(/will be restored/);
    await press('Cancel');
    await waitFor(() => expect(isOpen()).toBe(false));
    expect(await contents(database)).toEqual(['a 2', 'new 2']);
  });

  test('stays open and shows why a write failed', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    await screen.findByText(/will be restored/);
    vi.spyOn(database, 'bulk').mockRejectedValueOnce(new FixpointError('STORE_FULL'));
    await press('Restore');
    expect((await screen.findByRole('alert')).textContent).toMatch(/storage is full/);
    expect(isOpen()).toBe(true);
    await press('Restore');
    await screen.findByText('Restored 3 documents.');
  });

  test('says how many documents a failed restore wrote, and offers to undo them', async () => {
    const before = Array.from({ length: 600 }, (_, n) => ({ _id: `d${n}`, n: 1 }));
    const database = await freshLocal();
    vi.spyOn(database, 'diff').mockResolvedValue(before.map((after) => ({ id: after._id, after })));
    const write = vi.spyOn(database, 'bulk');
    const ids = before.slice(0, 500).map(({ _id }) => _id);
    write.mockResolvedValueOnce({ ids }).mockRejectedValueOnce(new Error('the disk is full'));
    await draw(database, ['then']);
    await screen.findByText('600 documents will be restored.');
    await press('Restore');
    await screen.findByText('Restored 500 documents, but not the rest: the disk is full');
    await screen.findByText('Restored 500 documents.');
  });

  test('removes the error when the user tries again', async () => {
    const { database, then } = await changedSince();
    await draw(database, then);
    await screen.findByText(/will be restored/);
    const write = vi.spyOn(database, 'bulk').mockRejectedValueOnce(new FixpointError('STORE_FULL'));
    await press('Restore');
    await screen.findByRole('alert');
    let end: () => void = () => undefined;
    write.mockReturnValueOnce(
      new Promise((resolve) => {
        end = () => resolve({ ids: ['a', 'b', 'new'] });
      }),
    );
    await press('Restore');
    expect(screen.queryByRole('alert')).toBe(null);
    expect(screen.getByRole('progressbar', { name: 'Restoring' })).toBeDefined();
    // Until the write ends, the page asks before it is left, also in later tests.
    await act(async () => end());
    await screen.findByText('Restored 3 documents.');
  });

  test('shows why the versions can’t be compared, and offers no restore', async () => {
    const { database, then } = await changedSince();
    vi.spyOn(database, 'diff').mockRejectedValue(new FixpointError('HISTORY_COMPACTED'));
    await draw(database, then);
    expect((await screen.findByRole('alert')).textContent).toMatch(/Compaction removed older versions/);
    expect((await button('Restore')).disabled).toBe(true);
  });

  test('stops a long restore on request, and says how many documents it restored', async () => {
    const before = Array.from({ length: 1200 }, (_, n) => ({ _id: `d${n}`, n: 1 }));
    const database = await freshLocal();
    const write = vi.spyOn(database, 'bulk');
    vi.spyOn(database, 'diff').mockResolvedValue(before.map((after) => ({ id: after._id, after })));
    let stored: () => void = () => undefined;
    write.mockReturnValueOnce(
      new Promise((resolve) => {
        stored = () => resolve({ ids: before.slice(0, 500).map(({ _id }) => _id) });
      }),
    );
    await draw(database, ['then']);
    await screen.findByText('1,200 documents will be restored.');
    await press('Restore');
    expect(screen.getByText('0 of 1,200 documents')).toBeDefined();
    expect((await button('Restore')).disabled).toBe(true);
    const [stop] = screen.getAllByRole('button', { name: 'Cancel' });
    await act(async () => stop?.click());
    await act(async () => stored());
    await screen.findByText('Restored 500 documents.');
    expect(write).toHaveBeenCalledTimes(1);
  });

  test('reports an undo that failed, after the dialog is closed', async () => {
    const { database, then } = await changedSince();
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await draw(database, then);
    await screen.findByText(/will be restored/);
    await press('Restore');
    await screen.findByText('Restored 3 documents.');
    vi.spyOn(database, 'transact').mockRejectedValueOnce(new FixpointError('STORE_FAILED'));
    await press('Undo');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t undo “Restored 3 documents”/);
  });
});

test('leaves documents with a conflict as they are, and says how many', async () => {
  const { database, seen } = await withConflict();
  const [first] = (await database.history('milk')).toReversed();
  await draw(database, [first?.event ?? '']);
  await press('Restore');
  await screen.findByText('Left out 1 document with a conflict. Open it to merge the versions.');
  expect([isOpen(), await database.conflicts('milk')]).toEqual([false, seen]);
  expect(screen.queryByText(/^Restored/)).toBeNull();
});
