import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { afterAll, expect, test, vi } from 'vitest';
import { writtenStep } from '../../../undo/written-step.ts';
import { beforeConflict, withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { type Editable, type Edited, editDocuments, editField, previewEdit } from './edit-field.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { signal } = new AbortController();

async function* ids() {
  yield ['a', 'b'];
  yield ['c', 'd', 'gone'];
}

async function open(name: string) {
  const opened = opening(name);
  await opened.database.bulk([
    { _id: 'a', state: 'new', n: 1 },
    { _id: 'b', state: 'done', n: 2 },
    { _id: 'c', n: 3 },
    { _id: 'd', state: { deep: [1] }, n: 4 },
  ]);
  return opened;
}

function opening(name: string) {
  const database = fixpoint(name, { directory });
  const editable: Editable = Object.assign(Object.create(database) as typeof database, {
    rows: rowsOf(database),
  });
  const statesIn = async () => (await database.allDocs()).rows.map(({ value }) => value['state']);
  return { database, editable, statesIn };
}

test('previews the changes without writing them', async () => {
  const { database, editable, statesIn } = await open('preview');
  const edit = { field: 'state', value: 'done' };
  expect(await previewEdit(editable, ids, edit, { signal })).toEqual({
    looked: 4,
    changed: 2,
    added: 1,
    same: 1,
    samples: [
      { id: 'a', before: 'new' },
      { id: 'c', before: undefined },
      { id: 'd', before: { deep: [1] } },
    ],
  });
  expect(await previewEdit(editable, ids, { field: 'state', value: undefined }, { signal })).toMatchObject({
    changed: 3,
    same: 1,
  });
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

const undone = async (database: Parameters<typeof writtenStep>[0], { parts }: Edited) =>
  (await writtenStep(database, 'Edited', parts).undo('rest'))?.written;

test('undoes a bulk edit only where the field still has the written value, and keeps other changes', async () => {
  const { database, editable, statesIn } = await open('undone');
  const seen: number[] = [];
  const edited = await editDocuments(
    editable,
    ids,
    { field: 'state', value: 'done' },
    { signal, onProgress: (n) => seen.push(n) },
  );
  expect([edited.edited, seen, await statesIn()]).toEqual([3, [2, 4], ['done', 'done', 'done', 'done']]);
  await database.put({ _id: 'a', state: 'again' });
  await database.put({ _id: 'd', state: 'done', n: 'other' });
  expect(await undone(database, edited)).toBe(2);
  expect(await statesIn()).toEqual(['again', 'done', undefined, { deep: [1] }]);
  expect(await database.get('d')).toEqual({ _id: 'd', state: { deep: [1] }, n: 'other' });
  await database.close();
});

test('undoes an edit that began while the database was still opening', async () => {
  await (await open('opening')).database.close();
  const { database, editable, statesIn } = opening('opening');
  const edited = await editDocuments(editable, ids, { field: 'state', value: 'done' }, { signal });
  expect(await statesIn()).toEqual(['done', 'done', 'done', 'done']);
  expect(await undone(database, edited)).toBe(3);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

test('keeps the changes that an aborted edit made, and undoes them', async () => {
  const { database, editable, statesIn } = await open('ended');
  const ending = new AbortController();
  const edited = await editDocuments(
    editable,
    ids,
    { field: 'state', value: undefined },
    { signal: ending.signal, onProgress: () => ending.abort() },
  );
  expect([edited.edited, await statesIn()]).toEqual([2, [undefined, undefined, undefined, { deep: [1] }]]);
  expect(await undone(database, edited)).toBe(2);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

test('returns what it edited before a batch failed, and undoes that', async () => {
  const { database, editable, statesIn } = await open('failing');
  const transact = vi
    .fn(database.transact)
    .mockImplementationOnce(database.transact)
    .mockRejectedValueOnce(new Error('full')) as Editable['transact'];
  const edited = await editDocuments(
    Object.assign(editable, { transact }),
    ids,
    { field: 'state', value: 7 },
    { signal },
  );
  expect([edited.edited, edited.error]).toEqual([2, new Error('full')]);
  expect(await statesIn()).toEqual([7, 7, undefined, { deep: [1] }]);
  expect(await undone(database, edited)).toBe(2);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

test('keeps a field that changes after the documents were read', async () => {
  const { database, editable, statesIn } = await open('overtaken');
  let changes = ['later', undefined, 'last'];
  const transact: Editable['transact'] = async (work) => {
    const [n, ...others] = changes;
    changes = others;
    if (n !== undefined) await database.put({ _id: 'a', state: 'new', n });
    return database.transact(work);
  };
  const given: Editable = Object.assign(Object.create(editable) as Editable, { transact });
  const edited = await editDocuments(given, ids, { field: 'state', value: 7 }, { signal });
  expect(await database.get('a')).toEqual({ _id: 'a', state: 7, n: 'later' });
  expect(await undone(database, edited)).toBe(4);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await editField(given, 'a', { field: 'state', value: 8 }, 'new');
  expect(await database.get('a')).toEqual({ _id: 'a', state: 8, n: 'last' });
  await database.close();
});

test('doesn’t overwrite a cell that changed elsewhere during typing', async () => {
  const { database, editable, statesIn } = await open('cell');
  await editField(editable, 'a', { field: 'state', value: 7 }, 'new');
  await expect(editField(editable, 'a', { field: 'state', value: 8 }, 'new')).rejects.toThrow(
    'changed elsewhere',
  );
  await editField(editable, 'a', { field: 'state', value: undefined }, 7);
  expect((await statesIn())[0]).toBeUndefined();
  expect(await database.get('a')).toEqual({ _id: 'a', n: 1 });
  await database.close();
});

test('leaves documents with a conflict as they are, and edits the others', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice', litres: 0 }]);
  const all = async function* all() {
    yield ['milk', 'rice'];
  };
  const edited = await editDocuments(database, all, { field: 'litres', value: 9 }, { signal });
  expect(edited).toMatchObject({ edited: 1, conflicts: 1, parts: [{ ids: ['rice'] }] });
  expect(await database.conflicts('milk')).toEqual(seen);
  expect(await database.get('rice')).toEqual({ _id: 'rice', litres: 9 });
  // The document has this value already, so the edit wouldn't change it.
  const { litres } = await database.get<{ litres: number }>('milk');
  const same = await editDocuments(database, all, { field: 'litres', value: litres }, { signal });
  expect(same.conflicts).toBe(0);
});

test('rejects a typed value for a document with a conflict, also if the conflict begins just before', async () => {
  const { database, meet } = await beforeConflict();
  const edit = { field: 'more', value: 1 };
  const runs: number[] = [];
  const conflicts = async (ids: readonly string[]) => {
    const found = await database.conflicts(ids);
    runs.push(found.length);
    // The first run of the transaction sees no conflict.
    if (runs.length === 1) await meet();
    return found;
  };
  const late = Object.assign(Object.create(database) as typeof database, { conflicts });
  await expect(editField(late, 'milk', edit, undefined)).rejects.toThrow('this document has a conflict');
  expect(runs).toEqual([0, 1]);
  const seen = await database.conflicts('milk');
  await expect(editField(database, 'milk', edit, undefined)).rejects.toThrow('this document has a conflict');
  expect([seen?.losers.length, await database.conflicts('milk')]).toEqual([1, seen]);
});
