import fc from 'fast-check';
import { fixpoint } from 'fixpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import {
  type Chip,
  type Condition,
  chipOf,
  chipText,
  type Filter,
  filterOfChip,
  isTest,
  NEGATED_LABELS,
  partsOf,
  pathLabel,
  simplified,
  TEST_LABELS,
  type Test,
  testLabel,
  whereOf,
} from './filter.ts';
import { textOfParts } from './filter-text.ts';
import { parseFilter } from './parse-filter.ts';

const one = (path: string, name: Test, value?: unknown): Condition => ({
  kind: 'test',
  path,
  test: name,
  ...(value !== undefined && { value }),
});
const [A, B, C] = ['a', 'b', 'c'].map((path) => one(path, 'exists')) as [Condition, Condition, Condition];
const all = (...of: Filter[]): Filter => ({ kind: 'all', of });
const any = (...of: Filter[]): Filter => ({ kind: 'any', of });
const not = (of: Filter): Filter => ({ kind: 'not', of });

describe('simplifying a filter', () => {
  test.each<[string, Filter, Filter]>([
    ['a group of one', all(any(A)), A],
    ['equal groups in each other', any(A, any(B, any(C))), any(A, B, C)],
    ['a group that becomes equal to its outer one', all(A, any(all(B, C))), all(A, B, C)],
    ['a group inside of a negation', not(all(any(A, any(B)))), not(any(A, B))],
    ['different groups, which stay', all(A, any(B, C)), all(A, any(B, C))],
    ['two negations, which stay', not(not(A)), not(not(A))],
  ])('changes %s', (_what, given, simple) => {
    expect(simplified(given)).toEqual(simple);
  });

  test('returns the parts that must all hold', () => {
    expect(partsOf(undefined)).toEqual([]);
    expect(partsOf(any(A, B))).toEqual([any(A, B)]);
    expect(partsOf(all(A, all(B, any(C))))).toEqual([A, B, C]);
  });
});

describe('a filter as a chip', () => {
  test.each<[string, Filter, boolean | undefined]>([
    ['a condition', one('a', 'equals', 1), false],
    ['a negated condition that has a negative label', not(one('a', 'contains', 'x')), true],
    ['a negated condition that has an opposite', not(one('a', 'equals', 1)), undefined],
    ['a group', any(A, B), undefined],
    ['a double negation', not(not(one('a', 'contains', 'x'))), undefined],
  ])('exists for %s or not', (_what, filter, isNot) => {
    const chip = chipOf(filter);
    expect(chip?.isNot).toBe(isNot);
    if (chip !== undefined) expect(filterOfChip(chip)).toEqual(filter);
  });

  test.each<[Filter, string]>([
    [one('_id', 'starts', 'x'), 'document id starts with x'],
    [one('a.b[].c', 'exists'), 'a.b[].c exists'],
    [one('a', 'equals', '5'), 'a is "5"'],
    [one('a', 'equals', 5), 'a is 5'],
    [one('a', 'equals', ''), 'a is ""'],
    [one('a', 'equals', '  '), 'a is "  "'],
    [one('a', 'equals', null), 'a is null'],
    [one('a', 'contains', '5'), 'a contains 5'],
    [one('a', 'in', ['x', '5', 5]), 'a is one of x, "5", 5'],
    [not(one('a', 'type', 'bytes')), 'a does not have type bytes'],
    [not(one('a', 'matches', '^x')), 'a does not match ^x'],
    [one('a', 'type', 'boolean'), 'a has type true or false'],
  ])('reads as a sentence: %j', (filter, text) => {
    expect(chipText(chipOf(filter) as Chip)).toBe(text);
  });

  test('has different labels for all tests and their negations', () => {
    const labels = [...Object.values(TEST_LABELS), ...NEGATED_LABELS.values()];
    expect(new Set(labels).size).toBe(labels.length);
    expect(testLabel({ condition: one('a', 'equals', 1), isNot: true })).toBe('is');
  });

  test('knows only its own tests, whatever names an object has', () => {
    expect(Object.keys(TEST_LABELS).every(isTest)).toBe(true);
    expect(HOSTILE_NAMES.filter(isTest)).toEqual([]);
  });

  test('labels a field of any name', () => {
    for (const name of HOSTILE_NAMES.filter((other) => other.trim() !== '' && !/[.[\]\\]/.test(other)))
      expect(pathLabel(name)).toContain(name.slice(0, 8));
  });
});

test('finds the same documents before and after simplifying and writing a filter', async () => {
  const values = [1, 2, '1', 'one', null, true, [1, 'one'], [], { b: 1 }, undefined];
  const database = fixpoint('simplified', { storage: 'memory' });
  onTestFinished(() => database.close());
  await database.bulk(
    values.flatMap((a, x) =>
      [1, 'one', undefined].map((b, y) => ({
        _id: `d${x}${y}`,
        ...(a !== undefined && { a }),
        ...(b !== undefined && { b }),
      })),
    ),
  );
  const found = async (filter: Filter) =>
    (await database.find({ where: whereOf(filter) })).docs.map(({ _id }) => _id).sort();
  const everything = (await database.allDocs()).rows.length;
  const path = fc.constantFrom('a', 'b', 'a[]', 'a.b', '__proto__');
  const leaf = fc.oneof(
    fc.tuple(
      path,
      fc.constantFrom<Test>('equals', 'differs', 'contains'),
      fc.constantFrom(1, '1', 'one', null),
    ),
    fc.tuple(
      path,
      fc.constantFrom<Test>('greater', 'at-least', 'less', 'at-most'),
      fc.constantFrom(1, 'one'),
    ),
    fc.tuple(path, fc.constant<Test>('in'), fc.constantFrom([1, 'one'], [])),
    fc.tuple(path, fc.constantFrom<Test>('starts', 'matches'), fc.constantFrom('o', '1')),
    fc.tuple(path, fc.constant<Test>('type'), fc.constantFrom('number', 'array', 'null')),
    fc.tuple(path, fc.constantFrom<Test>('exists', 'missing'), fc.constant(undefined)),
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small' },
      leaf.map(([where, name, value]): Filter => one(where, name, value)),
      fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(filter, async (given) => {
      const ids = await found(given);
      expect(await found(simplified(given))).toEqual(ids);
      const read = parseFilter(textOfParts(partsOf(given))).filter as Filter;
      expect(await found(read)).toEqual(ids);
      expect((await found(not(given))).length).toBe(everything - ids.length);
    }),
    { numRuns: 120 },
  );
});
