import type { Stored } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { beforeConflict } from '../features/history/conflicts/real-conflict.fixture.ts';
import { freshDatabase } from '../local/fresh-database.fixture.ts';
import { fieldChange, type WrittenPart, writtenStep } from './written-step.ts';

const DOCS = [
  { _id: 'milk', litres: 2 },
  { _id: 'oil', litres: 10 },
];

type Database = Awaited<ReturnType<typeof freshDatabase>>;

/** Returns everything in the database. */
const docsIn = async (database: Database) => (await database.allDocs()).rows.map(({ value }) => value);

/** Deletes all documents of a database, and returns the step. */
async function deletion(database: Database) {
  const before = await database.head();
  const ids = (await docsIn(database)).map(({ _id }) => _id);
  await database.bulk([], { del: ids });
  return writtenStep(database, 'Deleted', [{ ids, before, after: undefined }]);
}

describe('a step of documents that are read from the history', () => {
  test('restores deleted documents with their files, and deletes them again', async () => {
    const database = await freshDatabase(DOCS);
    const file = new File(['to drink'], 'note.txt', { type: 'text/plain' });
    await database.put({ _id: 'milk', litres: 2, at: { deep: [1] }, _files: { note: file } });
    const step = await deletion(database);
    expect(step.documents).toBe(2);
    expect(await step.undo('ask')).toEqual({ written: 2, others: [] });
    const milk = await database.get<{ _files: Record<string, { file(): Promise<File> }> }>('milk');
    expect(milk).toMatchObject({ _id: 'milk', litres: 2, at: { deep: [1] } });
    const restored = await milk._files['note']?.file();
    expect([restored?.type, await restored?.text()]).toEqual(['text/plain', 'to drink']);
    expect(await step.redo('ask')).toEqual({ written: 2, others: [] });
    expect(await docsIn(database)).toEqual([]);
  });

  test('asks before it overwrites a document that was created again, and writes nothing until then', async () => {
    const database = await freshDatabase(DOCS);
    const step = await deletion(database);
    await database.put({ _id: 'milk', litres: 5 });
    const asked = await step.undo('ask');
    expect(asked).toEqual({
      written: 0,
      others: [{ id: 'milk', isGone: false, fields: [{ field: 'litres', now: 5 }] }],
    });
    expect(await docsIn(database)).toEqual([{ _id: 'milk', litres: 5 }]);
    expect((await step.undo('rest'))?.written).toBe(1);
    expect(await docsIn(database)).toEqual([{ _id: 'milk', litres: 5 }, DOCS[1]]);
    expect((await step.undo('all'))?.written).toBe(1);
    expect(await docsIn(database)).toEqual(DOCS);
  });

  test('undoes one field of many documents, and keeps later changes of other fields', async () => {
    const docs = Array.from({ length: 1200 }, (_, n): Stored => ({ _id: `d${n}`, n }));
    const database = await freshDatabase(docs);
    const before = await database.head();
    await database.bulk(docs.map((doc) => ({ ...doc, tag: 'new' })));
    const ids = docs.map(({ _id }) => _id);
    const parts: WrittenPart[] = [{ ids, before, after: await database.head(), fields: ['tag'] }];
    await database.put({ _id: 'd7', n: 'later', tag: 'new' });
    expect(await writtenStep(database, 'Edited', parts).undo('ask')).toEqual({ written: 1200, others: [] });
    expect(await database.get('d7')).toEqual({ _id: 'd7', n: 'later' });
    expect(await database.get('d1199')).toEqual({ _id: 'd1199', n: 1199 });
  });
});

describe('a step of changes in memory', () => {
  test('undoes and redoes a cell, even after another field changed', async () => {
    const database = await freshDatabase(DOCS);
    await database.put({ _id: 'milk', litres: 3, price: 1 });
    const change = fieldChange('milk', [{ field: 'litres', before: 2, after: 3 }]);
    const step = writtenStep(database, 'Changed litres', [{ kept: [change] }]);
    await step.undo('ask');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2, price: 1 });
    await step.redo('ask');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 3, price: 1 });
  });

  test('undoes several writes of one document in reverse order', async () => {
    const database = await freshDatabase([{ _id: 'milk', litres: 3 }]);
    const to = (before: number, after: number): WrittenPart => ({
      kept: [fieldChange('milk', [{ field: 'litres', before, after }])],
    });
    await writtenStep(database, 'Changed twice', [to(1, 2), to(2, 3)]).undo('rest');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1 });
  });

  test('undoes a long integer', async () => {
    const database = await freshDatabase([{ _id: 'milk', litres: 2n ** 60n }]);
    const change = fieldChange('milk', [{ field: 'litres', before: 1, after: 2n ** 60n }]);
    await writtenStep(database, 'Changed litres', [{ kept: [change] }]).undo('ask');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1 });
  });
});

describe('a step of a document that has a conflict now', () => {
  /** Returns a step that set milk to two litres, before a version of another device arrived. */
  async function changed() {
    const { database, meet } = await beforeConflict();
    const kept = [fieldChange('milk', [{ field: 'litres', before: 1, after: 2 }])];
    await meet();
    // The version of this device may have lost.
    const { litres } = await database.get<{ litres: number }>('milk');
    const own = litres === 2 ? kept : [fieldChange('milk', [{ field: 'litres', before: 1, after: litres }])];
    return { database, meet, step: writtenStep(database, 'Changed', [{ kept: own }]) };
  }

  test('asks before Undo ends the conflict, and leaves the document as it is for the rest', async () => {
    const { database, step } = await changed();
    const seen = await database.conflicts('milk');
    const others = [{ id: 'milk', isGone: false, fields: [], hasConflict: true }];
    expect(await step.undo('ask')).toEqual({ written: 0, others });
    expect(await step.undo('rest')).toEqual({ written: 0, others });
    expect(await database.conflicts('milk')).toEqual(seen);
  });

  test('ends the conflict if the user agrees', async () => {
    const { database, step } = await changed();
    await step.undo('ask');
    expect(await step.undo('all')).toEqual({ written: 1, others: [] });
    expect(await database.conflicts('milk')).toBeUndefined();
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1 });
  });

  test('ends only a conflict that the last question named', async () => {
    const { database, step } = await changed();
    const seen = await database.conflicts('milk');
    expect(await step.undo('all')).toMatchObject({ written: 0, others: [{ hasConflict: true }] });
    expect(await database.conflicts('milk')).toEqual(seen);
    expect(await step.undo('all')).toEqual({ written: 1, others: [] });
    expect(await database.conflicts('milk')).toBeUndefined();
  });

  test('asks about a conflict that begins while Undo runs, and then undoes the step', async () => {
    const { database, meet } = await beforeConflict();
    const kept = [fieldChange('milk', [{ field: 'more', before: 1, after: undefined }])];
    const step = writtenStep(database, 'Removed', [{ kept }]);
    const transact = database.transact.bind(database);
    vi.spyOn(database, 'transact').mockImplementationOnce(async (work) => {
      await meet();
      return transact(work);
    });
    expect(await step.undo('ask')).toMatchObject({ written: 0, others: [{ hasConflict: true }] });
    expect(await database.conflicts('milk')).toBeDefined();
    expect(await step.undo('all')).toEqual({ written: 1, others: [] });
    expect(await database.get('milk')).toMatchObject({ more: 1 });
  });
});
