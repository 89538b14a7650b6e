import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { encode, link } from '../codec/dag-cbor.ts';
import { parseDocKey } from './doc-key.ts';
import { decodeDocument, encodeDocument, TOMBSTONE } from './encode.ts';
import { isPlainDocument } from './plain-document.ts';

const id = parseDocKey('id');
const someText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('_deleted', '_d', '__proto__', '', 'k'.repeat(24), 'k'.repeat(300)),
);
const { value: someValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    someText,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.maxSafeInteger(),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(someText, tie('value'), { maxKeys: 6 }),
  ),
}));
const someFields = fc.dictionary(someText, someValue, { maxKeys: 8 });

/** Returns whether decoding yields a live document. */
function isLive(bytes: Uint8Array): boolean {
  try {
    return 'doc' in decodeDocument(bytes);
  } catch {
    return false;
  }
}

describe('recognising documents in the usual form', () => {
  test('accepts documents of usual values, and no deletion', () => {
    const fields = { title: 'Grüße', done: false, none: null, tags: ['a', { n: -70_000, x: 0.5 }], n: 7 };
    expect(isPlainDocument(encodeDocument(fields, id).bytes)).toBe(true);
    expect(isPlainDocument(encodeDocument({ text: 'x'.repeat(70_000) }, id).bytes)).toBe(true);
    expect(isPlainDocument(TOMBSTONE.bytes)).toBe(false);
    expect(isPlainDocument(encode({ doc: { _deleted: true, _id: 'id' } }))).toBe(false);
    expect(isPlainDocument(new Uint8Array())).toBe(false);
  });

  test('[R4] accepts only bytes that decode to a live document', () => {
    fc.assert(
      fc.property(someFields, fc.nat(), fc.integer({ min: 1, max: 255 }), (fields, place, flip) => {
        const { bytes } = encodeDocument(fields, id);
        if (isPlainDocument(bytes)) expect(isLive(bytes)).toBe(true);
        for (const at of [place % bytes.length, bytes.length - 1 - (place % Math.min(bytes.length, 16))]) {
          const changed = bytes.slice();
          changed[at] = (changed[at] as number) ^ flip;
          if (isPlainDocument(changed)) expect(isLive(changed)).toBe(true);
          if (isPlainDocument(bytes.subarray(0, at))) expect(isLive(bytes.subarray(0, at))).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['a link', encode({ doc: { a: link(TOMBSTONE.cid) } })],
    ['a key that occurs twice', Uint8Array.of(0xa2, 0x61, 0x61, 1, 0x61, 0x61, 1)],
    ['keys that are out of order', Uint8Array.of(0xa2, 0x61, 0x62, 1, 0x61, 0x61, 1)],
    ['text that is not UTF-8', Uint8Array.of(0xa1, 0x61, 0x61, 0x61, 0xff)],
    ['an infinite number', Uint8Array.of(0xa1, 0x61, 0x61, 0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0)],
    ['a number that is longer than needed', Uint8Array.of(0xa1, 0x61, 0x61, 0x18, 1)],
    ['a text beyond the end', Uint8Array.of(0xa1, 0x61, 0x61, 0x62, 0x61)],
    ['bytes after the document', Uint8Array.of(0xa0, 0)],
    ['a list instead of fields', Uint8Array.of(0x80)],
    ['values nested a thousand deep', Uint8Array.of(0xa1, 0x61, 0x61, ...new Array(1100).fill(0x81), 0)],
  ])('[R4] leaves %s to the decoder', (_, fields) => {
    const isBlock = fields[1] === 0x63;
    const bytes = isBlock ? fields : Uint8Array.of(0xa1, 0x63, ...utf8('doc'), ...fields);
    expect(isPlainDocument(bytes)).toBe(false);
  });
});
