import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { conditionOf, decodedId, isKnown, limitIn, queryOf } from './call-values.ts';
import { ROUTES } from './routes.ts';

const invalid = expect.objectContaining({ code: 'REQUEST_INVALID' });
const withHeaders = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;

describe('the query', () => {
  test('returns decoded parameters of the route', () => {
    const query = queryOf(ROUTES.listDocuments, 'limit=5&after=a%20b%26+c&prefix=');
    expect([...query]).toEqual([
      ['limit', '5'],
      ['after', 'a b& c'],
      ['prefix', ''],
    ]);
    expect(queryOf(ROUTES.health, '').size).toBe(0);
  });

  test.each(['since=1', 'limit=1&limit=1', 'Limit=1', '__proto__=1', 'constructor=1', '=', 'x'])(
    'rejects %s',
    (search) => {
      expect(() => queryOf(ROUTES.listDocuments, search)).toThrow(invalid);
    },
  );

  test('rejects headers of the route as parameters', () => {
    expect(() => queryOf(ROUTES.putDocument, 'If-Match=x')).toThrow(invalid);
  });

  test('returns a limit only if it consists of digits', () => {
    const limitOf = (text?: string) => limitIn(new Map(text === undefined ? [] : [['limit', text]]));
    expect([undefined, '5', '007', '0'].map(limitOf)).toEqual([undefined, 5, 7, 0]);
    for (const text of ['', '-1', '1.5', '1e3', '0x10', ' 5', '9'.repeat(20)])
      expect(limitOf(text), text).toBeNaN();
  });
});

describe('the id in the path', () => {
  test.each([
    ['a', 'a'],
    ['lists%2Fa', 'lists/a'],
    ['%E2%82%AC%20%25', '€ %'],
    ['a+b', 'a+b'],
    ['%00', '\u0000'],
  ])('decodes %s', (part, id) => {
    expect(decodedId(part)).toBe(id);
  });

  test.each(['%', '%zz', '%ff', '%c3', '%ed%a0%80'])('rejects %s as an id', (part) => {
    expect(() => decodedId(part)).toThrow(invalid);
  });
});

describe('conditions', () => {
  test.each([
    [{}, { ifMatch: undefined, ifAbsent: false }],
    [{ 'if-match': '"a"' }, { ifMatch: ['"a"'], ifAbsent: false }],
    [{ 'if-match': ' "a" ,W/"b", ""' }, { ifMatch: ['"a"', 'W/"b"', '""'], ifAbsent: false }],
    [{ 'if-match': '*' }, { ifMatch: ['*'], ifAbsent: false }],
    [{ 'if-match': '"a,b"' }, { ifMatch: ['"a,b"'], ifAbsent: false }],
    [{ 'if-match': '' }, { ifMatch: [], ifAbsent: false }],
    [{ 'if-none-match': ' * ' }, { ifMatch: undefined, ifAbsent: true }],
  ])('reads the condition in %j', (headers, condition) => {
    expect(conditionOf(withHeaders(headers as Record<string, string>))).toEqual(condition);
  });

  test.each([
    { 'if-match': 'a' },
    { 'if-match': '"a' },
    { 'if-match': '"a" "b"' },
    { 'if-match': '*, "a"' },
    { 'if-match': 'w/"a"' },
    { 'if-none-match': '"a"' },
    { 'if-none-match': '' },
  ])('rejects the condition in %j', (headers) => {
    expect(() => conditionOf(withHeaders(headers as Record<string, string>))).toThrow(invalid);
  });

  test('recognises a document by its tag, also by a weak one', () => {
    const known = (header?: string) =>
      isKnown(withHeaders(header === undefined ? {} : { 'if-none-match': header }), '"a"');
    expect(['"a"', 'W/"a"', '"b", "a"', '*'].map(known)).toEqual([true, true, true, true]);
    expect([undefined, '"b"', '""'].map(known)).toEqual([false, false, false]);
  });
});
