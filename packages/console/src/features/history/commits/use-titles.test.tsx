import { cleanup, renderHook, waitFor } from '@testing-library/react';
import type { CommitEvent } from 'fixpoint';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { useTitles } from './use-titles.ts';

withEngine();
afterEach(cleanup);

async function latest(docs: readonly object[]) {
  const database = await freshLocal([]);
  await database.bulk(docs.map((doc) => ({ ...doc })));
  const [commit] = await database.events({ limit: 1 });
  return { database, commit: commit as CommitEvent };
}

const shown = (...given: Parameters<typeof useTitles>) => renderHook(() => useTitles(...given)).result;

describe('the titles of the documents of a commit', () => {
  test('reads titles at the commit, not from later versions', async () => {
    const { database, commit } = await latest([
      { _id: 'a', name: 'Ada' },
      { _id: 'b', title: 'Bees' },
    ]);
    await database.put({ _id: 'a', name: 'Augusta' });
    const titles = shown(database, commit, true);
    await waitFor(() =>
      expect([...titles.current].sort()).toEqual([
        ['a', 'Ada'],
        ['b', 'Bees'],
      ]),
    );
  });

  test('reads the titles of deleted documents before the commit', async () => {
    const { database } = await latest([{ _id: 'a', name: 'Ada' }]);
    await database.del('a');
    const [deletion] = await database.events({ limit: 1 });
    const titles = shown(database, deletion as CommitEvent, true);
    await waitFor(() => expect([...titles.current]).toEqual([['a', 'Ada']]));
  });

  test('has no title for documents without a text', async () => {
    const { database, commit } = await latest([
      { _id: 'a', litres: 1 },
      { _id: 'b', name: 'Bees' },
    ]);
    const titles = shown(database, commit, true);
    await waitFor(() => expect([...titles.current]).toEqual([['b', 'Bees']]));
  });

  test('reads no titles while a changed field is shown, or when the content was dropped', async () => {
    const { database, commit } = await latest([{ _id: 'a', name: 'Ada' }]);
    const at = vi.spyOn(database, 'at');
    shown(database, commit, false);
    shown(database, { ...commit, isDropped: true }, true);
    shown(database, { ...commit, isHorizon: true }, true);
    expect(at).not.toHaveBeenCalled();
  });

  test('reads titles again after a failure', async () => {
    const { database, commit } = await latest([{ _id: 'a', name: 'Ada' }]);
    const at = vi.spyOn(database, 'at').mockImplementationOnce(() => {
      throw new Error('disk');
    });
    expect([...shown(database, commit, true).current]).toEqual([]);
    await waitFor(() => expect(at).toHaveBeenCalled());
    const titles = shown(database, commit, true);
    await waitFor(() => expect([...titles.current]).toEqual([['a', 'Ada']]));
  });
});
