import { afterEach, describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { undoStackOf } from '../../undo/undo-stack.ts';
import { withConflict } from '../history/conflicts/real-conflict.fixture.ts';
import { convertToNumbers, numberIn } from './convert-texts.ts';

withEngine();
afterEach(() => sessionStorage.clear());

describe('the number in a text', () => {
  test.each([
    ['6,600,000', 6_600_000],
    ['2.9 million', 2_900_000],
    [' 1 200 ', 1200],
    ['1\u202f200.5', 1200.5],
    ['-12', -12],
    ['+7', 7],
    ['0.25', 0.25],
    ['1.1 Billion', 1_100_000_000],
    ['3 thousand', 3000],
    ['0', 0],
  ])('reads %j', (text, number) => {
    expect(numberIn(text)).toBe(number);
  });

  test.each([
    '',
    ' ',
    'many',
    '12 apples',
    '1,2',
    '12,5',
    '1,23,456',
    '1.2.3',
    '0x10',
    '1e5',
    'NaN',
    'Infinity',
    '9007199254740993',
    '12 constructor',
    '12 __proto__',
    '1'.repeat(30),
  ])('finds none in %j', (text) => {
    expect(numberIn(text)).toBe(undefined);
  });
});

describe('converting a field to numbers', () => {
  const texts = async (database: Awaited<ReturnType<typeof freshLocal>>, field: string) =>
    (await database.allDocs()).rows.map(({ key, value }) => [key, (value as Record<string, unknown>)[field]]);

  test('converts texts that are numbers, keeps the others, and can be undone', async () => {
    const database = await freshLocal([
      { _id: 'a', speakers: '2.9 million', name: 'Gondi' },
      { _id: 'b', speakers: 'several', name: 'Dano' },
      { _id: 'c', speakers: 12 },
      { _id: 'd' },
    ]);
    expect(await convertToNumbers(database, { path: 'speakers', name: 'speakers' })).toEqual({
      converted: 1,
      kept: 1,
      conflicts: 0,
    });
    expect(await database.get('a')).toMatchObject({ speakers: 2_900_000, name: 'Gondi' });
    expect(await texts(database, 'speakers')).toEqual([
      ['a', 2_900_000],
      ['b', 'several'],
      ['c', 12],
      ['d', undefined],
    ]);
    const stack = undoStackOf(database.name);
    expect(stack.current().done.map(({ label }) => label)).toEqual(['Converted speakers to numbers']);
    await stack.run('undo');
    expect((await database.get<{ speakers: unknown }>('a')).speakers).toBe('2.9 million');
  });

  test('records no step if nothing is a number', async () => {
    const database = await freshLocal([{ _id: 'a', n: 'x' }]);
    expect(await convertToNumbers(database, { path: 'n', name: 'n' })).toEqual({
      converted: 0,
      kept: 1,
      conflicts: 0,
    });
    expect(undoStackOf(database.name).current().done).toEqual([]);
  });

  test.each([
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['a\\.b', 'a.b'],
  ])('converts a field with the path %s', async (path, name) => {
    const database = await freshLocal([Object.fromEntries([['_id', 'a'], [name, '1,000'] as const])]);
    expect((await convertToNumbers(database, { path, name })).converted).toBe(1);
    const doc = await database.get('a');
    expect(Object.getOwnPropertyDescriptor(doc, name)?.value).toBe(1000);
  });

  test('leaves documents with a conflict as they are', async () => {
    const { database, seen } = await withConflict([{ _id: 'rice', litres: '1,000' }], ['2,000', '3,000']);
    expect(await convertToNumbers(database, { path: 'litres', name: 'litres' })).toEqual({
      converted: 1,
      kept: 0,
      conflicts: 1,
    });
    expect(await database.conflicts('milk')).toEqual(seen);
  });
});
