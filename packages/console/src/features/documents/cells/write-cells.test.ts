import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { previewCells, type RowEdit, writeCells } from './write-cells.ts';

const cell = (field: string, value: unknown) => ({ field, value });

test('previews and writes cells, creates documents, and undoes all of this as one step', async () => {
  const docs = [{ _id: 'a', code: '007', n: 1 }, { _id: 'b', n: 2 }, { _id: 'c' }];
  const database = await freshDatabase(docs);
  const edits: RowEdit[] = [
    { id: 'a', cells: [cell('code', '008'), cell('n', 1)] },
    { id: 'b', cells: [cell('code', 'x'), cell('n', undefined)] },
    { id: undefined, cells: [cell('code', 'new'), cell('n', 3)] },
    { id: undefined, cells: [cell('code', undefined)] },
    { id: 'gone', cells: [cell('code', 'y')] },
  ];
  expect(await previewCells(database, edits)).toMatchObject({ changed: 3, documents: 2, created: 1 });
  const { changed, created, gone, parts } = await writeCells(database, edits);
  expect([changed, created, gone]).toEqual([3, 1, 1]);
  const { rows } = await database.allDocs();
  const made = rows.map(({ value }) => value).find(({ _id }) => !['a', 'b', 'c'].includes(_id));
  expect(await database.get('a')).toEqual({ _id: 'a', code: '008', n: 1 });
  expect(await database.get('b')).toEqual({ _id: 'b', code: 'x' });
  expect(made).toMatchObject({ code: 'new', n: 3 });
  const step = writtenStep(database, 'Pasted', parts);
  expect((await step.undo('ask'))?.others).toEqual([]);
  expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual(docs);
  await step.redo('ask');
  expect(await database.get(made?._id ?? '')).toEqual(made);
});

test('writes only the given cells, even if another field changed since they were read', async () => {
  const database = await freshDatabase([{ _id: 'a', n: 1, other: 'x' }]);
  await previewCells(database, [{ id: 'a', cells: [cell('n', 2)] }]);
  await database.put({ _id: 'a', n: 1, other: 'y' });
  await writeCells(database, [{ id: 'a', cells: [cell('n', 2)] }]);
  expect(await database.get('a')).toEqual({ _id: 'a', n: 2, other: 'y' });
});

test('returns what it wrote before a batch failed, and undoes that', async () => {
  const docs = Array.from({ length: 600 }, (_, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n }));
  const database = await freshDatabase(docs);
  const edits = docs.map(({ _id }) => ({ id: _id, cells: [cell('n', 'new')] }));
  const transact = vi
    .fn(database.transact)
    .mockImplementationOnce(database.transact)
    .mockRejectedValueOnce(new Error('full')) as typeof database.transact;
  const written = await writeCells({ transact, conflicts: database.conflicts }, edits);
  expect([written.changed, written.error]).toEqual([500, new Error('full')]);
  expect((await writtenStep(database, 'Pasted', written.parts).undo('ask'))?.written).toBe(500);
  expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual(docs);
});

test('leaves documents with a conflict as they are, and writes the other rows', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice' }]);
  const edits: RowEdit[] = [
    { id: 'milk', cells: [cell('litres', 9), cell('note', 'x')] },
    { id: 'milk', cells: [cell('note', 'y')] },
    { id: 'rice', cells: [cell('litres', 9)] },
    { id: undefined, cells: [cell('litres', 8)] },
  ];
  const written = await writeCells(database, edits);
  expect(written).toMatchObject({ changed: 1, created: 1, gone: 0, conflicts: 1 });
  expect(await database.conflicts('milk')).toEqual(seen);
  expect(await database.get('milk')).toEqual(seen.winner.value);
  expect(await database.get('rice')).toEqual({ _id: 'rice', litres: 9 });
  const same = [{ id: 'milk', cells: [cell('litres', seen.winner.value?.['litres'])] }];
  expect((await writeCells(database, same)).conflicts).toBe(0);
});
