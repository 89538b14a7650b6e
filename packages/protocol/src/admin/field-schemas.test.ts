import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { fields, oneOf, rewrite, wholeNumber } from './field-schemas.ts';

/** Returns the path and message of the first issue. */
function issueOf(schema: v.GenericSchema, value: unknown): [string, string] | undefined {
  const [issue] = v.safeParse(schema, value).issues ?? [];
  return issue && [(issue.path ?? []).map(({ key }) => String(key)).join('.'), issue.message];
}

describe('fields', () => {
  const schema = fields({ name: v.string('Name is required'), note: v.optional(v.string()) });

  test('keeps known fields and drops the others', () => {
    expect(v.parse(schema, { name: 'a', note: 'b', more: 1 })).toEqual({ name: 'a', note: 'b' });
    expect(Object.keys(v.parse(schema, { name: 'a' }))).toEqual(['name']);
  });

  test("reports a missing field with the message of the field's own schema", () => {
    for (const value of [{}, { name: undefined }, { name: null }, { name: 7 }])
      expect(issueOf(schema, value)).toEqual(['name', 'Name is required']);
  });

  test('rejects lists and everything else that is not an object', () => {
    for (const value of [[], [['name', 'a']], null, undefined, 'a', 7, true])
      expect(v.is(schema, value), JSON.stringify(value)).toBe(false);
    expect(v.is(fields({}), [])).toBe(false);
  });

  test('ignores inherited properties', () => {
    expect(v.is(schema, Object.create({ name: 'a' }))).toBe(false);
    const optional = fields({ toString: v.optional(v.string()) });
    expect(v.parse(optional, {})).toEqual({});
  });

  test('reports the path of a nested field', () => {
    const nested = fields({ inner: schema });
    expect(issueOf(nested, { inner: {} })).toEqual(['inner.name', 'Name is required']);
    expect(issueOf(nested, {})?.[0]).toBe('inner');
  });
});

describe('oneOf', () => {
  test('accepts only the listed words, and lists these words in the error message', () => {
    const schema = oneOf(['read', 'write']);
    expect(v.is(schema, 'write')).toBe(true);
    for (const value of ['READ', '', null, ['read']])
      expect(issueOf(schema, value)).toEqual(['', 'must be one of read, write']);
  });
});

describe('rewrite', () => {
  test('changes the text before the later checks', () => {
    const schema = v.pipe(
      v.string(),
      rewrite((text) => text.replaceAll('-', '')),
      v.maxLength(2),
    );
    expect(v.parse(schema, 'a--b')).toBe('ab');
    expect(v.is(schema, 'a-bc')).toBe(false);
  });
});

describe('wholeNumber', () => {
  test('accepts whole numbers between the bounds, and both bounds', () => {
    const schema = wholeNumber(1, 3);
    for (const value of [1, 2, 3]) expect(v.is(schema, value), String(value)).toBe(true);
    for (const value of [0, 4, 1.5, Number.NaN, '2', null]) expect(v.is(schema, value)).toBe(false);
  });

  test('rejects numbers that are too large for a counter', () => {
    const schema = wholeNumber(1);
    expect(v.is(schema, Number.MAX_SAFE_INTEGER)).toBe(true);
    for (const value of [Number.MAX_SAFE_INTEGER + 1, 1e300, Number.POSITIVE_INFINITY])
      expect(v.is(schema, value)).toBe(false);
  });
});
