import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fixpoint } from 'fixpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../values/field-path.ts';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { type Condition, type Filter, simplified, type Test, whereOf } from './filter.ts';
import { filterText, valueText } from './filter-text.ts';
import { expectedAfter, parseFilter } from './parse-filter.ts';

const one = (path: string, test: Test, value?: unknown): Condition => ({
  kind: 'test',
  path,
  test,
  ...(value !== undefined && { value }),
});

describe('the text of a filter', () => {
  test.each<[string, Filter]>([
    ['scope = "M"', one('scope', 'equals', 'M')],
    ['scope = M', one('scope', 'equals', 'M')],
    ['speakers >= -1.5e3', one('speakers', 'at-least', -1500)],
    ['a.b != null', one('a.b', 'differs', null)],
    ['tags[] = "red"', one('tags[]', 'equals', 'red')],
    ['lines[].sku in ["a", 1]', one('lines[].sku', 'in', ['a', 1])],
    ['"a.b" exists', one('a\\.b', 'exists')],
    ['"or" = true', one('\\or', 'equals', true)],
    ['NAME CONTAINS "x"', one('NAME', 'contains', 'x')],
    ['name starts with "x"', one('name', 'starts', 'x')],
    ['name not contains "x"', { kind: 'not', of: one('name', 'contains', 'x') }],
    ['name not exists', one('name', 'missing')],
    ['name is missing', one('name', 'missing')],
    ['n is number', one('n', 'type', 'number')],
    ['n is not text', { kind: 'not', of: one('n', 'type', 'string') }],
    ['n matches /a\\/b[/]/i', one('n', 'matches', '(?i)a/b[/]')],
    ['o = {"a": [1, {"b": null}]}', one('o', 'equals', { a: [1, { b: null }] })],
    [
      '(scope = "M" or type = "A") and not name = "x"',
      {
        kind: 'all',
        of: [
          { kind: 'any', of: [one('scope', 'equals', 'M'), one('type', 'equals', 'A')] },
          { kind: 'not', of: one('name', 'equals', 'x') },
        ],
      },
    ],
    [
      'a = 1 or b = 2 and c = 3',
      {
        kind: 'any',
        of: [one('a', 'equals', 1), { kind: 'all', of: [one('b', 'equals', 2), one('c', 'equals', 3)] }],
      },
    ],
  ])('reads %s', (text, filter) => {
    expect(parseFilter(text)).toEqual({ filter });
  });

  test('contains no condition if it is empty', () => {
    expect(parseFilter('  ')).toEqual({ filter: undefined });
  });

  test.each<[string, RegExp, number]>([
    ['scope', /Expected a comparison here/, 5],
    ['scope = ', /Expected a value here/, 8],
    ['scope = "M', /a text without a closing quote/, 8],
    ['(a = 1', /This parenthesis has no end/, 0],
    ['a = 1 b = 2', /Expected "and" or "or" before b/, 6],
    ['a = 1)', /Expected "and" or "or" before \)/, 5],
    ['a in 5', /Expected a list/, 5],
    ['a is 5', /Expected a type/, 5],
    ['a matches /(/', /Unterminated group/, 10],
    ['and = 1', /Put and in quotes if a field has this name/, 0],
    ['a = or', /Put or in quotes/, 4],
    ['a = 1 and', /Expected a field here/, 9],
    ['a = [1, 2', /This list has no end/, 4],
    ['a ~ 1', /Expected a comparison/, 2],
    [`${'('.repeat(60)}a = 1`, /nested too deeply/, 50],
  ])('says what is wrong with %s, and where', (text, message, from) => {
    const { problem } = parseFilter(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.from).toBe(from);
  });

  test('reads back every filter that it writes', () => {
    const name = fc.oneof(fc.constantFrom(...HOSTILE_NAMES.slice(0, -1)), fc.string({ maxLength: 4 }));
    const path = fc
      .array(fc.record({ name, isEach: fc.boolean() }), { minLength: 1, maxLength: 3 })
      .map(pathOf);
    const value = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
      fc.boolean(),
      fc.constant(null),
    );
    const pattern = fc.constantFrom('a', '/', 'a/b', '(?i)x[/]', '\\d+', 'a\nb');
    const leaf = fc.oneof(
      fc.tuple(path, fc.constantFrom<Test>('equals', 'differs', 'contains', 'greater', 'at-most'), value),
      fc.tuple(path, fc.constant<Test>('in'), fc.array(value, { maxLength: 3 })),
      fc.tuple(path, fc.constant<Test>('starts'), fc.string({ maxLength: 3 })),
      fc.tuple(path, fc.constant<Test>('matches'), pattern),
      fc.tuple(path, fc.constant<Test>('type'), fc.constantFrom('string', 'array', 'null')),
      fc.tuple(path, fc.constantFrom<Test>('exists', 'missing'), fc.constant(undefined)),
    );
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf.map(([where, test, operand]): Filter => one(where, test, operand)),
        fc.record({
          kind: fc.constantFrom('all' as const, 'any' as const),
          of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
        }),
        fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
      ),
    }));
    fc.assert(
      fc.property(filter, (given) => {
        expect(parseFilter(filterText(given))).toEqual({ filter: simplified(given) });
      }),
      { numRuns: 400 },
    );
  });

  test('says what may follow', () => {
    expect(expectedAfter('')).toEqual({ what: 'field' });
    expect(expectedAfter('scope ')).toEqual({ what: 'operator', path: 'scope' });
    expect(expectedAfter('scope = ')).toEqual({ what: 'value', path: 'scope', test: 'equals' });
    expect(expectedAfter('scope = 1 ')).toEqual({ what: 'join' });
    expect(expectedAfter('(scope = 1 or ')).toEqual({ what: 'field' });
    expect(expectedAfter('scope is ')).toEqual({ what: 'type', path: 'scope' });
  });
});

test('writes all digits of a long integer', () => {
  expect([valueText(2n ** 60n + 1n), valueText([{ n: 5n }])]).toEqual(['1152921504606846977', '[{"n":5}]']);
});

test('finds the documents that the text describes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  const database = fixpoint('filters', { directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  await database.bulk([
    { _id: 'a', scope: 'M', n: 1, tags: ['red', 'blue'], place: { city: 'Rome' } },
    { _id: 'b', scope: 'I', n: 20, tags: [], or: true },
    { _id: 'c', scope: 'I', n: '20', constructor: 'mine', 'x.y': 1 },
    Object.fromEntries([
      ['_id', 'd'],
      ['__proto__', 5],
      ['hasOwnProperty', null],
    ]) as { _id: string },
  ]);
  const found = async (text: string) => {
    const { filter, problem } = parseFilter(text);
    if (problem !== undefined) throw new Error(problem.message);
    const { docs } = await database.find({ where: whereOf(filter as Filter) });
    return docs.map(({ _id }) => _id).join('');
  };
  for (const [text, ids] of [
    ['scope = "M" or n > 5', 'ab'],
    ['scope != "M"', 'bc'],
    ['not scope = "M"', 'bcd'],
    ['n is text', 'c'],
    ['n is not number', 'cd'],
    ['tags[] in ["blue"]', 'a'],
    ['tags[] is missing', 'bcd'],
    ['tags contains "red"', 'a'],
    ['place.city starts with "Ro"', 'a'],
    ['place.city matches /^r.m/i', 'a'],
    ['constructor = "mine"', 'c'],
    ['toString exists', ''],
    ['__proto__ = 5', 'd'],
    ['hasOwnProperty is null', 'd'],
    ['"or" = true', 'b'],
    ['"x.y" exists', 'c'],
  ] as const)
    expect([text, await found(text)]).toEqual([text, ids]);
});
