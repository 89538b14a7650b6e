import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES, withEveryName } from '../values/hostile-names.fixture.ts';
import { DocumentsSummarizer } from './field-summary.ts';

function summaryOf(docs: readonly object[]) {
  const summarizer = new DocumentsSummarizer(() => 0.5);
  for (const doc of docs) summarizer.add(doc);
  const summary = summarizer.summary();
  return { ...summary, field: (path: string) => summary.fields.find((field) => field.path === path) };
}

describe('the summary of documents', () => {
  test('counts documents by field, type and value', () => {
    const { field, documents } = summaryOf([
      { _id: 'a', n: 1, kind: 'x' },
      { _id: 'b', n: '1', kind: 'x' },
      { _id: 'c', kind: null },
    ]);
    expect(documents).toBe(3);
    expect(field('n')).toMatchObject({
      documents: 2,
      possible: 3,
      types: [
        { type: 'number', documents: 1 },
        { type: 'string', documents: 1 },
      ],
      distinct: 2,
    });
    expect(field('kind')?.values).toEqual([
      { value: 'x', documents: 2 },
      { value: null, documents: 1 },
    ]);
  });

  test('counts documents, not entries of lists', () => {
    const { field } = summaryOf([
      { tags: ['a', 'a', 'b'], lines: [{ sku: 1 }, { sku: 2 }] },
      { tags: [], lines: [{ sku: 1 }] },
      { tags: 'a' },
    ]);
    expect(field('tags')).toMatchObject({ documents: 3, types: [{ type: 'array' }, { type: 'string' }] });
    expect(field('tags[]')).toMatchObject({ documents: 1, distinct: 2 });
    expect(field('tags[]')?.values?.[0]).toEqual({ value: 'a', documents: 1 });
    expect(field('lines[].sku')).toMatchObject({ documents: 2, distinct: 2 });
  });

  test('knows how many documents could have a nested field', () => {
    const { field } = summaryOf([{ place: { city: 'Rome' } }, { place: {} }, { place: 'Rome' }, {}]);
    expect(field('place.city')).toMatchObject({ documents: 1, possible: 2 });
  });

  test('lists no values of fields with many, and counts up to 20,000', () => {
    const { field } = summaryOf(Array.from({ length: 25_000 }, (_, n) => ({ n, m: n % 31 })));
    expect(field('n')).toMatchObject({ distinct: 20_000, isMore: true, values: undefined });
    expect(field('m')).toMatchObject({ distinct: 31, isMore: false, values: undefined });
    expect(field('n')?.examples).toEqual([0, 1, 2]);
  });

  test('finds numbers far from the others', () => {
    const docs = Array.from({ length: 200 }, (_, n) => ({ n: 100 + (n % 10) }));
    const { field } = summaryOf([...docs, { n: 5000 }]);
    expect(field('n')?.numbers).toMatchObject({ min: 100, max: 5000, far: 1, isSample: false });
    expect(summaryOf(docs).field('n')?.numbers?.far).toBe(0);
  });

  test('counts numbers that are far apart in logarithmic ranges', () => {
    const numbers = summaryOf([1, 10, 100, 1000, 10_000, 100_000].map((n) => ({ n }))).field('n')?.numbers;
    expect(numbers).toMatchObject({ isLog: true, min: 1, max: 100_000 });
    const [first] = numbers?.ranges ?? [];
    expect([first?.from, first?.count, numbers?.ranges.at(-1)?.count]).toEqual([1, 1, 1]);
    expect(summaryOf([{ n: -1 }, { n: 1e9 }]).field('n')?.numbers?.isLog).toBe(false);
  });

  test('names documents with a type, and knows dates', () => {
    const { field } = summaryOf([
      { _id: 'a', name: 'Ghotuo', n: 1, at: '2026-11-20' },
      { _id: 'b', name: 'Gondi', n: 2, at: '2026-11-20T10:00:00Z' },
      { _id: 'c', name: 'Dano', n: '2.9 million', at: 1, list: ['x', 'y'] },
      { _id: 'd', n: ['3'] },
    ]);
    expect(field('n')?.unusual).toEqual([
      { type: 'string', id: 'c', title: 'Dano', text: '2.9 million' },
      { type: 'array', id: 'd', title: 'd', text: '' },
    ]);
    expect([field('at')?.areDates, field('name')?.areDates, field('n')?.areDates]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('summarizes fields with any name', () => {
    const { fields } = summaryOf([withEveryName('a', (_name, at) => at), withEveryName('b', () => 'x')]);
    expect(fields).toHaveLength(HOSTILE_NAMES.length + 1);
    for (const { documents } of fields) expect(documents).toBe(2);
  });

  test('is limited in fields and depth', () => {
    const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, n]));
    expect(summaryOf([wide])).toMatchObject({ isCut: true });
    expect(summaryOf([wide]).fields).toHaveLength(2000);
    const lists = summaryOf([{ grid: Array.from({ length: 3000 }, () => [1]), other: 1 }]);
    expect([lists.isCut, lists.field('other')?.documents]).toEqual([false, 1]);
    let deep: object = { end: 1 };
    for (let n = 0; n < 50; n += 1) deep = { inner: deep };
    expect(summaryOf([deep]).fields).toHaveLength(8);
  });
});
