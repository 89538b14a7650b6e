import { FixpointError } from '@fixpoint/protocol';
import type { Database, DocumentConflicts, Stored } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { versionsKey } from '../../../undo/open-conflicts.ts';
import { type WrittenPart, writtenStep } from '../../../undo/written-step.ts';
import { withConflict, withDeletion } from './real-conflict.fixture.ts';
import { resolveConflict } from './resolve-conflict.ts';

const file = (cid: string) => ({ cid, size: 1, file: () => undefined });
const version = (event: string, value: object | undefined) =>
  ({
    event,
    parents: [],
    concurrent: true,
    ...(value && { value }),
  }) as unknown as DocumentConflicts['winner'];
const SHOWN = { _id: 'milk', litres: 1, _files: { 'p.png': file('a') } };
const SEEN: DocumentConflicts = {
  winner: version('w', SHOWN),
  losers: [version('o', { _id: 'milk', litres: 2 })],
};

interface Given {
  readonly conflicts?: DocumentConflicts | undefined;
  readonly stored?: object | undefined;
  readonly failure?: Error;
}

/** A database with this conflict, and this document when the transaction reads it. */
function databaseOf(given: Given = {}) {
  const writes: unknown[] = [];
  const conflicts = 'conflicts' in given ? given.conflicts : SEEN;
  const stored = 'stored' in given ? given.stored : { ...SHOWN, _files: { 'p.png': file('a') } };
  const database = {
    conflicts: async () => conflicts,
    head: async () => ['head'],
    transact: async (how: (transaction: unknown) => Promise<unknown>) =>
      how({
        get: async () => {
          if (given.failure !== undefined) throw given.failure;
          if (stored === undefined) throw new FixpointError('NOT_FOUND');
          return stored;
        },
        put: (doc: unknown) => void writes.push(doc),
        del: (id: string) => void writes.push({ deleted: id }),
      }),
  } as unknown as Database;
  return { database, writes };
}

const MERGED = { _id: 'milk', litres: 3 } as Stored;

describe('ending a conflict', () => {
  test('writes nothing if another version arrives just before the write', async () => {
    const { database, writes } = databaseOf();
    const more = { ...SEEN, losers: [...SEEN.losers, version('new', { _id: 'milk', litres: 9 })] };
    const answers = [SEEN, more];
    const changing = { ...database, conflicts: async () => answers.shift() } as unknown as Database;
    expect(await resolveConflict(changing, 'milk', SEEN, MERGED)).toBeUndefined();
    expect(writes).toEqual([]);
  });

  test('writes the document, and returns the change for Undo', async () => {
    const { database, writes } = databaseOf();
    expect(await resolveConflict(database, 'milk', SEEN, MERGED)).toEqual({
      kept: [{ id: 'milk', before: SHOWN, after: MERGED }],
    });
    expect(writes).toEqual([MERGED]);
  });

  test('deletes the document if the chosen version deleted it', async () => {
    const { database, writes } = databaseOf();
    expect(await resolveConflict(database, 'milk', SEEN, undefined)).toBeDefined();
    expect(writes).toEqual([{ deleted: 'milk' }]);
  });

  test('writes a document that the shown version deleted', async () => {
    const seen = { ...SEEN, winner: version('w', undefined) };
    const { database, writes } = databaseOf({ conflicts: seen, stored: undefined });
    expect(await resolveConflict(database, 'milk', seen, MERGED)).toBeDefined();
    expect(writes).toEqual([MERGED]);
  });

  test.each<[string, Given]>([
    ['somebody ended the conflict', { conflicts: undefined }],
    ['there is another version', { conflicts: { ...SEEN, losers: [...SEEN.losers, version('x', {})] } }],
    ['another version is shown', { conflicts: { ...SEEN, winner: version('x', SHOWN) } }],
    ['the document has changed', { stored: { ...SHOWN, litres: 9 } }],
    ['the document got a field', { stored: { ...SHOWN, more: true } }],
    ['the document lost its file', { stored: { _id: 'milk', litres: 1 } }],
    ['a file of the document has changed', { stored: { ...SHOWN, _files: { 'p.png': file('b') } } }],
    ['the document is gone', { stored: undefined }],
  ])('writes nothing if %s', async (_what, given) => {
    const { database, writes } = databaseOf(given);
    expect(await resolveConflict(database, 'milk', SEEN, MERGED)).toBe(undefined);
    expect(writes).toEqual([]);
  });

  test('passes on why the document can’t be read', async () => {
    const { database } = databaseOf({ failure: new FixpointError('CORRUPT') });
    await expect(resolveConflict(database, 'milk', SEEN, MERGED)).rejects.toMatchObject({
      code: 'CORRUPT',
    });
  });
});

test('identifies a conflict by all of its versions', () => {
  expect(versionsKey(SEEN)).toBe('w o');
});

test('stays ended after Undo, which writes one more version, with all versions in the history', async () => {
  const { database, seen } = await withConflict();
  const part = await resolveConflict(database, 'milk', seen, { _id: 'milk', litres: 9 } as Stored);
  await writtenStep(database, 'Merged', [part as WrittenPart]).undo('ask');
  expect([await database.get('milk'), await database.conflicts('milk')]).toEqual([
    seen.winner.value,
    undefined,
  ]);
  const litres = (await database.history<{ litres: number }>('milk')).map(({ value }) => value?.litres);
  expect([litres.length, new Set(litres)]).toEqual([5, new Set([1, 2, 3, 9])]);
});

test.each([0, 70_000])(
  'lets Undo ask if somebody writes the document next, with %s more bytes',
  async (bytes) => {
    const { database, seen } = await withConflict();
    const transact = database.transact.bind(database);
    vi.spyOn(database, 'transact').mockImplementationOnce(async (work) => {
      const done = await transact(work);
      await database.put({ _id: 'milk', litres: 77 });
      return done;
    });
    const merged = { _id: 'milk', litres: 9, more: 'x'.repeat(bytes) } as Stored;
    const part = await resolveConflict(database, 'milk', seen, merged);
    const asked = await writtenStep(database, 'Merged', [part as WrittenPart]).undo('ask');
    expect(asked).toMatchObject({ written: 0, others: [{ id: 'milk' }] });
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 77 });
  },
);

test.each([
  ['', []],
  [', also after a write of another document', [{ _id: 'rice' }]],
])('ends the conflict by keeping the version that is shown%s', async (_what, more) => {
  const { database, seen } = await withConflict(more);
  await resolveConflict(database, 'milk', seen, seen.winner.value);
  expect([await database.get('milk'), await database.conflicts('milk')]).toEqual([
    seen.winner.value,
    undefined,
  ]);
  const head = await database.head();
  await resolveConflict(database, 'milk', seen, seen.winner.value);
  await database.transact((transaction) => void transaction.put(seen.winner.value ?? {}));
  expect(await database.head()).toEqual(head);
});

test.each([
  ['keeping the deletion', undefined],
  ['bringing the document back', { _id: 'milk', litres: 3 } as Stored],
])('ends a conflict that a deletion won by %s', async (_what, value) => {
  const { database, seen } = await withDeletion();
  expect([seen.winner.value, seen.losers.map((one) => one.value)]).toEqual([
    undefined,
    [{ _id: 'milk', litres: 3 }],
  ]);
  expect(await resolveConflict(database, 'milk', seen, value)).toBeDefined();
  expect(await database.conflicts('milk')).toBeUndefined();
  expect((await database.allDocs({ key: 'milk' })).rows.map((row) => row.value)).toEqual(
    value === undefined ? [] : [value],
  );
});
