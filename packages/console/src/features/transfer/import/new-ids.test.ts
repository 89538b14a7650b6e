import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newIds } from './new-ids.ts';

const START_MS = Date.parse('2025-11-29T00:00:00Z');
const SEED = Uint8Array.of(0xab, 1, 2, 255);
const place = fc.record({ file: fc.nat(20_000), at: fc.nat(0xffff_ffff) });

describe('newIds', () => {
  test('returns the time of the import, the file, the row and random bits', () => {
    const idOf = newIds(START_MS, SEED);
    expect(idOf(0, { at: 0 })).toBe('019acce8-cc00-7000-b000-00000a0102ff');
    expect(idOf(2, { at: 0x12345678 })).toBe('019acce8-cc00-7002-b123-456780d783f7');
  });

  test('returns the same id for the same row, and another one in another import', () => {
    const [one, same, other] = [newIds(START_MS, SEED), newIds(START_MS, SEED), newIds(START_MS)];
    expect(one(3, { at: 7 })).toBe(same(3, { at: 7 }));
    expect(other(3, { at: 7 })).not.toBe(newIds(START_MS)(3, { at: 7 }));
  });

  test('ends the ids of all rows with other digits, because tables show only the end', () => {
    const idOf = newIds(START_MS);
    const ends = Array.from({ length: 2000 }, (_, at) => idOf(0, { at }).slice(-7));
    expect(new Set(ends).size).toBe(2000);
  });

  test('returns UUIDs of version 7 in the order of files and rows', () => {
    const idOf = newIds(START_MS);
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [first, second] = [idOf(a.file, a), idOf(b.file, b)];
        expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        const order = a.file - b.file || a.at - b.at;
        expect(Math.sign(order)).toBe(first < second ? -1 : first > second ? 1 : 0);
      }),
      { numRuns: 500 },
    );
  });
});
