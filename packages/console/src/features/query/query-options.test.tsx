import { beforeEach, describe, expect, test } from 'vitest';
import {
  isPlain,
  NO_OPTIONS,
  optionsText,
  parseOptions,
  readOptionsDraft,
  savedOptions,
  writeOptionsDraft,
} from './query-options.ts';

beforeEach(() => sessionStorage.clear());

describe('the options of a query', () => {
  test('reads keys as JSON, and other text as a string', () => {
    expect(parseOptions({ ...NO_OPTIONS, key: '["a", 1]' }).select).toEqual({ key: ['a', 1] });
    expect(parseOptions({ ...NO_OPTIONS, prefix: 'abc' }).select).toEqual({ prefix: 'abc' });
    expect(parseOptions({ ...NO_OPTIONS, from: '1', limit: '1,000', descending: true }).select).toEqual({
      range: [1, { '\uffff': null }],
      limit: 1000,
      descending: true,
    });
    expect(parseOptions({ ...NO_OPTIONS, to: '9' }).select).toEqual({ range: [null, 9] });
    expect(parseOptions(NO_OPTIONS)).toEqual({ select: {}, reduce: undefined, problem: undefined });
  });

  test('describes them in one line', () => {
    expect(optionsText(NO_OPTIONS)).toBe('Rows, groups and order');
    const grouped = { ...NO_OPTIONS, reduce: 'count' as const, group: '2', from: '["a"]' };
    expect(optionsText(grouped)).toBe('Count, by 2 key parts, from ["a"]');
    expect(optionsText({ ...NO_OPTIONS, prefix: ' x ', limit: '5', descending: true })).toBe(
      'Prefix x, at most 5, descending',
    );
  });

  test('reduces rows by a number of key parts', () => {
    expect(parseOptions({ ...NO_OPTIONS, reduce: 'sum', group: '2' }).reduce).toEqual({
      how: 'sum',
      group: 2,
    });
    expect(parseOptions({ ...NO_OPTIONS, reduce: 'count' }).reduce).toEqual({ how: 'count', group: 'all' });
  });

  test('says what is wrong', () => {
    expect(parseOptions({ ...NO_OPTIONS, limit: 'many' }).problem?.field).toBe('limit');
    expect(parseOptions({ ...NO_OPTIONS, limit: '-1' }).problem?.field).toBe('limit');
    expect(parseOptions({ ...NO_OPTIONS, key: '1', from: '2' }).problem?.text).toMatch(/only one/);
    for (const field of ['key', 'prefix', 'from', 'to'] as const) {
      const text = field === 'prefix' ? '["a", 9007199254740993]' : ' 9007199254740993 ';
      const { problem } = parseOptions({ ...NO_OPTIONS, [field]: text });
      expect(problem).toEqual({ field, text: expect.stringMatching(/would become 9007199254740992\./) });
      const quoted = parseOptions({
        ...NO_OPTIONS,
        [field]: text.replace('9007199254740993', '"9007199254740993"'),
      });
      expect(quoted.problem).toBeUndefined();
    }
  });

  test('reads them from saved queries of any version', () => {
    expect(savedOptions(undefined)).toEqual(NO_OPTIONS);
    expect(savedOptions({ reduce: 'constructor', group: '__proto__', limit: 5 })).toEqual(NO_OPTIONS);
    expect(isPlain(savedOptions({ ...NO_OPTIONS, key: '1' }))).toBe(false);
  });

  test.each(['1.5', 'NaN', 'Infinity', '9007199254740993', '-0.1', '1 000'])(
    'accepts no limit such as %s, and doesn’t apply it',
    (limit) => {
      const { problem, select } = parseOptions({ ...NO_OPTIONS, limit });
      expect(problem).toEqual({ field: 'limit', text: 'Enter a whole number.' });
      expect(select).toEqual({});
    },
  );

  test.each<[string, unknown]>([
    ['null', null],
    [' 5 ', 5],
    ['"5"', '5'],
    ['[1', '[1'],
    ['{"a":[]}', { a: [] }],
    ['__proto__', '__proto__'],
  ])('reads the key %j', (key, value) => {
    expect(parseOptions({ ...NO_OPTIONS, key }).select).toEqual({ key: value });
  });

  test('ignores texts of spaces', () => {
    const spaces = { key: ' ', prefix: '  ', from: ' ', to: ' ', limit: ' ' };
    expect(parseOptions({ ...NO_OPTIONS, ...spaces })).toEqual(parseOptions(NO_OPTIONS));
  });

  test('returns unchanged what was saved, and drops what isn’t an option', () => {
    const options = {
      ...{ key: '1', prefix: '', from: 'a', to: 'b', limit: '5', descending: true },
      ...{ reduce: 'sum', group: '2' },
    } as const;
    expect(savedOptions(JSON.parse(JSON.stringify({ ...options, extra: 1 })))).toEqual(options);
    for (const other of [null, 5, 'text', [], { key: 1, descending: 'yes', group: 2 }])
      expect(savedOptions(other)).toEqual(NO_OPTIONS);
  });

  test('keeps them in this tab until they are saved', () => {
    writeOptionsDraft('db', undefined, { ...NO_OPTIONS, key: '1' });
    expect(readOptionsDraft('db', undefined)?.key).toBe('1');
    writeOptionsDraft('db', undefined, undefined);
    expect(readOptionsDraft('db', undefined)).toBe(undefined);
  });
});
