import { describe, expect, test } from 'vitest';
import type { Bucket } from './bucket.ts';
import { bucketInventory } from './bucket-inventory.ts';
import { folderInventory } from './folder-inventory.ts';
import { fillAll, inGroups, readGroup } from './inventory.ts';
import type { StoredObject } from './stored-objects.ts';

const MEGABYTE = 1_000_000;

/** Counts how much is in memory at the same time. */
function createMeter() {
  const meter = { now: 0, most: 0 };
  return {
    meter,
    add: (count: number) => {
      meter.now += count;
      meter.most = Math.max(meter.most, meter.now);
    },
  };
}

describe('the memory of backups and restores', () => {
  test('stores small objects many at a time, and large ones few at a time', async () => {
    const storedAtOnce = async (size: number, count: number) => {
      const { meter, add } = createMeter();
      const bytes = { length: size } as Buffer;
      async function* source() {
        for (let index = 0; index < count; index += 1) {
          add(1);
          yield { place: String(index), bytes };
        }
      }
      const stored: string[] = [];
      await fillAll(
        {
          fill: async (place) => {
            await Promise.resolve();
            stored.push(place);
            add(-1);
          },
        },
        source(),
      );
      expect(stored).toHaveLength(count);
      return meter.most;
    };
    expect(await storedAtOnce(10, 100)).toBe(16);
    expect(await storedAtOnce(40 * MEGABYTE, 10)).toBe(2);
    expect(await storedAtOnce(100 * MEGABYTE, 10)).toBe(1);
  });

  test('reads the objects of a group at the same time only if they are small', async () => {
    const readAtOnce = async (size: number) => {
      const { meter, add } = createMeter();
      const object: StoredObject = {
        bytes: size,
        read: async function* () {
          add(1);
          await Promise.resolve();
          yield Buffer.from('x');
        },
      };
      const open = async (place: string) => (place === 'gone' ? undefined : object);
      const found: unknown[] = [];
      for await (const bytes of readGroup({ open }, ['a', 'gone', 'b', 'c'])) {
        found.push(bytes?.toString());
        add(bytes === undefined ? 0 : -1);
      }
      expect(found).toEqual(['x', undefined, 'x', 'x']);
      return meter.most;
    };
    expect(await readAtOnce(MEGABYTE)).toBe(3);
    expect(await readAtOnce(30 * MEGABYTE)).toBe(1);
  });

  test('keeps the order of items in groups', async () => {
    const groups: (readonly number[])[] = [];
    const items = Array.from({ length: 20 }, (_, index) => index);
    await inGroups(items, async (some) => void groups.push(some));
    expect(groups).toEqual([items.slice(0, 16), items.slice(16)]);
  });
});

describe('each place of a store', () => {
  const hash = 'a'.repeat(64);

  test.each([
    '',
    '../../etc/passwd',
    `aa/${hash}/../../secrets.json`,
    `/aa/${hash}/${hash}`,
    `aa/${hash}/${hash}.variants/../x`,
    `aa/${hash}/${hash}\n`,
  ])('excludes paths that lead out of the folder: %j', (text) => {
    expect(folderInventory('/data/objects').isPlace(text)).toBe(false);
  });

  test.each(['', '../l/car/k', 't/../car/k', 't/l/car/..', 't/l/k', 't/l/car/k/more', 't/l/car/k?x'])(
    'excludes keys that no object has: %j',
    (text) => {
      expect(bucketInventory({} as Bucket).isPlace(text)).toBe(false);
    },
  );

  test('includes those of objects and their variants', () => {
    const folder = folderInventory('/data/objects');
    const place = folder.placeOf('t/l/car/k');
    expect([place, `${place}.variants/zAb1`].map(folder.isPlace)).toEqual([true, true]);
    expect(['t/l/car.0/k', 't/l/file/k~zAb1'].map(bucketInventory({} as Bucket).isPlace)).toEqual([
      true,
      true,
    ]);
  });
});
