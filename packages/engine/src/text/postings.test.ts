import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BUCKET,
  changedPostings,
  createPacker,
  type FieldLengths,
  lengthByte,
  lengthOfByte,
  unpackPostings,
} from './postings.ts';

/** Postings of some documents in a bucket, with several fields. */
const arbitrary = fc.integer({ min: 1, max: 8 }).chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    bucket: fc.integer({ min: 0, max: 1000 }),
    documents: fc.uniqueArray(
      fc.record({
        offset: fc.integer({ min: 0, max: BUCKET - 1 }),
        counts: fc
          .array(fc.integer({ min: 0, max: 100_000 }), { minLength: fields, maxLength: fields })
          .filter((counts) => counts.some((count) => count > 0)),
        isRemoved: fc.boolean(),
        isAdded: fc.boolean(),
      }),
      { selector: ({ offset }) => offset },
    ),
  }),
);

describe('postings', () => {
  test('unpacks postings as they were packed', () => {
    fc.assert(
      fc.property(arbitrary, ({ fields, bucket, documents }) => {
        const sorted = documents.toSorted((a, b) => a.offset - b.offset);
        const postings = sorted.flatMap(({ offset, counts }) => [bucket * BUCKET + offset, ...counts]);
        const lengths: FieldLengths = new Map(
          sorted.map(({ offset, counts }) => [
            bucket * BUCKET + offset,
            counts.map((count) => (count === 0 ? 0 : lengthByte(count))),
          ]),
        );
        const known: FieldLengths = new Map();
        const packed = createPacker(bucket, fields, lengths).pack(postings);
        expect(unpackPostings(packed, bucket, fields, known)).toEqual(postings);
        expect(known).toEqual(lengths);
      }),
    );
  });

  test('keeps the order of the numbers in changed postings', () => {
    fc.assert(
      fc.property(arbitrary, ({ fields, documents }) => {
        const flat = (some: typeof documents) => some.flatMap(({ offset, counts }) => [offset, ...counts]);
        const inOrder = documents.toSorted((a, b) => a.offset - b.offset);
        const known = inOrder.filter(({ isAdded }) => !isAdded);
        const removed = new Set(known.filter(({ isRemoved }) => isRemoved).map(({ offset }) => offset));
        const added = documents.filter(({ isAdded }) => isAdded);
        expect(changedPostings(flat(known), removed, flat(added), fields)).toEqual(
          flat(inOrder.filter(({ offset }) => !removed.has(offset))),
        );
      }),
    );
  });

  test('rejects postings that are cut short', () => {
    const bytes = createPacker(0, 1, new Map([[5, [9]]])).pack([5, 300]);
    for (let length = 1; length < bytes.length; length++)
      expect(() => unpackPostings(bytes.subarray(0, length), 0, 1, new Map())).toThrow('full-text index');
  });

  test('rounds lengths by at most 3 %', () => {
    for (const length of [1, 2, 3, 10, 100, 1000, 50_000]) {
      const rounded = lengthOfByte(lengthByte(length));
      expect(Math.abs(rounded + 1 - (length + 1)) / (length + 1)).toBeLessThan(0.03);
    }
    expect(lengthOfByte(lengthByte(0))).toBe(0);
  });
});
