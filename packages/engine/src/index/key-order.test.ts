import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundsOfKey, boundsOfPrefix, boundsOfRange, decodeKey, encodeKey } from './key-order.ts';

const within = (key: unknown, { from, to }: { from: string; to: string | undefined }) => {
  const text = `${encodeKey(key)}some-id`;
  return text >= from && (to === undefined || text < to);
};

const number = fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
const { key: anyKey } = fc.letrec<{ key: unknown }>((tie) => ({
  key: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    number,
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 4 }),
    fc.array(tie('key'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('key'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe('encodeKey', () => {
  test('sorts keys of all types in one fixed order', () => {
    const ordered = [
      null,
      false,
      true,
      Number.NEGATIVE_INFINITY,
      -1e300,
      -2,
      -1.5,
      -1e-300,
      Number.NaN,
      0,
      5e-324,
      1,
      1.5,
      2,
      10,
      1e300,
      Number.POSITIVE_INFINITY,
      '',
      '\u0000',
      '\u0000a',
      '\u0001',
      '1',
      'B',
      'a',
      'a\u0000',
      'a\u0000b',
      'a\u0001',
      'aa',
      'b',
      'é',
      [],
      [null],
      [1],
      [1, 2],
      [1, 'a'],
      [2],
      ['a'],
      ['a', 1],
      ['a\u0000'],
      [[]],
      [[1]],
      [undefined],
      undefined,
      {},
      { a: 1 },
      { a: 1, b: 1 },
      { a: 2 },
      { b: 1 },
      Uint8Array.of(),
      Uint8Array.of(1),
    ];
    const texts = ordered.map((key) => encodeKey(key));
    expect(texts.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(texts);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('sorts numbers and strings as JavaScript compares them', () => {
    const same = (a: number | string, b: number | string) => {
      const [x, y] = [encodeKey(a), encodeKey(b)];
      expect(x < y).toBe(a < b);
      expect(x === y).toBe(a === b);
    };
    fc.assert(fc.property(number, number, same));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), same));
  });

  test('sorts arrays element by element', () => {
    fc.assert(
      fc.property(fc.array(anyKey), anyKey, anyKey, fc.array(anyKey), (shared, a, b, rest) => {
        const [x, y] = [encodeKey(a), encodeKey(b)];
        const [left, right] = [encodeKey([...shared, a, ...rest]), encodeKey([...shared, b])];
        if (x !== y) expect(left < right).toBe(x < y);
        else expect(left < right).toBe(false);
      }),
    );
  });

  test('decodes a key unchanged, whatever follows it', () => {
    fc.assert(
      fc.property(anyKey, fc.string(), (key, rest) => {
        const text = encodeKey(key);
        expect(decodeKey(text + rest)).toEqual({ key, end: text.length });
      }),
    );
  });

  test('replaces a lone surrogate with the replacement character, as everywhere in UTF-8', () => {
    expect(decodeKey(encodeKey('a\ud800')).key).toBe('a\ufffd');
    expect(decodeKey(encodeKey('a😀')).key).toBe('a😀');
  });

  test('encodes a Date as its ISO text, and -0 as 0', () => {
    expect(encodeKey(new Date(0))).toBe(encodeKey('1970-01-01T00:00:00.000Z'));
    expect(encodeKey(new Date(Number.NaN))).toBe(encodeKey(null));
    expect(encodeKey(-0)).toBe(encodeKey(0));
  });

  test('rejects values without an order', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    for (const key of [() => 1, Symbol('s'), loop])
      expect(() => encodeKey(key)).toThrowError(expect.objectContaining({ code: 'MAP_FAILED' }));
  });
});

describe('bounds', () => {
  test('includes only equal keys in the bounds of a key', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(within(a, boundsOfKey(a))).toBe(true);
        expect(within(b, boundsOfKey(a))).toBe(encodeKey(a) === encodeKey(b));
      }),
    );
  });

  test('includes the first and the last key of a range', () => {
    const bounds = boundsOfRange([3, 12]);
    expect([2.9, 3, 7, 12, 12.1].map((key) => within(key, bounds))).toEqual([false, true, true, true, false]);
  });

  test('includes strings that start with a string prefix, and arrays with that prefix as first element', () => {
    const keys = ['ap', 'app', 'app\uffffz', 'apple', 'aq', ['app'], ['app', 1], ['apple'], ['app', 'x', 2]];
    const bounds = boundsOfPrefix('app');
    expect(keys.filter((key) => bounds.some((b) => within(key, b)))).toEqual([
      'app',
      'app\uffffz',
      'apple',
      ['app'],
      ['app', 1],
      ['app', 'x', 2],
    ]);
  });

  test('includes all arrays that start with the elements of an array prefix', () => {
    const keys = ['x', ['x'], ['x', -1], ['x', 'y'], ['x', null], ['x', [1]], ['xy'], [], ['w', 'x']];
    const bounds = boundsOfPrefix(['x']);
    expect(keys.filter((key) => bounds.some((b) => within(key, b)))).toEqual([
      ['x'],
      ['x', -1],
      ['x', 'y'],
      ['x', null],
      ['x', [1]],
    ]);
  });

  test('ends after every text that starts with a prefix', () => {
    expect(boundsOfPrefix('a\uffff').some((b) => within('a\uffff\uffff', b))).toBe(true);
    expect(boundsOfPrefix('a\uffff').some((b) => within('b', b))).toBe(false);
  });
});
