import { describe, expect, test } from 'vitest';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { createLinkTable } from './link-table.ts';

const link = (n: number): Cid => cidOf(RAW, Uint8Array.of(n >> 8, n & 255));
const idOf = (n: number) => (n % 3 === 0 ? `id \u{1f30d} ${n}` : n === 1 ? '' : `id ${n}`);

/** Returns the table's links, with a pack after each `step` links. */
async function listed(count: number, step: number, placesOf?: (n: number) => number) {
  const numbers = new Map(Array.from({ length: count }, (_, n) => [link(n), n]));
  const table = createLinkTable(
    placesOf === undefined
      ? {}
      : {
          placesOf: async (cids) =>
            Float64Array.from(cids, (cid) => placesOf(numbers.get(cid as Cid) as number)),
        },
  );
  for (let n = 0; n < count; n++) {
    table.add(idOf(n), link(n));
    if (n % step === step - 1) await table.pack();
  }
  await table.pack();
  await table.pack();
  const batches: (readonly (readonly [string, Cid])[])[] = [];
  for await (const batch of table.inBatches(300, async () => undefined)) batches.push(batch);
  return { table, batches };
}

describe('a table of links', () => {
  test('yields links in the order of the places of their documents, in batches', async () => {
    const placeOf = (n: number) => (n % 7) * 2 ** 32 + ((n * 31) % 1000);
    const { table, batches } = await listed(1000, 64, placeOf);
    const order = Array.from({ length: 1000 }, (_, n) => n).sort((a, b) => placeOf(a) - placeOf(b));
    expect(batches.flat()).toEqual(order.map((n) => [idOf(n), link(n)]));
    expect(batches.map(({ length }) => length)).toEqual([300, 300, 300, 100]);
    expect(table.size()).toBe(1000);
  });

  test('keeps the order in which links were added if places are unknown', async () => {
    const { batches } = await listed(400, 1);
    expect(batches.flat()).toEqual(Array.from({ length: 400 }, (_, n) => [idOf(n), link(n)]));
  });

  test('yields nothing if it is empty', async () => {
    const { table, batches } = await listed(0, 10);
    expect([table.size(), batches]).toEqual([0, []]);
  });
});
