import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { afterAll, expect, test } from 'vitest';
import { type Editable, editDocuments, editField, previewEdit } from './edit-field.ts';

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

test('a preview says what would change, and changes nothing', async () => {
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

test('an edit of many is undone where it still stands; other changes of these documents stay', async () => {
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
  expect(await edited.undo()).toBe(2);
  expect(await statesIn()).toEqual(['again', 'done', undefined, { deep: [1] }]);
  expect(await database.get('d')).toEqual({ _id: 'd', state: { deep: [1] }, n: 'other' });
  await database.close();
});

test('an edit that was begun before the database was open is undone, too', async () => {
  await (await open('opening')).database.close();
  const { database, editable, statesIn } = opening('opening');
  const edited = await editDocuments(editable, ids, { field: 'state', value: 'done' }, { signal });
  expect(await statesIn()).toEqual(['done', 'done', 'done', 'done']);
  expect(await edited.undo()).toBe(3);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

test('a field that is taken away comes back, and an edit that is ended keeps what it did', async () => {
  const { database, editable, statesIn } = await open('ended');
  const ending = new AbortController();
  const edited = await editDocuments(
    editable,
    ids,
    { field: 'state', value: undefined },
    { signal: ending.signal, onProgress: () => ending.abort() },
  );
  expect([edited.edited, await statesIn()]).toEqual([2, [undefined, undefined, undefined, { deep: [1] }]]);
  expect(await edited.undo()).toBe(2);
  expect(await statesIn()).toEqual(['new', 'done', undefined, { deep: [1] }]);
  await database.close();
});

test('a cell that was changed elsewhere while it was typed in is not overwritten', async () => {
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
