import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Database, fixpoint, type Stored } from 'fixpoint';
import { expect, onTestFinished, test, vi } from 'vitest';
import { columnsByUse, countFields, type FieldUses } from './columns.ts';
import { liveDocuments, withChanges } from './live-documents.ts';

function openDatabase(): Database {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  const database = fixpoint('documents', { directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  return database;
}

const idsOf = (docs: readonly Stored[]) => docs.map(({ _id }) => _id);

test('documents that are written, changed and deleted show without being read again', async () => {
  const database = openDatabase();
  await database.bulk([
    { _id: 'b', x: 1 },
    { _id: 'd', x: 1 },
  ]);
  const allDocs = vi.spyOn(database, 'allDocs');
  const live = liveDocuments(database);
  onTestFinished(live.subscribe(() => undefined));
  await expect.poll(() => idsOf(live.current().docs)).toEqual(['b', 'd']);
  await database.put({ _id: 'c', y: 1 });
  await database.put({ _id: 'b', x: 2 });
  await database.del('d');
  await expect
    .poll(() => live.current().docs)
    .toEqual([
      { _id: 'b', x: 2 },
      { _id: 'c', y: 1 },
    ]);
  expect(live.current().columns).toEqual(['_id', 'x', 'y']);
  expect(allDocs).toHaveBeenCalledTimes(1);
});

test('what is written while the documents are read is not lost', async () => {
  const database = openDatabase();
  await database.bulk(Array.from({ length: 50 }, (_, at) => ({ _id: `doc-${at}` })));
  const live = liveDocuments(database);
  onTestFinished(live.subscribe(() => undefined));
  await Promise.all([database.put({ _id: 'late' }), database.del('doc-7')]);
  await expect.poll(() => live.current().docs.length).toBe(50);
  expect(idsOf(live.current().docs)).toContain('late');
  expect(idsOf(live.current().docs)).not.toContain('doc-7');
});

test('the order of columns stays until it is asked for anew', async () => {
  const database = openDatabase();
  await database.put({ _id: 'a', first: 1 });
  const live = liveDocuments(database);
  onTestFinished(live.subscribe(() => undefined));
  await expect.poll(() => live.current().loaded).toBe(true);
  await database.bulk([
    { _id: 'b', second: 1 },
    { _id: 'c', second: 1 },
  ]);
  await expect.poll(() => live.current().columns).toEqual(['_id', 'first', 'second']);
  expect(live.current().columnsAreOld).toBe(true);
  live.orderColumns();
  expect(live.current().columns).toEqual(['_id', 'second', 'first']);
  expect(live.current().columnsAreOld).toBe(false);
});

test('why documents cannot be read is part of the state', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = fixpoint('closed', { directory });
  await database.close();
  const live = liveDocuments(database);
  onTestFinished(live.subscribe(() => undefined));
  await expect.poll(() => live.current().error?.message).toBe('database is closed');
});

test('changes applied one by one give what a fresh reading gives', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const change = fc.record({
    _id: id,
    x: fc.option(fc.integer(), { nil: undefined }),
    _deleted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(fc.array(change)), (batches) => {
      const byId = new Map<string, Stored>();
      const uses: FieldUses = new Map();
      let docs: readonly Stored[] = [];
      for (const batch of batches) {
        const changed = batch.map(({ _id, x, _deleted }) =>
          _deleted ? { _id, _deleted } : { _id, ...(x !== undefined && { x }) },
        );
        docs = withChanges(docs, changed, uses);
        for (const doc of changed) {
          if ('_deleted' in doc) byId.delete(doc._id);
          else byId.set(doc._id, doc);
        }
      }
      const expected = [...byId.values()].sort((a, b) => (a._id < b._id ? -1 : 1));
      const expectedUses: FieldUses = new Map();
      for (const doc of expected) countFields(expectedUses, doc, 1);
      expect(docs).toEqual(expected);
      expect(columnsByUse(uses)).toEqual(columnsByUse(expectedUses));
    }),
  );
});
