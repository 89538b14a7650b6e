import { describe, expect, test } from 'vitest';
import { chartOf } from './chart-data.ts';
import { histogramOf, type Reduce, reducedRows } from './reduce-rows.ts';

const ROWS = [
  { key: ['a', 'x'], value: 1, id: '1' },
  { key: ['a', 'x'], value: 2, id: '2' },
  { key: ['a', 'y'], value: 'no number', id: '3' },
  { key: ['b', 'x'], value: 10, id: '4' },
];
const rest = async () => undefined;
const reduced = async (how: Reduce['how'], group: Reduce['group']) =>
  (await reducedRows(ROWS, { how, group }, rest)).map(({ key, value }) => [key, value]);

describe('reducing rows', () => {
  test.each<[Reduce['how'], Reduce['group'], unknown]>([
    [
      'count',
      'all',
      [
        [['a', 'x'], 2],
        [['a', 'y'], 1],
        [['b', 'x'], 1],
      ],
    ],
    [
      'count',
      1,
      [
        [['a'], 3],
        [['b'], 1],
      ],
    ],
    ['count', 0, [[null, 4]]],
    [
      'sum',
      1,
      [
        [['a'], 3],
        [['b'], 10],
      ],
    ],
    [
      'average',
      1,
      [
        [['a'], 1.5],
        [['b'], 10],
      ],
    ],
    ['min', 0, [[null, 1]]],
    ['max', 0, [[null, 10]]],
    [
      'max',
      'all',
      [
        [['a', 'x'], 2],
        [['a', 'y'], null],
        [['b', 'x'], 10],
      ],
    ],
  ])('computes %s by %s', async (how, group, expected) => {
    expect(await reduced(how, group)).toEqual(expected);
  });

  test('tells values of different types apart, and groups by names of Object', async () => {
    const rows = ['1', 1, true, null, '__proto__', 'constructor', '__proto__'].map((key, at) => ({
      key,
      value: null,
      id: String(at),
    }));
    const groups = await reducedRows(rows, { how: 'count', group: 'all' }, rest);
    expect(groups.map(({ key, value }) => [key, value])).toEqual([
      ['1', 1],
      [1, 1],
      [true, 1],
      [null, 1],
      ['__proto__', 2],
      ['constructor', 1],
    ]);
  });

  test('uses numbers in keys if there is no value', async () => {
    const rows = [3, 5].map((key) => ({ key, value: null, id: 'x' }));
    expect((await reducedRows(rows, { how: 'sum', group: 0 }, rest))[0]?.value).toBe(8);
  });

  test.each([
    ['two prices', [0.1, 0.2], 0.3],
    ['a thousand prices', Array.from({ length: 1000 }, () => 0.07), 70],
    ['large whole numbers', [2 ** 53 - 1, 0], 2 ** 53 - 1],
    ['a number over the largest one', [1.7e308, 1.7e308], Number.POSITIVE_INFINITY],
  ])('adds %s without digits that no number has', async (_, values, sum) => {
    const rows = values.map((value) => ({ key: 'rice', value, id: 'x' }));
    expect((await reducedRows(rows, { how: 'sum', group: 'all' }, rest))[0]?.value).toBe(sum);
  });

  test('ignores the key of a row without a value among rows with values', async () => {
    const rows = [
      { key: 2025, value: 3, id: 'a' },
      { key: 2026, value: null, id: 'b' },
    ];
    const reducedTo = async (how: Reduce['how']) =>
      (await reducedRows(rows, { how, group: 0 }, rest)).map(({ value }) => value);
    expect([await reducedTo('sum'), await reducedTo('max'), await reducedTo('histogram')]).toEqual([
      [3],
      [3],
      [1],
    ]);
    const { labels } = chartOf({ rows, isReduced: false, canStack: false });
    expect(labels).toEqual(['2025']);
  });

  test('lets other work run between parts of many rows', async () => {
    let rests = 0;
    const rows = Array.from({ length: 45_000 }, (_, n) => ({ key: n % 3, value: 1, id: '' }));
    await reducedRows(rows, { how: 'count', group: 'all' }, async () => {
      rests += 1;
    });
    expect(rests).toBe(2);
  });
});

describe('a histogram', () => {
  test('counts every number once, in ranges with round limits', () => {
    const numbers = Array.from({ length: 1000 }, (_, n) => n / 10);
    const ranges = histogramOf(numbers);
    expect(ranges[0]).toEqual({ from: 0, to: 5, count: 50 });
    expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
  });

  test.each([[[7]], [[-0.3, 0.1]], [[1e300, -1e300]], [[0.1, 0.2, 0.30000000000000004]]])(
    'contains all of %j',
    (numbers) => {
      const ranges = histogramOf(numbers);
      expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(numbers.length);
      expect(ranges.length).toBeLessThanOrEqual(25);
    },
  );

  test('has no ranges without numbers', () => {
    expect(histogramOf([])).toEqual([]);
  });
});

describe('the data of a chart', () => {
  test('stacks the last parts of keys, the largest first', () => {
    const rows = [
      { key: ['a', 'x'], value: 1, id: '' },
      { key: ['a', 'y'], value: 5, id: '' },
      { key: ['b', 'x'], value: 2, id: '' },
    ];
    expect(chartOf({ rows, isReduced: true, canStack: true })).toEqual({
      labels: ['a', 'b'],
      series: [
        { name: 'y', total: 5, values: [5, null] },
        { name: 'x', total: 3, values: [1, 2] },
      ],
      isCut: false,
    });
    expect(chartOf({ rows, isReduced: true, canStack: false }).labels).toEqual(['a, x', 'a, y', 'b, x']);
  });

  test('sums up all but the five largest series', () => {
    const rows = Array.from({ length: 9 }, (_, n) => ({ key: ['a', `s${n}`], value: n + 1, id: '' }));
    const { series } = chartOf({ rows, isReduced: true, canStack: true });
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ['s8', 9],
      ['s7', 8],
      ['s6', 7],
      ['s5', 6],
      ['s4', 5],
      ['Other', 10],
    ]);
  });

  test('has at most 400 bars, and says so', () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ key: n, value: 1, id: '' }));
    const { labels, isCut } = chartOf({ rows, isReduced: false, canStack: false });
    expect([labels.length, isCut]).toEqual([400, true]);
  });
});
