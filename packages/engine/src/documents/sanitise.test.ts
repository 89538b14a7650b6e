import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { cidOf, cidToBytes, RAW } from '../codec/cid.ts';
import { ownLinks } from '../codec/links.fixture.ts';
import { parseDocKey } from './doc-key.ts';
import { decodeDocument, encodeDocument } from './encode.ts';
import { DEPTH_MAX } from './sanitise.ts';

const id = parseDocKey('id');
const link = CID.decode(cidToBytes(cidOf(RAW, new Uint8Array())));

function putAndGet(fields: Record<string, unknown>): Record<string, unknown> {
  const stored = decodeDocument(encodeDocument(fields, id).bytes);
  if ('deleted' in stored) throw new Error('deleted');
  return stored.doc;
}

const nested = (levels: number): unknown =>
  levels === 0 ? 'end' : levels % 2 === 0 ? [nested(levels - 1)] : { in: nested(levels - 1) };

describe('values of a document', () => {
  test('returns any JSON unchanged, whatever its keys and texts', long, () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }).filter((text) => !/\p{Surrogate}/u.test(text)),
      fc.constantFrom(
        '__proto__',
        'constructor',
        'then',
        'toJSON',
        'prototype',
        'hasOwnProperty',
        '\0',
        '\ufeff',
        '',
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 5 }),
        fc
          .array(fc.tuple(texts, tie('value')), { maxLength: 5 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const before = JSON.stringify(given);
        const { given: after } = putAndGet({ given });
        expect(isDeepStrictEqual(after, given)).toBe(true);
        expect(JSON.stringify(given)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  test('[S10] keeps keys that have a special meaning in JavaScript', () => {
    const fields = JSON.parse(
      '{"__proto__":{"admin":true},"constructor":1,"then":2,"toJSON":3,"a":[{"__proto__":null}]}',
    ) as Record<string, unknown>;
    const doc = putAndGet(fields);
    expect(Object.keys(doc).sort()).toEqual(['__proto__', '_id', 'a', 'constructor', 'then', 'toJSON']);
    expect(Object.getOwnPropertyDescriptor(doc, '__proto__')?.value).toEqual({ admin: true });
    expect(Object.getPrototypeOf(doc)).toBe(Object.prototype);
    expect(doc['admin']).toBeUndefined();
    expect(JSON.stringify(doc['a'])).toBe('[{"__proto__":null}]');
  });

  test.each([
    ['bytes', Uint8Array.of(0, 255), Uint8Array.of(0, 255)],
    ['a Buffer, as Uint8Array', Buffer.from('x'), Uint8Array.of(120)],
    ['a link', link, ownLinks(link)],
    ['a BigInt beyond safe integers', 2n ** 63n, 2n ** 63n],
    ['the greatest integer', 2n ** 64n - 1n, 2n ** 64n - 1n],
    ['the least integer', -(2n ** 64n), -(2n ** 64n)],
    ['a Date, as ISO text', new Date(5), '1970-01-01T00:00:00.005Z'],
    ['an object without prototype', Object.assign(Object.create(null), { x: 1 }), { x: 1 }],
    ['a map that looks like a link', { '/': 'a', bytes: 'a' }, { '/': 'a', bytes: 'a' }],
    ['the deepest nesting', nested(DEPTH_MAX), nested(DEPTH_MAX)],
  ])('keeps %s', (_, given, expected) => {
    expect(putAndGet({ given })['given']).toEqual(expected);
  });

  test('stores -0 as 0', () => {
    expect(putAndGet({ a: -0, b: [Math.round(-0.2)] })).toStrictEqual({ _id: 'id', a: 0, b: [0] });
  });

  test('omits properties that are undefined, or have a symbol as their key', () => {
    const doc = putAndGet({ a: undefined, b: { c: undefined, d: 1 }, [Symbol('x')]: 2 });
    expect(doc).toStrictEqual({ _id: 'id', b: { d: 1 } });
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  class Point {
    readonly x = 1;
  }
  test.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['undefined in an array', [undefined]],
    ['a hole in an array', new Array(1)],
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', '\udc00'],
    ['a key with a lone surrogate', { '\ud800': 1 }],
    ['a small BigInt', 10n],
    ['an integer of 65 bits', 2n ** 64n],
    ['a negative integer of 65 bits', -(2n ** 64n) - 1n],
    ['a function', () => 0],
    ['a symbol', Symbol('x')],
    ['an invalid Date', new Date(Number.NaN)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['a RegExp', /x/],
    ['another typed array', new Uint16Array(1)],
    ['an ArrayBuffer', new ArrayBuffer(1)],
    ['a boxed text', new String('x')],
    ['an Error', new Error('x')],
    ['a class instance', new Point()],
    ['a toJSON function', { toJSON: () => 1 }],
    ['a cycle', cycle],
    ['nesting too deep', nested(DEPTH_MAX + 1)],
  ])('rejects %s instead of changing it', (_, given) => {
    expect(() => encodeDocument({ given }, id)).toThrow(expect.objectContaining({ code: 'DOC_INVALID' }));
    expect(() => encodeDocument({ _meta: { given } }, id)).toThrow(
      expect.objectContaining({ code: 'DOC_INVALID' }),
    );
  });

  test.each([
    ['an array', []],
    ['null', null],
    ['a text', 'x'],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
  ])('rejects %s as a document', (_, doc) => {
    expect(() => encodeDocument(doc as never, id)).toThrow(expect.objectContaining({ code: 'DOC_INVALID' }));
  });

  test('includes the path of the value in an error', () => {
    expect(() => encodeDocument({ list: [{ ok: 1 }, { bad: Number.NaN }] }, id)).toThrow(
      'document cannot be stored: list.1.bad: NaN cannot be stored',
    );
  });

  test('keeps the stored content when the caller changes the bytes later', () => {
    const bytes = Uint8Array.of(1);
    const block = encodeDocument({ bytes }, id);
    const stored = decodeDocument(block.bytes);
    bytes[0] = 2;
    block.bytes.fill(0);
    expect(stored).toEqual({ doc: { _id: 'id', bytes: Uint8Array.of(1) } });
  });
});
