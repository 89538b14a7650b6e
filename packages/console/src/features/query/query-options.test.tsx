import { beforeEach, describe, expect, test } from 'vitest';
import {
  isPlain,
  NO_OPTIONS,
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
  });

  test('reads them from saved queries of any version', () => {
    expect(savedOptions(undefined)).toEqual(NO_OPTIONS);
    expect(savedOptions({ reduce: 'constructor', group: '__proto__', limit: 5 })).toEqual(NO_OPTIONS);
    expect(isPlain(savedOptions({ ...NO_OPTIONS, key: '1' }))).toBe(false);
  });

  test('keeps them in this tab until they are saved', () => {
    writeOptionsDraft('db', undefined, { ...NO_OPTIONS, key: '1' });
    expect(readOptionsDraft('db', undefined)?.key).toBe('1');
    writeOptionsDraft('db', undefined, undefined);
    expect(readOptionsDraft('db', undefined)).toBe(undefined);
  });
});
