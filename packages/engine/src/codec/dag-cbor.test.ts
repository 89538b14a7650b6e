import * as reference from '@ipld/dag-cbor';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { cidOf, cidToBytes, DAG_CBOR } from './cid.ts';
import { decode, decodeMap, encode, isLink, link, linkCid } from './dag-cbor.ts';
import { ownLinks } from './links.fixture.ts';

const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const cid = cidOf(DAG_CBOR, Uint8Array.of(1));
const someLink = CID.decode(cidToBytes(cid));

const texts = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 200, maxLength: 300 }),
);
const numbers = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 64n), max: -(2n ** 53n) }),
);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }),
    fc.constant(someLink),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(
      texts.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 40, noNullPrototype: true },
    ),
  ),
}));

describe('dag-cbor', () => {
  test('writes the same bytes as the reference implementation, and reads them back', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encode(value);
        expect(Buffer.from(bytes).equals(Buffer.from(reference.encode(value)))).toBe(true);
        expect(decode(bytes)).toEqual(ownLinks(value));
      }),
      { numRuns: 500 },
    );
  });

  test('reads or rejects random bytes like the reference implementation', () => {
    const settle = (run: () => unknown) => {
      try {
        return { value: run() };
      } catch {
        return 'refused';
      }
    };
    const mutated = fc.tuple(values, fc.nat(), fc.nat(255)).map(([value, place, byte]) => {
      const bytes = encode(value);
      bytes[place % bytes.length] = byte;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 20 })), (bytes) => {
        const ours = settle(() => decode(bytes));
        const theirs = settle(() => reference.decode(bytes));
        // Our reader rejects more: values that the reference implementation silently changes, such
        // as text that isn't UTF-8.
        if (ours === 'refused' && typeof theirs === 'object') {
          expect(reference.encode(theirs.value)).not.toEqual(bytes);
          return;
        }
        expect(ours).toEqual(ownLinks(theirs));
      }),
      { numRuns: 2000 },
    );
  });

  test('[S10] keeps names with a special meaning in JavaScript as ordinary properties', () => {
    const value = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"then":"x","toJSON":2,"hasOwnProperty":3,"nested":{"__proto__":4}}',
    ) as Record<string, unknown>;
    const again = decode(encode(value)) as Record<string, unknown>;
    expect(JSON.stringify(again)).toBe(
      '{"then":"x","nested":{"__proto__":4},"toJSON":2,"__proto__":{"polluted":true},"constructor":{"prototype":1},"hasOwnProperty":3}',
    );
    expect(Object.getPrototypeOf(again)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('keeps a byte order mark at the start of a text', () => {
    expect(decode(encode('\ufeffx'))).toBe('\ufeffx');
    expect(decode(encode(`\ufeff${'x'.repeat(100)}`))).toBe(`\ufeff${'x'.repeat(100)}`);
  });

  test('reads back texts of lengths around each limit of the length field, with characters of one to four bytes', () => {
    for (const unit of ['a', 'é', '漢', '😀']) {
      for (const length of [
        0, 1, 5, 6, 7, 11, 12, 22, 23, 24, 25, 47, 48, 49, 63, 64, 85, 86, 127, 128, 254, 255, 256, 257,
        21_845, 65_535, 65_536,
      ]) {
        const text = unit.repeat(length);
        const bytes = encode([text, text]);
        expect(Buffer.from(bytes).equals(Buffer.from(reference.encode([text, text])))).toBe(true);
        expect(decode(bytes)).toEqual([text, text]);
      }
    }
  });

  test.each([
    ['a length beyond the end', '5affffffff00'],
    ['an array of more items than bytes', '9affffffff00'],
    ['a map of more entries than bytes', 'bbffffffffffffffff'],
    ['an indefinite length', '9f01ff'],
    ['an integer longer than needed', '1801'],
    ['a key that is a number', 'a10102'],
    ['a key that occurs twice', 'a2616101616102'],
    ['a tag other than 42', 'c100'],
    ['a link without its leading zero', 'd82a420101'],
    ['an infinity', 'fb7ff0000000000000'],
    ['bytes after the value', '0101'],
    ['empty input', ''],
    ['bytes that end inside of a value', '8201'],
    ['text that is not UTF-8', '61ff'],
  ])('[R4] rejects %s as corrupt', (_, hex) => {
    expect(() => decode(fromHex(hex))).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });

  test('[S7] rejects nesting that would exhaust the stack as corrupt', () => {
    expect(() => decode(new Uint8Array(200_000).fill(0x81))).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });

  test.each([
    ['undefined', { a: undefined }],
    ['NaN', [Number.NaN]],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a function', () => 0],
    ['a symbol', Symbol('x')],
    ['a Map', new Map()],
    ['a Date', new Date(0)],
    ['an integer of 65 bits', 2n ** 64n],
  ])('rejects %s, which dag-cbor cannot represent', (_, value) => {
    expect(() => encode(value)).toThrow(expect.objectContaining({ code: 'DOC_INVALID' }));
  });

  test('allows a getter to encode another value during encoding', () => {
    const value = {
      a: 1,
      get b() {
        return encode({ inner: 'x'.repeat(5000) });
      },
      c: 'z',
    };
    expect(decode(encode(value))).toEqual({ a: 1, b: encode({ inner: 'x'.repeat(5000) }), c: 'z' });
  });

  test('copies byte strings of a document, but returns views for byte strings of a structure', () => {
    const bytes = encode({ data: Uint8Array.of(1, 2, 3) });
    const copy = decode(bytes) as { data: Uint8Array };
    const view = decodeMap(bytes);
    bytes.fill(9, bytes.length - 3);
    expect(copy.data).toEqual(Uint8Array.of(1, 2, 3));
    expect(view['data']).toEqual(Uint8Array.of(9, 9, 9));
  });

  test('reads a link in a document as a CID, and a link in a structure as text', () => {
    const bytes = encode({ there: link(cid) });
    expect(bytes).toEqual(encode({ there: someLink }));
    expect((decode(bytes) as { there: unknown }).there).toEqual(ownLinks(someLink));
    expect(linkCid(decodeMap(bytes)['there'])).toBe(cid);
    expect(linkCid(someLink)).toBe(cid);
  });

  test('reads a map that looks like a link as a map', () => {
    const bytes = cidToBytes(cid);
    const lookalike: Record<string, unknown> = { '/': bytes, bytes };
    lookalike['asCID'] = lookalike;
    expect(isLink(lookalike)).toBe(false);
    expect(isLink({ '/': bytes, bytes })).toBe(false);
    expect(decode(encode({ '/': bytes, bytes }))).toEqual({ '/': bytes, bytes });
  });
});
