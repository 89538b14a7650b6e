import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metaEntry } from '../../tests/cloud.fixture.ts';
import { carsOf } from './meta-entry.ts';

/** Entries that an existing client wrote. */
const { entries: golden } = JSON.parse(
  readFileSync(new URL('../../../engine/tests/vectors/meta.json', import.meta.url), 'utf8'),
) as { entries: { cars: string[]; entry: { data: string } }[] };

const cars = ['baembeiaaaa', 'baembeibbbb'];
const entry = metaEntry(cars);
const block = Buffer.from(entry.data.slice(1), 'base64');
const encoded = (bytes: Uint8Array) => ({ data: `M${Buffer.from(bytes).toString('base64')}` });

describe('carsOf', () => {
  test('[R14] names the archives of an entry as existing clients write it', () => {
    expect(carsOf(entry)).toEqual(cars);
  });

  test('[R14] reads the entries that golden data has', () => {
    expect(golden.length).toBeGreaterThan(2);
    for (const { entry, cars } of golden) expect(carsOf(entry)).toEqual(cars);
  });

  test('finds them behind other fields', () => {
    const more = Buffer.concat([
      Buffer.from([0xa2, 0x61, 0x61, 0x82, 0x01, 0xa1, 0x61, 0x62, 0xf6]),
      block.subarray(1, block.length - 9),
    ]);
    expect(carsOf(encoded(more))).toEqual(cars);
  });

  test('[R20] whatever else is no failure and names nothing that is not there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(carsOf(encoded(bytes))).toEqual([]);
      }),
    );
    fc.assert(fc.property(fc.string(), (data) => void carsOf({ data })));
  });

  test('[R20] a changed byte gives no failure', () => {
    fc.assert(
      fc.property(fc.nat(block.length - 1), fc.nat(255), (at, byte) => {
        const changed = Uint8Array.from(block);
        changed[at] = byte;
        expect(Array.isArray(carsOf(encoded(changed)))).toBe(true);
      }),
    );
  });

  test('[S7] lengths that lie and deep nesting end at once', () => {
    const huge = [0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    for (const bytes of [
      [0xba, 0xff, 0xff, 0xff, 0xff],
      [0xa1, 0x64, ...Buffer.from('data'), ...huge],
      [0xa2, 0x61, 0x61, 0x9a, 0xff, 0xff, 0xff, 0xff],
      [0xa2, 0x61, 0x61, ...new Array(100_000).fill(0x81)],
      [0xa2, 0x7a, 0xff, 0xff, 0xff, 0xff],
    ])
      expect(carsOf(encoded(Uint8Array.from(bytes)))).toEqual([]);
  });
});
