import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonOf, parseJson, storedForm, tagOf } from './document-json.ts';

const bytesOf = (text: string) => Buffer.from(text);

describe('jsonOf and storedForm', () => {
  test('keeps any JSON as it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value = JSON.parse(text) as unknown;
        expect(jsonOf(storedForm(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps names that mean something in JavaScript', () => {
    const text = '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"toJSON":{"__proto__":[]}}';
    const value = storedForm(parseJson(bytesOf(text)));
    expect(jsonOf(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toJSON']);
  });

  test('writes bytes and links as in DAG-JSON, and reads bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = jsonOf({ bytes });
        expect(storedForm(JSON.parse(text))).toEqual({ bytes });
        expect(jsonOf(storedForm(JSON.parse(text)))).toBe(text);
      }),
    );
    expect(jsonOf({ a: Uint8Array.of(255) })).toBe('{"a":{"/":{"bytes":"/w"}}}');
    class Link {
      toString() {
        return 'bafyLink';
      }
    }
    expect(jsonOf([new Link()])).toBe('[{"/":"bafyLink"}]');
    expect(jsonOf({ a: Buffer.from([1, 2]) })).not.toBe('{}');
  });

  test.each([
    '{"/":{"bytes":"AQ=="}}',
    '{"/":{"bytes":"A"}}',
    '{"/":{"bytes":"AR"}}',
    '{"/":{"bytes":"-_"}}',
    '{"/":{"bytes":"A Q"}}',
    '{"/":{"bytes":1}}',
    '{"/":{"bytes":"AQ","more":1}}',
    '{"/":{"bytes":"AQ"},"more":1}',
    '{"/":"bafy"}',
    '{"/":null}',
    '{"/":[]}',
    '{"bytes":"AQ"}',
  ])('keeps %s, because it is another form than that of bytes', (text) => {
    const value = storedForm(JSON.parse(text));
    expect(value).not.toBeInstanceOf(Uint8Array);
    expect(jsonOf(value)).toBe(text);
  });
});

describe('tagOf', () => {
  const documents = fc
    .dictionary(fc.string(), fc.jsonValue())
    .map((doc) => JSON.parse(JSON.stringify(doc)) as object);
  /** Reverses the order of all fields. */
  const backwards = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(backwards);
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, part]) => [name, backwards(part)]),
    );
  };

  test('returns the same tag for equal documents only', () => {
    fc.assert(
      fc.property(documents, documents, (a, b) => {
        expect(tagOf(a) === tagOf(b)).toBe(isDeepStrictEqual(a, b));
        expect(tagOf(a)).toMatch(/^"[\w-]{32}"$/);
      }),
    );
  });

  test('depends neither on the order of fields nor on the form of bytes', () => {
    fc.assert(
      fc.property(documents, (doc) => {
        expect(tagOf(backwards(doc) as object)).toBe(tagOf(doc));
      }),
    );
    expect(tagOf({ a: { c: 1, b: [2, { e: 1, d: 2 }] } })).toBe(
      tagOf({ a: { b: [2, { d: 2, e: 1 }], c: 1 } }),
    );
    expect(tagOf({ a: [1, 2] })).not.toBe(tagOf({ a: [2, 1] }));
    expect(tagOf({ a: Uint8Array.of(1) })).toBe(tagOf({ a: { '/': { bytes: 'AQ' } } }));
  });
});

describe('parseJson', () => {
  const refusal = (bytes: Uint8Array) => {
    try {
      return parseJson(bytes);
    } catch (cause) {
      return (cause as { code?: string }).code;
    }
  };

  test('returns what JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each(['', '{', '{"a":}', 'undefined', '{"a":1}x', "{'a':1}", 'NaN', '\u0000'])(
    'rejects %j',
    (text) => {
      expect(refusal(bytesOf(text))).toBe('REQUEST_INVALID');
    },
  );

  test('rejects bytes that are not UTF-8, and skips a byte order mark', () => {
    expect(refusal(Uint8Array.of(0x22, 0xc3, 0x22))).toBe('REQUEST_INVALID');
    expect(refusal(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toBe('REQUEST_INVALID');
    expect(refusal(bytesOf('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  test('accepts 250 levels, and rejects more without building them', () => {
    const deep = (levels: number) => bytesOf(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(Array.isArray(parseJson(deep(250)))).toBe(true);
    for (const levels of [251, 1_000_000]) expect(refusal(deep(levels))).toBe('REQUEST_INVALID');
    expect(refusal(bytesOf('{"a":'.repeat(300)))).toBe('REQUEST_INVALID');
  });

  test('counts no brackets in texts', () => {
    const text = JSON.stringify({ a: `${'[{'.repeat(500)}"\\`, b: ['\\"[', '{'.repeat(300)] });
    expect(parseJson(bytesOf(text))).toEqual(JSON.parse(text));
  });
});
