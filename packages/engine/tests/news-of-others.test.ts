/**
 * Two processes open one folder. While the first process reads, its store may apply rows that the
 * second one wrote. The first process must not treat these rows as already read.
 */
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import type { Platform } from '../src/ports/platform.ts';
import { simulatedDisk } from '../src/testing/simulated-disk.ts';
import { diskPlatform, openOn } from './disk.fixture.ts';

const text = (of: string) => Uint8Array.from(Buffer.from(of));

/** Returns a platform that calls `once` after the next read of the head rows. */
function interrupted(platform: Platform, afterRead: { once?: (store: ByteStore) => Promise<unknown> }) {
  return {
    ...platform,
    openStore: async (...args: Parameters<Platform['openStore']>) => {
      const store = await platform.openStore(...args);
      const readPrefix: ByteStore['readPrefix'] = async (prefix) => {
        const rows = await store.readPrefix(prefix);
        const { once } = afterRead;
        if (prefix !== 'head' || once === undefined) return rows;
        delete afterRead.once;
        await once(store);
        return rows;
      };
      return { ...store, readPrefix };
    },
  };
}

test('[R9] keeps a head that another process wrote after a compaction had read the heads', async () => {
  const disk = simulatedDisk();
  const keys = new Map();
  const afterRead: Parameters<typeof interrupted>[1] = {};
  const first = openDatabase('notes', interrupted(diskPlatform(disk, keys), afterRead));
  await first.put({ _id: 'first' });
  const second = openDatabase('notes', diskPlatform(disk, keys));
  await second.put({ _id: 'before' });
  afterRead.once = async (store) => {
    await second.put({ _id: 'meanwhile' });
    // Refreshes the store, as a read does when the file of a value is gone.
    await store.refresh?.();
  };
  await first.compact();
  expect(afterRead.once).toBeUndefined();
  await first.put({ _id: 'after' });
  for (const db of [first, second]) {
    await db.compact();
    expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual([
      'after',
      'before',
      'first',
      'meanwhile',
    ]);
    await db.close();
  }
});

test('[R9] rejects a conditional write if rows of other writers were applied after its condition was read', async () => {
  const disk = simulatedDisk();
  const [first, second] = [await openOn(disk), await openOn(disk)];
  await first.refresh?.();
  const news = first.news?.();
  const guard = { key: 'mine', bytes: undefined, news };
  await second.write([{ key: 'theirs', bytes: text('1') }]);
  expect(await first.write([{ key: 'other', bytes: text('1') }], guard)).toBe(true);
  await first.refresh?.();
  expect(await first.write([{ key: 'other', bytes: text('2') }], guard)).toBe(false);
  expect(await first.write([{ key: 'other', bytes: text('2') }], { ...guard, news: first.news?.() })).toBe(
    true,
  );
  for (const store of [first, second]) await store.close();
});

test('[R9] counts rows as unread if they were applied before the disk failed', async () => {
  for (let nth = 0; nth < 30; nth++) {
    const disk = simulatedDisk();
    const [first, second, third] = [await openOn(disk), await openOn(disk), await openOn(disk)];
    await first.refresh?.();
    const news = first.news?.() ?? 0;
    await second.write([{ key: 'second', bytes: text('1') }]);
    await third.write([{ key: 'third', bytes: text('1') }]);
    disk.fail({ nth, lasts: false, kind: 'EIO' });
    await first.refresh?.().catch(() => undefined);
    disk.fail(undefined);
    if ((await first.keys('')).length > 0) expect(first.news?.(), `call ${nth}`).toBeGreaterThan(news);
    for (const store of [first, second, third]) await store.close();
  }
});

test('[R9] reads all rows with a prefix from the same moment, even while rows of other writers are applied', async () => {
  const disk = simulatedDisk();
  const [first, second] = [await openOn(disk), await openOn(disk)];
  const keys = Array.from({ length: 40 }, (_, n) => `head/${n}`);
  const all = (n: number) => keys.map((key) => ({ key, bytes: new Uint8Array(100).fill(n) }));
  await second.write(all(0));
  await first.refresh?.();
  for (let n = 1; n < 20; n++) {
    await second.write(all(n));
    const [rows] = await Promise.all([first.readPrefix('head/'), first.refresh?.()]);
    expect(new Set([...rows.values()].map((bytes) => bytes[0])).size).toBe(1);
  }
  for (const store of [first, second]) await store.close();
});
