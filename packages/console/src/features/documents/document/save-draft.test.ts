import { FixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { resolveConflict } from '../../history/conflicts/resolve-conflict.ts';
import { inTurn } from '../values/in-turn.ts';
import { saveDraft } from './save-draft.ts';

/** Returns a database of these documents, which stores each write after a delay. */
function databaseOf(...docs: readonly Stored[]) {
  const stored = new Map(docs.map((doc) => [doc._id, doc]));
  const get = async (id: string) => {
    const doc = stored.get(id);
    if (doc === undefined) throw new FixpointError('NOT_FOUND');
    return doc;
  };
  const put = async (doc: object) => {
    await new Promise((resolve) => setTimeout(resolve));
    const id = String((doc as { _id?: unknown })['_id'] ?? 'made');
    stored.set(id, { ...doc, _id: id } as Stored);
    return { id };
  };
  const transact = async (work: (transaction: object) => Promise<unknown>) => {
    const writes: object[] = [];
    const result = await work({ get, put: (doc: object) => writes.push(doc) });
    for (const doc of writes) await put(doc);
    return result;
  };
  const database = { get, put, transact, head: async () => [], conflicts: async () => undefined };
  return { database: database as unknown as Database, stored };
}

const milk = { _id: 'milk', litres: 1 };
const file = { photo: { size: 3, file: () => Promise.reject(new Error('not read here')) } };
const known = { id: 'milk', base: milk, stored: milk };

describe('saving a draft', () => {
  test('keeps the text, and a file that is added during the save', async () => {
    const { database, stored } = databaseOf(milk);
    const adding = inTurn(database, 'milk', async () => {
      const doc = await database.get('milk');
      return database.put({ ...doc, _files: file });
    });
    const saving = saveDraft(database, { ...known, files: {} }, { litres: 2 });
    expect(await Promise.all([adding, saving])).toMatchObject([{ id: 'milk' }, { id: 'milk' }]);
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2, _files: file });
  });

  test('doesn’t restore a file that was removed since the draft was read', async () => {
    const { database, stored } = databaseOf(milk);
    await saveDraft(database, { ...known, files: { _files: file } }, { litres: 2 });
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2 });
  });

  test('restores the files of a document that was deleted since the draft was read', async () => {
    const { database, stored } = databaseOf();
    await saveDraft(database, { ...known, stored: undefined, files: { _files: file } }, { litres: 2 });
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2, _files: file });
  });

  test.each([
    ['changed', [{ _id: 'milk', litres: 7 }]],
    ['deleted', []],
  ])('writes nothing if the document was %s since the draft was read', async (_what, now) => {
    const { database, stored } = databaseOf(...now);
    const done = await saveDraft(database, { ...known, files: {} }, { litres: 2 });
    expect([done, stored.get('milk')]).toEqual([{ now: now[0] }, now[0]]);
  });

  test('writes nothing if the user saw a change but didn’t decide, or a deletion that was undone', async () => {
    const seven = { _id: 'milk', litres: 7 };
    const { database } = databaseOf(seven);
    const draft = { id: 'milk', files: {}, stored: seven };
    expect(await saveDraft(database, { ...draft, base: milk }, { litres: 2 })).toEqual({ now: seven });
    const recreated = { ...draft, base: undefined, stored: undefined };
    expect(await saveDraft(database, recreated, { litres: 2 })).toEqual({ now: seven });
  });

  test('saves over a document that became equal to the text', async () => {
    const { database } = databaseOf({ _id: 'milk', litres: 2 });
    expect(await saveDraft(database, { ...known, files: {} }, { litres: 2 })).toMatchObject({ id: 'milk' });
  });

  test('saves a new document under a generated or typed id, and rejects an id that exists', async () => {
    const { database } = databaseOf(milk);
    const fresh = { id: undefined, base: undefined, stored: undefined, files: {} };
    expect(await saveDraft(database, fresh, { litres: 2 })).toMatchObject({ id: 'made', isNew: true });
    expect(await saveDraft(database, fresh, { _id: 'rice' })).toMatchObject({ id: 'rice', isNew: true });
    await expect(saveDraft(database, fresh, milk)).rejects.toThrow(
      'a document with the _id "milk" already exists',
    );
  });

  test('writes nothing while the document has a conflict, and saves after it is resolved', async () => {
    const { database, seen } = await withConflict();
    const { value } = seen.winner;
    const draft = { id: 'milk', base: value, stored: value, files: {} };
    expect(await saveDraft(database, draft, { litres: 9 })).toMatchObject({ conflict: seen });
    expect(await database.conflicts('milk')).toEqual(seen);
    await resolveConflict(database, 'milk', seen, value);
    expect(await saveDraft(database, draft, { litres: 9 })).toMatchObject({ id: 'milk' });
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 9 });
  });

  test('rejects the id of a deleted document with a conflict', async () => {
    const { seen } = await withConflict();
    const database = { ...databaseOf().database, conflicts: async () => seen } as unknown as Database;
    const fresh = { id: undefined, base: undefined, stored: undefined, files: {} };
    await expect(saveDraft(database, fresh, { _id: 'milk' })).rejects.toThrow(
      'a deleted document with the _id "milk" has a conflict. Choose another _id.',
    );
  });
});
