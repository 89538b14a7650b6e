import type { Cell } from 'fixpoint/rows';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import type { TableRow } from '../table/live-rows.ts';
import { loadedValues, readValues } from './block-values.ts';

const cell = (kind: string, text: string, cut = false) => ({ kind, text, cut }) as Cell;

/** Returns the values of one loaded row. @param read names of the fields that were read */
function loaded(cells: Readonly<Record<string, Cell>>, columns: readonly string[], read = columns) {
  const row = { id: 'a', has: (field: string) => read.includes(field) } as unknown as TableRow;
  const block = { fromAt: 4, toAt: 4, columns };
  const cellOf = (_row: TableRow, field: string) => (Object.hasOwn(cells, field) ? cells[field] : undefined);
  return loadedValues(block, { rowAt: (at) => (at === 4 ? row : undefined) }, cellOf);
}

describe('a block of loaded rows', () => {
  test.each<[string, Cell, unknown]>([
    ['a text', cell('text', '007'), '007'],
    ['an empty text', cell('text', ''), ''],
    ['a text that looks like a boolean', cell('text', 'true'), 'true'],
    ['a number', cell('number', '-1.5e-7'), -1.5e-7],
    ['true', cell('boolean', 'true'), true],
    ['false', cell('boolean', 'false'), false],
    ['null', cell('null', 'null'), null],
  ])('has values with the type of %s', (_name, shown, value) => {
    expect(loaded({ f: shown }, ['f'])).toEqual([[value]]);
  });

  test('is incomplete if a text was cut off, or a preview isn’t the value', () => {
    expect(loaded({ f: cell('text', 'long', true) }, ['f'])).toBeUndefined();
    for (const kind of ['object', 'list', 'bytes', 'link'])
      expect(loaded({ f: cell(kind, '[1]') }, ['f'])).toBeUndefined();
  });

  test('is incomplete if a number has more digits than it could keep', () => {
    expect(loaded({ f: cell('number', '9007199254740993') }, ['f'])).toBeUndefined();
  });

  test('tells a field that is missing from one that wasn’t read yet', () => {
    expect(loaded({}, ['f', '_id'])).toEqual([[undefined, 'a']]);
    expect(loaded({}, ['f', '_id'], ['g'])).toBeUndefined();
  });

  test('is incomplete while one of the rows still loads', () => {
    const row = { id: 'a', has: () => true } as unknown as TableRow;
    const rowAt = (at: number) => (at === 0 ? row : undefined);
    const values = (toAt: number) =>
      loadedValues({ fromAt: 0, toAt, columns: ['_id'] }, { rowAt }, () => undefined);
    expect([values(0), values(1)]).toEqual([[['a']], undefined]);
  });
});

describe('reading a block from the database', () => {
  test('keeps types and order, whatever the names of the fields', async () => {
    const tree = { deep: [1, { b: null }] };
    const hostile = Object.fromEntries([
      ['_id', 'b'],
      ['__proto__', 1],
      ['constructor', 'c'],
    ]);
    const database = await freshDatabase([{ _id: 'a', tree, empty: '' }, hostile]);
    const columns = ['_id', '__proto__', 'constructor', 'toString', 'tree', 'empty'];
    expect(await readValues(database, ['b', 'a', 'b'], columns)).toEqual([
      ['b', 1, 'c', undefined, undefined, undefined],
      ['a', undefined, undefined, undefined, tree, ''],
      ['b', 1, 'c', undefined, undefined, undefined],
    ]);
  });

  test('leaves a row empty whose document was deleted in the meantime', async () => {
    const database = await freshDatabase([{ _id: 'a', n: 1 }]);
    expect(await readValues(database, ['gone', 'a'], ['_id', 'n'])).toEqual([
      [undefined, undefined],
      ['a', 1],
    ]);
    expect(await readValues(database, [], ['n'])).toEqual([]);
  });

  test('returns each value in its row even beyond the first batch', async () => {
    const docs = Array.from({ length: 1203 }, (_, n) => ({ _id: `d${n}`, n }));
    const database = await freshDatabase(docs);
    const ids = docs.map(({ _id }) => _id).toReversed();
    const values = await readValues(database, ids, ['n']);
    expect(values.map(([n]) => n)).toEqual(docs.map(({ n }) => n).toReversed());
  });
});
