/** The conditions `type` and `matches`, without a database. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentLink } from '../codec/document-link.ts';
import { fieldsOf, matcherOf, parseWhere, type ValueType } from './where.ts';

const TYPES: readonly ValueType[] = ['null', 'boolean', 'number', 'string', 'array', 'object', 'bytes'];
const holds = (where: object, doc: object) => matcherOf(parseWhere(where))(doc);
const typesOf = (doc: object, path = 'field') => TYPES.filter((type) => holds({ [path]: { type } }, doc));

describe('a condition on a type', () => {
  test.each<[string, unknown, ValueType]>([
    ['null', null, 'null'],
    ['false', false, 'boolean'],
    ['zero', 0, 'number'],
    ['a fraction', -1.5, 'number'],
    ['a large integer', 2n ** 63n, 'number'],
    ['an empty text', '', 'string'],
    ['a text that looks like a number', '1', 'string'],
    ['a date', new Date(0), 'string'],
    ['an empty array', [], 'array'],
    ['an array of objects', [{}], 'array'],
    ['an empty object', {}, 'object'],
    ['an object with the name of a type', { type: 'null' }, 'object'],
    ['no bytes', new Uint8Array(), 'bytes'],
    ['the highest byte', Uint8Array.of(255, 255), 'bytes'],
  ])('holds for %s, and no other type does', (_, value, type) => {
    expect(typesOf({ field: value })).toEqual([type]);
  });

  test('holds for a link as for an object', () => {
    const link = new DocumentLink(Uint8Array.from([1, 0x71, 0x12, 32, ...new Uint8Array(32)]));
    expect(typesOf({ field: link })).toEqual(['object']);
  });

  test('holds for no missing field, not even for one that every object inherits', () => {
    for (const path of ['field', 'constructor', '__proto__', 'toString', 'a.b'])
      expect([path, typesOf({}, path)]).toEqual([path, []]);
  });

  test('holds for own fields with the names of inherited ones', () => {
    const doc = JSON.parse('{"__proto__": 1, "constructor": {"prototype": []}, "a.b": "x"}');
    expect(typesOf(doc, '__proto__')).toEqual(['number']);
    expect(typesOf(doc, 'constructor')).toEqual(['object']);
    expect(typesOf(doc, 'constructor.prototype')).toEqual(['array']);
    expect(typesOf(doc, 'a\\.b')).toEqual(['string']);
  });

  test('divides all values into types, so that exactly one holds', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.uint8Array(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    );
    fc.assert(
      fc.property(value, (field) => {
        const [only, ...others] = typesOf({ field });
        expect(others).toEqual([]);
        expect(holds({ not: { field: { type: only } } }, { field })).toBe(false);
        expect(holds({ field: { exists: true } }, { field })).toBe(true);
      }),
    );
  });

  test('holds for an entry of an array', () => {
    const doc = { tags: ['a', 1, null] };
    expect(typesOf(doc, 'tags[]')).toEqual(['null', 'number', 'string']);
    expect(typesOf({ tags: [] }, 'tags[]')).toEqual([]);
  });

  test.each(['constructor', '__proto__', 'String', 'date', '', 'undefined', 1, null, ['string'], {}])(
    'rejects %j with the names that it knows',
    (type) => {
      expect(() => parseWhere({ field: { type } })).toThrow(
        /field\.type is none of null, boolean, number, string, array, object, bytes/,
      );
    },
  );
});

describe('a condition on a pattern', () => {
  test.each<[string, unknown, boolean]>([
    ['a text', 'Berlin', true],
    ['a text without a match', 'Bonn', false],
    ['an array with such a text', ['Berlin'], false],
    ['an object with such a text', { x: 'Berlin' }, false],
    ['a number', 1, false],
    ['null', null, false],
    ['bytes of such a text', new TextEncoder().encode('Berlin'), false],
  ])('decides about %s', (_, city, expected) => {
    expect(holds({ city: { matches: '^Ber' } }, { city })).toBe(expected);
    expect(holds({ not: { city: { matches: '^Ber' } } }, { city })).toBe(!expected);
  });

  test('checks values that are not texts against no pattern, even one that matches everything', () => {
    expect(['', 'x'].map((field) => holds({ field: { matches: '' } }, { field }))).toEqual([true, true]);
    expect([1, true, [], {}].some((field) => holds({ field: { matches: '' } }, { field }))).toBe(false);
    expect(holds({ field: { matches: '' } }, {})).toBe(false);
  });

  test('holds together with the other conditions on the same entry', () => {
    const where = { 'tags[]': { matches: '^a', type: 'string', gt: 'ab', ne: 'ad' } };
    expect(holds(where, { tags: ['ac'] })).toBe(true);
    expect(holds(where, { tags: ['aa', 'bc'] })).toBe(false);
    expect(holds(where, { tags: ['ad'] })).toBe(false);
    expect(holds({ field: { matches: 'a', type: 'number' } }, { field: 'a' })).toBe(false);
  });

  test('matches a long text beyond the part that indexes keep', () => {
    const field = `${'x'.repeat(5_000)}end`;
    expect(holds({ field: { matches: 'xend$' } }, { field })).toBe(true);
    expect(holds({ field: { matches: 'xenx$' } }, { field })).toBe(false);
  });

  test.each([1, null, /a/, ['a'], {}, undefined])('rejects %o, which is no text', (matches) => {
    expect(() => parseWhere({ field: { matches } })).toThrow(/field\.matches is (not a text|undefined)/);
  });

  test('rejects a wrong pattern when the query is read, in any depth', () => {
    const where = { or: [{ not: { and: [{ field: { matches: '(' } }] } }] };
    expect(() => parseWhere(where)).toThrow(/Unterminated group/);
  });

  test('reads only its field', () => {
    expect(fieldsOf(parseWhere({ 'a.b': { matches: 'x' }, 'c[]': { type: 'null' } }))).toEqual(['a', 'c']);
  });
});
