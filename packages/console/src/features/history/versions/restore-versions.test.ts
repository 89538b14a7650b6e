import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { withConflict } from '../conflicts/real-conflict.fixture.ts';
import { changesTo, restoreVersion, writeChanges } from './restore-versions.ts';

test('restores a past version, and undoes the restore of documents that didn’t change since', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
  const database = fixpoint('restored', { directory, commitEachWrite: true });
  const { signal } = new AbortController();
  const all = async () => (await database.allDocs()).rows.map(({ value }) => value);
  await database.bulk([
    { _id: 'a', n: 1 },
    { _id: 'b', n: 1 },
    { _id: 'c', n: 1 },
  ]);
  const [then, was] = [await database.head(), await all()];
  await database.put({ _id: 'a', n: 2 });
  await database.del('b');
  await database.put({ _id: 'new', n: 2 });
  const now = await all();

  const changes = await changesTo(database, then);
  expect(changes.map(({ id, before, after }) => [id, before?.['n'], after?.['n']])).toEqual([
    ['a', 2, 1],
    ['b', undefined, 1],
    ['new', 2, undefined],
  ]);
  const seen: number[] = [];
  const written = await writeChanges(database, changes, { signal, onProgress: (n) => seen.push(n) });
  expect([written.restored, seen, await all()]).toEqual([3, [3], was]);
  expect(await changesTo(database, then)).toEqual([]);

  await database.put({ _id: 'b', n: 3 });
  const step = writtenStep(database, 'Restored', written.parts);
  expect((await step.undo('rest'))?.written).toBe(2);
  expect(await all()).toEqual([now[0], { _id: 'b', n: 3 }, ...now.slice(1)]);
  expect(await writeChanges(database, changes, { signal: AbortSignal.abort() })).toEqual({
    restored: 0,
    conflicts: 0,
    parts: [],
  });
  await database.close();
  // Called on a database that is still opening.
  const opening = fixpoint('restored', { directory, commitEachWrite: true });
  expect((await changesTo(opening, then)).map(({ id, before }) => [id, before?.['n']])).toEqual([
    ['a', 2],
    ['b', 3],
    ['new', 2],
  ]);
  await opening.close();
  rmSync(directory, { recursive: true });
});

test('can undo a restore that began while the database was still opening', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
  const written = fixpoint('versions', { directory, commitEachWrite: true });
  await written.put({ _id: 'a', n: 1 });
  await written.put({ _id: 'a', n: 2 });
  const first = (await written.history('a')).at(-1);
  await written.close();

  const database = fixpoint('versions', { directory, commitEachWrite: true });
  const part = await restoreVersion(database, 'a', [first?.event ?? '']);
  expect(await database.get('a')).toEqual({ _id: 'a', n: 1 });
  await writtenStep(database, 'Restored', [part]).undo('ask');
  expect(await database.get('a')).toEqual({ _id: 'a', n: 2 });
  await database.close();
  rmSync(directory, { recursive: true });
});

test('returns what it restored before a batch failed, and undoes that', async () => {
  const database = await freshDatabase([{ _id: 'd000', n: 1 }]);
  const changes = Array.from({ length: 600 }, (_, n) => {
    const id = `d${String(n).padStart(3, '0')}`;
    return { id, before: undefined, after: { _id: id, n: 2 } };
  });
  const bulk = vi
    .fn(database.bulk)
    .mockImplementationOnce(database.bulk)
    .mockRejectedValueOnce(new Error('full'));
  const { signal } = new AbortController();
  const written = await writeChanges({ head: () => database.head(), bulk }, changes, { signal });
  expect([written.restored, written.error]).toEqual([500, new Error('full')]);
  await writtenStep(database, 'Restored', written.parts).undo('ask');
  expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual([{ _id: 'd000', n: 1 }]);
});

test('leaves documents with a conflict as they are', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice', n: 1 }]);
  const then = await database.head();
  const [first] = (await database.history('milk')).slice(-1);
  await database.put({ _id: 'rice', n: 2 });
  const back = { _id: 'milk', litres: 1 };
  const changes = [
    { id: 'milk', before: seen.winner.value, after: back },
    ...(await changesTo(database, then)),
  ];
  const restored = await writeChanges(database, changes, { signal: new AbortController().signal });
  expect(restored).toMatchObject({ restored: 1, conflicts: 1, parts: [{ ids: ['rice'] }] });
  expect(await database.get('rice')).toEqual({ _id: 'rice', n: 1 });
  await expect(restoreVersion(database, 'milk', [first?.event ?? ''])).rejects.toThrow(
    'this document has a conflict',
  );
  expect(await database.conflicts('milk')).toEqual(seen);
});
