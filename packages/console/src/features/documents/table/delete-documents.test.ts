import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { knownConflicts, versionsKey } from '../../../undo/open-conflicts.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { type Deletion, deleteConflicts, deleteDocuments } from './delete-documents.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function* parts(...ids: string[][]) {
  yield* ids;
}

const open = async (name: string) => {
  const database = fixpoint(name, { directory });
  await database.bulk(['a', 'b', 'c', 'd'].map((_id, n) => ({ _id, n, at: { deep: [n] } })));
  return database;
};
const idsIn = async (database: ReturnType<typeof fixpoint>) =>
  (await database.allDocs()).rows.map(({ key }) => key);

const undone = async (database: ReturnType<typeof fixpoint>, { parts }: Deletion) =>
  (await writtenStep(database, 'Deleted', parts).undo('rest'))?.written;

test('restores deleted documents, except documents that were created again since', async () => {
  const database = await open('undone');
  const seen: number[] = [];
  const signal = new AbortController().signal;
  const deletion = await deleteDocuments(database, parts(['a', 'b'], ['d']), {
    signal,
    onProgress: (n) => seen.push(n),
  });
  expect([deletion.deleted, seen, await idsIn(database)]).toEqual([3, [2, 3], ['c']]);
  await database.put({ _id: 'b', n: 'new' });
  expect(await undone(database, deletion)).toBe(2);
  expect(await idsIn(database)).toEqual(['a', 'b', 'c', 'd']);
  expect(await database.get('a')).toEqual({ _id: 'a', n: 0, at: { deep: [0] } });
  expect(await database.get('b')).toEqual({ _id: 'b', n: 'new' });
  await database.close();
});

test('restores documents that were deleted while the database was still opening', async () => {
  await (await open('opening')).close();
  const database = fixpoint('opening', { directory });
  const deletion = await deleteDocuments(database, parts(['a']), { signal: new AbortController().signal });
  expect(await idsIn(database)).toEqual(['b', 'c', 'd']);
  expect(await undone(database, deletion)).toBe(1);
  expect(await database.get('a')).toEqual({ _id: 'a', n: 0, at: { deep: [0] } });
  await database.close();
});

test('keeps the remaining documents when a deletion is aborted, and restores the deleted ones on undo', async () => {
  const database = await open('ended');
  const ending = new AbortController();
  const deletion = await deleteDocuments(database, parts(['a'], ['b', 'c']), {
    signal: ending.signal,
    onProgress: () => ending.abort(),
  });
  expect([deletion.deleted, await idsIn(database)]).toEqual([1, ['b', 'c', 'd']]);
  await undone(database, deletion);
  expect(await idsIn(database)).toEqual(['a', 'b', 'c', 'd']);
  await database.close();
});

test('returns what it deleted before a batch failed, and restores that on undo', async () => {
  const database = await open('failing');
  const bulk = vi
    .fn(database.bulk)
    .mockImplementationOnce(database.bulk)
    .mockRejectedValueOnce(new Error('full'));
  const failing = Object.assign(Object.create(database) as typeof database, { bulk });
  const { signal } = new AbortController();
  const deletion = await deleteDocuments(failing, parts(['a'], ['b', 'c']), { signal });
  expect([deletion.deleted, deletion.error]).toEqual([1, new Error('full')]);
  expect(await undone(database, deletion)).toBe(1);
  expect(await idsIn(database)).toEqual(['a', 'b', 'c', 'd']);
  await database.close();
});

describe('the deletion of documents with a conflict', () => {
  const { signal } = new AbortController();

  test('keeps them with their versions, and names each once', async () => {
    const { database, seen } = await withConflict([{ _id: 'rice' }]);
    const deletion = await deleteDocuments(database, parts(['milk', 'rice'], ['milk']), { signal });
    expect(deletion).toMatchObject({ deleted: 1, conflicts: ['milk'], parts: [{ ids: ['rice'] }] });
    expect(await database.conflicts('milk')).toEqual(seen);
  });

  test('deletes all versions that the user was asked about; Undo brings back the current one', async () => {
    const { database, seen } = await withConflict();
    const deletion = await deleteConflicts(database, new Map([['milk', versionsKey(seen)]]), { signal });
    expect(deletion.deleted).toBe(1);
    expect([await idsIn(database), await database.conflicts('milk')]).toEqual([[], undefined]);
    expect(await undone(database, { ...deletion, conflicts: [] })).toBe(1);
    expect(await database.get('milk')).toEqual(seen.winner.value);
  });

  test('keeps them if another version has arrived since, even just before the commit', async () => {
    const { database, other, meet, seen } = await withConflict();
    const asked = new Map([['milk', versionsKey(seen)]]);
    await other.put({ _id: 'milk', litres: 8 });
    const seenBy: string[] = [];
    const head = async () => {
      seenBy.push(versionsKey((await database.conflicts('milk')) ?? seen));
      if (seenBy.length === 1) {
        await database.put({ _id: 'milk', litres: 7 });
        await meet();
      }
      return database.head();
    };
    const late = Object.assign(Object.create(database) as typeof database, { head });
    expect((await deleteConflicts(late, asked, { signal })).deleted).toBe(0);
    expect(seenBy).toHaveLength(2);
    expect(await database.conflicts('milk')).toMatchObject({ losers: [{}] });
  });

  test('keeps documents that somebody has merged since', async () => {
    const { database, seen } = await withConflict();
    await database.put({ _id: 'milk', litres: 9 });
    expect(
      (await deleteConflicts(database, new Map([['milk', versionsKey(seen)]]), { signal })).deleted,
    ).toBe(0);
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 9 });
  });

  test('reports the error of a batch that failed', async () => {
    const { database, seen } = await withConflict();
    vi.spyOn(database, 'transact').mockRejectedValueOnce(new Error('full'));
    const asked = new Map([['milk', versionsKey(seen)]]);
    expect(await deleteConflicts(database, asked, { signal })).toEqual({
      deleted: 0,
      parts: [],
      error: new Error('full'),
    });
  });

  test('deletes documents whose versions could not be read for the question, and still can’t', async () => {
    const { database, seen } = await withConflict();
    const found = (events: readonly string[]) => [{ id: 'milk', events }] as never;
    const conflicts = vi.spyOn(database, 'conflicts').mockResolvedValue(found([]));
    const asked = await knownConflicts(database, ['milk']);
    conflicts.mockResolvedValueOnce(found([seen.winner.event]));
    expect((await deleteConflicts(database, asked, { signal })).deleted).toBe(0);
    expect((await deleteConflicts(database, asked, { signal })).deleted).toBe(1);
    expect(await idsIn(database)).toEqual([]);
  });

  test('reports its progress, and stops between batches', async () => {
    const { database, seen } = await withConflict();
    const ending = new AbortController();
    const progress: number[] = [];
    const others = Array.from({ length: 500 }, (_, n) => [`d${n}`, 'unknown'] as const);
    const asked = new Map<string, string>([['milk', versionsKey(seen)], ...others, ['last', 'unknown']]);
    const transact = vi.spyOn(database, 'transact');
    const onProgress = (deleted: number) => {
      progress.push(deleted);
      ending.abort();
    };
    const deletion = await deleteConflicts(database, asked, { signal: ending.signal, onProgress });
    expect([deletion.deleted, progress, transact.mock.calls.length]).toEqual([1, [1], 1]);
  });
});
