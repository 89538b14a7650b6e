import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partReader } from './cbor-part.ts';
import { decode, encode } from './dag-cbor.ts';

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0.5, -1, 2 ** 40, -(2 ** 40), 1e300),
  fc.integer(),
  fc.string({ maxLength: 300 }),
  fc.uint8Array({ maxLength: 300 }),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(scalar, fc.array(tie('any'), { maxLength: 30 }), fc.dictionary(fc.string(), tie('any'))),
})).any;
const name = fc.constantFrom('a', 'b', 'rank', 'r\u00e4nk', '__proto__', 'x'.repeat(40));

test('returns the same part as decoding the whole value', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 6 }), name, (fields, asked) => {
      const bytes = encode({ doc: fields, other: fields });
      const whole = decode(bytes) as { doc: Record<string, unknown> };
      const expected = Object.hasOwn(whole.doc, asked) ? whole.doc[asked] : undefined;
      expect(partReader('doc', asked)(bytes)).toEqual(expected);
      expect(partReader('none', asked)(bytes)).toBeUndefined();
      expect(partReader('doc')(bytes)).toEqual(whole.doc);
    }),
  );
  expect(partReader('a')(encode([1]))).toBeUndefined();
});

test('[R4] returns a value or throws CORRUPT for truncated and changed bytes, without delay', () => {
  const bytes = encode({ doc: { a: [1, { b: 'text' }], rank: 7 } });
  const read = partReader('doc', 'rank');
  const answer = (damaged: Uint8Array) => {
    try {
      return typeof read(damaged);
    } catch (cause) {
      return (cause as { code?: string }).code;
    }
  };
  for (let length = 0; length < bytes.length; length++)
    expect(answer(bytes.subarray(0, length))).toBe('CORRUPT');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
      expect(answer(bytes.with(at, byte))).toBeTypeOf('string');
    }),
  );
  expect(answer(Uint8Array.of(0xbb, 255, 255, 255, 255, 255, 255, 255, 255))).toBe('CORRUPT');
});
