import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { endsNode } from './node.ts';

test('[9] ends a node after an entry if the last four bytes of the hash of the entry, little-endian, are in the lowest thirtieth', () => {
  const thirtieth = Math.floor(0xffffffff / 30);
  const [within, beyond] = [Math.floor(0xffffffff / 31), Math.floor(0xffffffff / 29)];
  const near = { below: 0, above: 0 };
  for (let n = 0; n < 50_000; n++) {
    const entry = Buffer.from(`entry ${n}`);
    const tail = createHash('sha256').update(entry).digest().readUInt32LE(28);
    // Check all entries that a slightly different threshold would classify differently, and a
    // sample of the others.
    if ((tail < within || tail > beyond) && n % 100 > 0) continue;
    if (tail > within && tail <= beyond) near[tail <= thirtieth ? 'below' : 'above'] += 1;
    expect([n, endsNode(entry)]).toEqual([n, tail <= thirtieth]);
  }
  expect(Math.min(near.below, near.above)).toBeGreaterThan(20);
});
