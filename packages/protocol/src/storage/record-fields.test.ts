/** Tests the bytes and texts of records and of entries of the membership log. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, listBytes, readMap, recordBytes, recordFields, recordText } from './record-fields.ts';

/** Decodes base64url as the platform does; undefined if the text isn't the only encoding. */
function decoded(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? Uint8Array.from(bytes) : undefined;
}

const DIGITS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const names = fc.string({ minLength: 1, maxLength: 24, unit: fc.constantFrom(...'abcdefxyz') });
const bytes = fc.uint8Array({ maxLength: 300 });
const fields = fc.dictionary(names, fc.oneof(names, bytes, fc.array(bytes, { maxLength: 5 })), {
  maxKeys: 20,
  noNullPrototype: true,
});

describe('the text of bytes', () => {
  test('is decoded as by the platform, and only if it is the only encoding', () => {
    const texts = fc.oneof(
      bytes.map((some) => Buffer.from(some).toString('base64url')),
      fc.string({ unit: fc.constantFrom(...DIGITS), maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(...DIGITS.slice(0, 3), '=', '+', '/', ' ', '\n', 'é', '€'),
        maxLength: 6,
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(bytesOf(text)).toEqual(decoded(text));
      }),
    );
  });

  test.each(['A', 'AAAAA', 'AB', 'AAB', 'AA=', 'AA==', 'A+', 'A/', 'A A', 'AA\n', 'Aé', '\u0141A'])(
    'rejects %j',
    (text) => expect(bytesOf(text)).toBeUndefined(),
  );

  test.each([
    ['', []],
    ['AA', [0]],
    ['_w', [255]],
    ['-_8', [251, 255]],
    ['AQID', [1, 2, 3]],
  ])('decodes %j', (text, expected) => expect([...(bytesOf(text) ?? [])]).toEqual(expected));
});

describe('the map of a record', () => {
  test('is read from its only encoding', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const encoded = recordBytes(given);
        expect(Object.fromEntries(readMap(encoded) ?? [])).toEqual(given);
        expect(Object.fromEntries(recordFields(recordText(encoded)) ?? [])).toEqual(given);
        expect(Object.fromEntries(recordFields(recordText(encoded, 'S2.'), 'S2.') ?? [])).toEqual(given);
        expect(recordFields(recordText(encoded, 'S2.'))).toBeUndefined();
      }),
    );
  });

  test('is read from no other bytes', () => {
    fc.assert(
      fc.property(fields, fc.nat(), fc.nat({ max: 254 }), (given, place, change) => {
        const encoded = recordBytes(given);
        const at = place % encoded.length;
        const changed = Uint8Array.from(encoded);
        changed[at] = ((changed[at] as number) + 1 + change) % 256;
        const read = readMap(changed);
        // Whatever is read has these bytes as its only encoding.
        if (read !== undefined) expect(recordBytes(Object.fromEntries(read))).toEqual(changed);
        expect(readMap(encoded.subarray(0, at))).toBeUndefined();
        expect(readMap(Uint8Array.of(...encoded, 0))).toBeUndefined();
      }),
    );
  });

  test.each([
    ['a name of 25 characters', [0xa1, 0x78, 25, ...Array(25).fill(97), 0x40]],
    ['a name with a character outside of ASCII', [0xa1, 0x61, 0x80, 0x40]],
    ['the character 127 in a name', [0xa1, 0x61, 127, 0x40]],
    ['a longer length than needed', [0xa1, 0x61, 97, 0x58, 1, 0]],
    ['two equal names', [0xa2, 0x61, 97, 0x40, 0x61, 97, 0x40]],
    ['names in the wrong order', [0xa2, 0x61, 98, 0x40, 0x61, 97, 0x40]],
    ['a number', [0xa1, 0x61, 97, 1]],
    ['a list with a text', [0xa1, 0x61, 97, 0x81, 0x61, 97]],
    ['a length beyond the end', [0xa1, 0x61, 97, 0x42, 0]],
    ['a name beyond the end', [0xa1, 0x64, 97]],
    ['no map', [0x80]],
    ['nothing', []],
  ])('is not read with %s', (_, given) => expect(readMap(Uint8Array.from(given))).toBeUndefined());

  test('contains views of the bytes, which stay as they are', () => {
    const found = readMap(recordBytes({ a: Uint8Array.of(1, 2, 3), b: [Uint8Array.of(4)] })) ?? new Map();
    expect([...(found.get('a') as Uint8Array)]).toEqual([1, 2, 3]);
    expect(found.get('b')).toEqual([Uint8Array.of(4)]);
  });

  test('differs from a list of the same items', () => {
    expect([...listBytes(['a', Uint8Array.of(1)])]).toEqual([0x82, 0x61, 97, 0x41, 1]);
  });
});
