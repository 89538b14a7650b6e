import { FixpointError } from '@fixpoint/protocol';
import type { Stored } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { inTurn } from '../values/in-turn.ts';
import { saveDraft } from './save-draft.ts';

/** Returns a database of these documents, which stores each write after a delay. */
function databaseOf(...docs: readonly Stored[]) {
  const stored = new Map(docs.map((doc) => [doc._id, doc]));
  const database = {
    get: async (id: string) => {
      const doc = stored.get(id);
      if (doc === undefined) throw new FixpointError('NOT_FOUND');
      return doc;
    },
    put: async (doc: object) => {
      await new Promise((resolve) => setTimeout(resolve));
      const id = String((doc as { _id?: unknown })['_id'] ?? 'made');
      stored.set(id, { ...doc, _id: id } as Stored);
      return { id };
    },
  };
  return { database: database as unknown as Parameters<typeof saveDraft>[0], stored };
}

const milk = { _id: 'milk', litres: 1 };
const file = { photo: { size: 3, file: () => Promise.reject(new Error('not read here')) } };

describe('saving a draft', () => {
  test('keeps the text, and a file that is added during the save', async () => {
    const { database, stored } = databaseOf(milk);
    const adding = inTurn(database, 'milk', async () => {
      const doc = await database.get('milk');
      return database.put({ ...doc, _files: file });
    });
    const saving = saveDraft(database, { id: 'milk', files: {} }, { litres: 2 });
    expect(await Promise.all([adding, saving])).toMatchObject([{ id: 'milk' }, { id: 'milk' }]);
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2, _files: file });
  });

  test('doesn’t restore a file that was removed since the draft was read', async () => {
    const { database, stored } = databaseOf(milk);
    await saveDraft(database, { id: 'milk', files: { _files: file } }, { litres: 2 });
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2 });
  });

  test('restores the files of a document that was deleted since the draft was read', async () => {
    const { database, stored } = databaseOf();
    await saveDraft(database, { id: 'milk', files: { _files: file } }, { litres: 2 });
    expect(stored.get('milk')).toEqual({ _id: 'milk', litres: 2, _files: file });
  });

  test('saves a new document under a generated or typed id, and rejects an id that exists', async () => {
    const { database } = databaseOf(milk);
    const fresh = { id: undefined, files: {} };
    expect((await saveDraft(database, fresh, { litres: 2 })).id).toBe('made');
    expect((await saveDraft(database, fresh, { _id: 'rice' })).id).toBe('rice');
    await expect(saveDraft(database, fresh, milk)).rejects.toThrow(
      'a document with the _id "milk" already exists',
    );
  });
});
